/* Has each rank its own copy of what it opens at run time, with all that libraries have: dependencies, constructors, thread-local variables, scopes? */
// build: $CC -shared -fPIC -o libplugins_needed.so plugins_needed.c && $CC -shared -fPIC -Wl,-rpath,'$ORIGIN' -o plugins_open.so plugins_open.c -L. -lplugins_needed && $CC -rdynamic plugins.c -ldl    run: in the directory of plugins_open.so
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>

int plugins_value = 42;

int common_name(void)
{
	return 1;
}

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (strstr(info->dlpi_name, "plugins_open.so") && info->dlpi_phnum > 0)
		++*(int *)data;
	return 0;
}

#define GET(type, name) type *name = (type *)dlsym(handle, #name); CHECK(name != NULL)
#define FUNCTION(type, name, args) type(*name) args = (type(*) args)dlsym(handle, #name); CHECK(name != NULL)

static void look(void *handle)
{
	GET(int, open_constructed);
	GET(int, open_state);
	FUNCTION(int, open_add, (int));
	FUNCTION(int, open_thread_locals, (void));
	FUNCTION(int, open_common, (void));
	FUNCTION(int, open_program_value, (void));
	FUNCTION(char *, open_copy, (const char *));
	FUNCTION(int, open_errno, (void));
	FUNCTION(int, open_thread, (void));
	CHECK(*open_constructed == 1 && *open_state == 5);
	CHECK(open_thread_locals() == 7011);
	CHECK(open_add(rank) == 5 + rank);
	check_others_run();
	CHECK(*open_state == 5 + rank && open_thread_locals() == (7 + rank) * 1000 + 11 + rank);
	CHECK(open_thread() == 7011);
	CHECK(open_common() == 11); /* the program's first, then an indirect function of the library's own */
	CHECK(open_program_value() == 42);
	plugins_value = rank;
	CHECK(open_program_value() == rank);
	char *copy = open_copy("text");
	CHECK(!strcmp(copy, "text"));
	free(copy);
	CHECK(open_errno() == ENOENT);
	GET(FILE **, open_stream);
	CHECK(*open_stream == &stdout);
	*open_state = rank == 0 ? 99 : 0; /* makes the destructor write */
}

static void ask(void *handle)
{
	int *counter = dlsym(handle, "needed_counter"); /* of this thread */
	int *(*address)(void) = (int *(*)(void))dlsym(handle, "needed_address");
	CHECK(counter && address && address() == counter);

	int found = 0;
	dl_iterate_phdr(count, &found);
	CHECK(found == 1);

	Dl_info info;
	CHECK(dladdr(dlsym(handle, "open_add"), &info) && strstr(info.dli_fname, "plugins_open.so"));
	CHECK(info.dli_sname && !strcmp(info.dli_sname, "open_add") && info.dli_saddr == dlsym(handle, "open_add"));
	CHECK(dladdr((void *)look, &info) && !strstr(info.dli_fname, ".so"));

	struct link_map *map = NULL;
	CHECK(dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && strstr(map->l_name, "plugins_open.so"));
}

/* Threads of a rank may open libraries too. */
static void *in_thread(void *unused)
{
	(void)unused;
	void *handle = dlopen("./plugins_open.so", RTLD_NOW);
	int (*locals)(void) = (int (*)(void))dlsym(handle, "open_thread_locals");
	int *counter = dlsym(handle, "needed_counter"), *(*address)(void) = (int *(*)(void))dlsym(handle, "needed_address");
	CHECK(locals && locals() == 7011 && counter == address());
	CHECK(dlclose(handle) == 0);
	return NULL;
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	CHECK(dlopen("./plugins_open.so", RTLD_NOW | RTLD_NOLOAD) == NULL);
	CHECK(dlopen("no_such_plugin.so", RTLD_NOW) == NULL && strstr(dlerror(), "no_such_plugin.so"));
	void *handle = dlopen("./plugins_open.so", RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		fprintf(stderr, "FAIL %s\n", dlerror());
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	look(handle);
	ask(handle);
	pthread_t thread;
	CHECK(!pthread_create(&thread, NULL, in_thread, NULL) && !pthread_join(thread, NULL));

	CHECK(dlopen("./plugins_open.so", RTLD_LAZY) == handle);
	CHECK(dlsym(RTLD_DEFAULT, "only_here") == NULL);
	CHECK(dlopen("./plugins_open.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) == handle);
	CHECK(dlsym(RTLD_DEFAULT, "only_here") != NULL);
	CHECK(dlsym(RTLD_DEFAULT, "common_name") == (void *)common_name);
	void *program = dlopen(NULL, RTLD_NOW);
	CHECK(program && dlsym(program, "plugins_value") == (void *)&plugins_value);
	CHECK(dlclose(handle) == 0 && dlclose(handle) == 0 && dlclose(handle) == 0);
	CHECK(dlclose(handle) != 0 && dlerror() != NULL);
	void *math = dlopen("libm.so.6", RTLD_NOW);
	double (*cosine)(double) = (double (*)(double))dlsym(math, "cos");
	CHECK(math && cosine && cosine(0.0) == 1.0);
	return check_end("plugins");
}
