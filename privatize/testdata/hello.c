/* Private globals, private libc: does every image count for itself? argv[1] is the rank. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int stage_yield(void);

int rank_global;
static int counter = 5;
static int *pointer = &counter;
__thread int local = 7;
static __thread char zeroed[100];
static char text[64] = "alpha beta gamma";

int main(int argc, char **argv)
{
	char *word;

	rank_global = argc > 1 ? atoi(argv[1]) : 0;
	counter += rank_global;
	local += rank_global;
	zeroed[3] = (char)rank_global;
	srand(rank_global + 1);
	int first = rand();
	text[0] = (char)('a' + rank_global);
	word = strtok(text, " ");
	errno = 100 + rank_global;
	char *copy = strdup(word);
	setenv("RANK", argv[1], 1);
	for (int i = 0; i < 3; i++) {
		stage_yield();
		word = strtok(NULL, " ");
		if (errno != 100 + rank_global || *pointer != 5 + rank_global || local != 7 + rank_global || zeroed[3] != rank_global)
			return 10;
		if (i < 2 && (!word || strcmp(word, i ? "gamma" : "beta")))
			return 11;
	}
	srand(rank_global + 1);
	if (rand() != first || strcmp(getenv("RANK"), argv[1]) || copy[0] != 'a' + rank_global)
		return 12;
	FILE *f = fopen(argv[2], "w");
	if (!f || fprintf(f, "rank %d counter %d %.2f\n", rank_global, counter, 1.5 * rank_global) < 0)
		return 13;
	return 40 + rank_global; /* the file is flushed at exit only */
}
