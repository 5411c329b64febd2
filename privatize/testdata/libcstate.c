/* State that libc keeps for its callers, used by all ranks in turn. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

int stage_yield(void);

static int rank;
static jmp_buf place;

/* A switch inside a callback of libc, whose frames are on the stack then. */
static int compare(const void *a, const void *b)
{
	stage_yield();
	return *(const int *)a - *(const int *)b;
}

static int sorted(void)
{
	int v[] = {5, 3, rank, 9, 1};
	qsort(v, 5, sizeof v[0], compare);
	for (int i = 1; i < 5; i++)
		if (v[i - 1] > v[i])
			return 0;
	return 1;
}

static int options(void)
{
	char *args[] = {"prog", "-a", "-b", "value", "--long", "rest", NULL};
	static const struct option names[] = {{"long", no_argument, NULL, 'l'}, {NULL, 0, NULL, 0}};
	int seen = 0, c;
	while ((c = getopt_long(6, args, "ab:", names, NULL)) != -1) {
		seen = seen * 8 + (c == 'a' ? 1 : c == 'b' && !strcmp(optarg, "value") ? 2 : 3);
		stage_yield();
	}
	return seen == (1 * 8 + 2) * 8 + 3 && !strcmp(args[optind], "rest");
}

static int times(void)
{
	time_t t = 86400L * 365 * rank;
	struct tm *tm = gmtime(&t);
	char *text = asctime(tm);
	stage_yield();
	return tm->tm_year >= 69 + rank && tm->tm_year <= 70 + rank && strstr(text, "19") != NULL;
}

static int streams(void)
{
	char line[64] = "";
	FILE *f = tmpfile();
	setvbuf(f, NULL, _IOFBF, 8192);
	fprintf(f, "line of %d\n", rank);
	stage_yield();
	rewind(f);
	fgets(line, sizeof line, f);
	ungetc('x', f);
	stage_yield();
	return strtol(line + 8, NULL, 10) == rank && getc(f) == 'x' && fclose(f) == 0;
}

static int jumps(void)
{
	volatile int n = 0;
	if (setjmp(place) < 3) {
		stage_yield();
		n++;
		longjmp(place, n);
	}
	return n == 3;
}

static int numbers(void)
{
	drand48();
	srand48(rank);
	double d = drand48();
	char state[64];
	initstate(rank + 1, state, sizeof state);
	long l = random();
	stage_yield();
	srand48(rank);
	if (d != drand48())
		return 0;
	initstate(rank + 1, state, sizeof state);
	if (l != random())
		return 0;
	lgamma(rank % 2 ? -0.5 : 0.5);
	stage_yield();
	return signgam == (rank % 2 ? -1 : 1) && isalpha('a' + rank) && strerror(ENOENT)[0] == 'N';
}

static int locale(void)
{
	const char *name = rank % 2 ? "C.UTF-8" : "C";
	if (!setlocale(LC_ALL, name))
		return 0;
	stage_yield();
	wchar_t w[8];
	size_t n = mbstowcs(w, "\303\244", 8);
	return !strcmp(setlocale(LC_ALL, NULL), name) && (rank % 2 ? n == 1 && w[0] == 0xe4 : n == (size_t)-1);
}

int main(int argc, char **argv)
{
	int (*tests[])(void) = {sorted, options, times, streams, jumps, numbers, locale};
	rank = atoi(argv[1]);
	if (argc != 3 || stdout == NULL || fileno(stdout) != 1)
		return 1;
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		if (!tests[i]())
			return 10 + (int)i;
	fprintf(fopen(argv[2], "w"), "rank %d counter %d %.2f\n", rank, 5 + rank, 1.5 * rank);
	return 40 + rank;
}
