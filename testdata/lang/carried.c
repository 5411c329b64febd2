/* Does a library opened at run time stay whole for as long as its rank runs, wherever that is: data, thread-local variables, symbols? */
// build: $CC -shared -fPIC -o carried_part.so carried_part.c && $CC carried.c -ldl    run: in the directory of carried_part.so
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <link.h>

static int count(struct dl_phdr_info *info, size_t n, void *found)
{
	(void)n;
	*(int *)found += strstr(info->dlpi_name, "carried_part.so") != NULL;
	return 0;
}

static void names(void *part, void *step)
{
	Dl_info info;
	int found = 0;

	CHECK(dlsym(part, "carried_step") == step && dlsym(part, "no_such") == NULL && dlerror() != NULL);
	CHECK(dladdr(step, &info) && !strcmp(info.dli_sname, "carried_step") && strstr(info.dli_fname, "carried_part.so"));
	dl_iterate_phdr(count, &found);
	CHECK(found == 1);
	CHECK(dlopen("./carried_part.so", RTLD_NOW | RTLD_NOLOAD) == part && dlclose(part) == 0);
}

int main(int argc, char **argv)
{
	void *part;
	int (*step)(int, int), *starts;

	check_begin(&argc, &argv);
	part = dlopen("./carried_part.so", RTLD_NOW);
	CHECK(part != NULL);
	step = (int (*)(int, int))dlsym(part, "carried_step");
	starts = dlsym(part, "carried_starts");
	for (int n = 0; n < 300 && step; n++) {
		CHECK(step(rank, n) == n + 1);
		if (n % 20 == 0)
			names(part, (void *)step);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Sendrecv(&n, 1, MPI_INT, (rank + 1) % size, 5, &(int){0}, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	CHECK(starts && *starts == 1);
	CHECK(dlclose(part) == 0);
	return check_end("carried");
}
