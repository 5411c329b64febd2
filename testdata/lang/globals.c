/* Has each rank its own globals, statics, initialised and zero data, arrays, and pointers into them? */
#include "check.h"

int common_symbol;
int initialised = 42;
static int zero[5000];
static const char *text = "start";
static int *inside = &zero[17];
static int (*function)(void);

static int counter(void)
{
	static int calls = 5;

	return ++calls;
}

static int other(void)
{
	static int calls;

	calls += rank;
	return calls;
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	CHECK(initialised == 42 && common_symbol == 0 && zero[4999] == 0 && strcmp(text, "start") == 0);
	common_symbol = rank;
	initialised += rank;
	for (int i = 0; i < 5000; i++)
		zero[i] = rank * i;
	text = rank % 2 ? "odd" : "even";
	function = rank % 2 ? counter : other;
	for (int i = 0; i < 1 + rank % 3; i++)
		counter();
	check_others_run();
	CHECK(common_symbol == rank && initialised == 42 + rank);
	CHECK(zero[4999] == rank * 4999 && *inside == rank * 17);
	CHECK(strcmp(text, rank % 2 ? "odd" : "even") == 0);
	CHECK(counter() == 5 + 1 + rank % 3 + 1);
	CHECK(function == (rank % 2 ? counter : other));
	other();
	check_others_run();
	CHECK(other() == 2 * rank);
	return check_end("globals");
}
