// build: gcc -g -shared -fPIC -DWEIGHT=linked -o liblinked.so embedded.c && gcc -g -shared -fPIC -DWEIGHT=opened -o libopened.so embedded.c && $CC embedded.c -L. -llinked -Wl,-rpath,'$ORIGIN'
/* A program with a library that it is linked with and one that it opens, which both keep something. In every round it calls them and looks at
 * itself under /proc/self/exe: it is to find what it was started as, whatever has become of its file. Argument: rounds. */
#define _GNU_SOURCE
#ifdef WEIGHT
unsigned long WEIGHT(unsigned long more)
{
	static unsigned long all;
	return all = all * 31 + more;
}
#else
#include <mpi.h>
#include <dlfcn.h>
#include <elf.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hold.h"

unsigned long linked(unsigned long more);

static char exe[PATH_MAX];

static void fail(const char *what)
{
	fprintf(stderr, "embedded: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void read_exe(char *path)
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = 0;
}

static int find_linked(struct dl_phdr_info *i, size_t size, void *found)
{
	char expected[PATH_MAX + 16], copy[PATH_MAX];
	(void)size;
	snprintf(expected, sizeof expected, "%s/liblinked.so", dirname(strcpy(copy, exe)));
	*(int *)found += !strcmp(i->dlpi_name, expected);
	return 0;
}

static void look_at_itself(void)
{
	char now[PATH_MAX], magic[SELFMAG] = "";
	int found = 0;
	read_exe(now);
	if (strcmp(now, exe))
		fail("/proc/self/exe is called something else");
	FILE *f = fopen("/proc/self/exe", "r");
	if (!f || fread(magic, sizeof magic, 1, f) != 1 || memcmp(magic, ELFMAG, SELFMAG))
		fail("/proc/self/exe is no program");
	fclose(f);
	dl_iterate_phdr(find_linked, &found);
	if (found != 1)
		fail("a library is called something else");
}

int main(int argc, char **argv)
{
	int rank, rounds = argc > 1 ? atoi(argv[1]) : 100;
	unsigned long all = 0;
	char path[PATH_MAX + 16], copy[PATH_MAX];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	read_exe(exe);
	snprintf(path, sizeof path, "%s/libopened.so", dirname(strcpy(copy, exe)));
	void *library = dlopen(path, RTLD_NOW);
	if (!library)
		fail(dlerror());
	unsigned long (*opened)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(library, "opened");
	for (int i = 0; i < rounds; i++) {
		unsigned long mine = linked(rank + i) + opened(all / (i + 1));
		MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
		look_at_itself();
		usleep(20000);
		if (rank == 0) {
			printf("round %d %lu\n", i, all);
			fflush(stdout);
		}
		stay_until_told(rank, i, rounds);
	}
	if (rank == 0)
		printf("PASS embedded\n");
	MPI_Finalize();
	return 0;
}
#endif
