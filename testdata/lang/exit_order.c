/* Do exit handlers run once per rank, last in first out, before the streams are flushed? Each rank's file tells. */
#include "check.h"

static char name[64];
static FILE *out;

static void first(void)
{
	fprintf(out, "first\n"); /* never closed: exit writes it */
}

static void second(void) { fprintf(out, "second\n"); }

static void third(void)
{
	fprintf(out, "third\n");
	atexit(second); /* registered while handlers run: next */
}

__attribute__((destructor)) static void destructor(void)
{
	if (out)
		fprintf(out, "destructor\n");
}

static const char want[] = "main\nthird\nsecond\nfirst\ndestructor\n";

/* A run with an argument checks the files of a run before it. */
static int check_files(const char *dir, int n)
{
	char text[200];

	for (int r = 0; r < n; r++) {
		snprintf(text, sizeof text, "%s/exit_order.%d", dir, r);
		FILE *in = fopen(text, "r");
		size_t length = in ? fread(text, 1, sizeof text - 1, in) : 0;
		text[length] = 0;
		if (in)
			fclose(in);
		if (strcmp(text, want) != 0)
			return printf("FAILED exit_order: rank %d wrote\n%s", r, text), 1;
	}
	puts("PASS exit_order");
	return 0;
}

/* usage: exit_order dir, then exit_order dir n without mpirun */
int main(int argc, char **argv)
{
	if (argc > 2)
		return check_files(argv[1], atoi(argv[2]));
	check_begin(&argc, &argv);
	snprintf(name, sizeof name, "%s/exit_order.%d", argc > 1 ? argv[1] : "/tmp", rank);
	out = fopen(name, "w");
	CHECK(out != NULL);
	atexit(first);
	atexit(third);
	check_others_run();
	fprintf(out, "main\n");
	MPI_Finalize();
	exit(0);
}
