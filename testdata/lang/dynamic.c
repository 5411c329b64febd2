/* Can a rank load a plugin with dlopen, find its symbols, and has each rank its own copy of the plugin's globals? */
// build: $CC -shared -fPIC -o plugin.so plugin.c && $CC dynamic.c -ldl    run: in the directory of plugin.so
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>

int host_value = 3; /* the plugin asks for it: exported with -rdynamic, or by address */

int main(int argc, char **argv)
{
	void *handle;
	int (*add)(int), *state;

	check_begin(&argc, &argv);
	CHECK(dlopen("./no_such_plugin.so", RTLD_NOW) == NULL && dlerror() != NULL);
	CHECK(dlerror() == NULL);
	handle = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		fprintf(stderr, "FAIL %s\n", dlerror());
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	*(void **)&add = dlsym(handle, "plugin_add");
	state = dlsym(handle, "plugin_state");
	CHECK(add && state && *state == 100);
	CHECK(add(rank) == 100 + rank);
	check_others_run();
	CHECK(*state == 100 + rank && add(1) == 101 + rank);
	CHECK(dlsym(handle, "no_such_symbol") == NULL && dlerror() != NULL);
	CHECK(dlclose(handle) == 0);
	return check_end("dynamic");
}
