/* Begins in one process and ends in another. Exit code 40+rank says that everything still works. */
#include <errno.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>

int stage_yield(void);

static time_t (*clock_now)(time_t *) = time;          /* the kernel's function, elsewhere in the other process */
static void *(*allocate)(size_t) = malloc;
static time_t my_time(time_t *t) { (void)t; return 4711; }
static time_t (*clock_mine)(time_t *) = time;         /* changed by the program: has to stay changed */
static size_t (*length)(const char *) = strlen;
static __thread int local = 3;
static unsigned long (*aux)(unsigned long) = getauxval;
int visible = 1;

int main(int argc, char **argv)
{
	int rank = argc > 1 ? atoi(argv[1]) : 0;
	double angle = 0.5 + rank, was = exp(angle) + sin(angle);
	struct timeval tv;
	char *text = allocate(64);
	char *word;

	time_t before = time(NULL);
	clock_mine = my_time;
	local += rank;
	visible = 1000 + rank;
	strcpy(text, "one two three");
	word = strtok(text, " ");
	errno = 50 + rank;
	setenv("HELD", argv[1], 1);
	stage_yield();
	if (errno != 50 + rank || local != 3 + rank || visible != 1000 + rank)
		return 10;
	word = strtok(NULL, " ");
	if (!word || strcmp(word, "two") || length(word) != 3)
		return 11;
	if (time(NULL) < before || clock_now(NULL) < before || gettimeofday(&tv, NULL) || tv.tv_sec < before)
		return 12;
	if (clock_mine(NULL) != 4711 || exp(angle) + sin(angle) != was || aux(AT_PAGESZ) != 4096)
		return 13;
	if (strcmp(getenv("HELD"), argv[1]) || !allocate(10))
		return 14;
	visible += 1000;
	return 40 + rank;
}
