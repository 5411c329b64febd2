/* Is a fault in a library opened at run time reported with function and line? */
// build: $CC -g -DLIBRARY -shared -fPIC -o fault.so plugins_fault.c && $CC -g plugins_fault.c -ldl    run: in the directory of fault.so
#ifdef LIBRARY
int fail_here(int *p)
{
	*p = 1;
	return 0;
}
#else
#include "check.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	void *handle = dlopen("./fault.so", RTLD_LAZY);
	int (*fail)(int *) = (int (*)(int *))dlsym(handle, "fail_here");
	fflush(stdout);
	if (rank == size - 1)
		fail((int *)16);
	MPI_Barrier(MPI_COMM_WORLD);
	return check_end("plugins_fault");
}
#endif
