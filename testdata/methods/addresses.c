/* Are addresses in shared libraries the same in all workers: return addresses, functions, streams, what strtok and qsort hold? */
#include <string.h>

#include "moves.h"

struct functions {
	int (*compare)(const char *, const char *);
	size_t (*length)(const char *);
	FILE *out;
};

static int calls;

static int by_value(const void *a, const void *b)
{
	if (!calls++)
		CHECK(moves());
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	int numbers[] = {5, 2, 9, 1, 7, 3, 8};
	char words[] = "one two three";
	struct functions *f = malloc(sizeof *f);
	check_begin(&argc, &argv);
	*f = (struct functions){strcmp, strlen, stdout};
	CHECK(!strcmp(strtok(words, " "), "one"));
	CHECK(moves());
	CHECK(f->compare("a", "b") < 0 && f->length("four") == 4);
	qsort(numbers, 7, sizeof numbers[0], by_value);
	for (int i = 1; i < 7; i++)
		CHECK(numbers[i - 1] < numbers[i]);
	CHECK(!strcmp(strtok(NULL, " "), "two"));
	fprintf(f->out, "rank %d prints\n", rank);
	CHECK(moves());
	CHECK(!strcmp(strtok(NULL, " "), "three") && !strtok(NULL, " "));
	free(f);
	return check_end("addresses");
}
