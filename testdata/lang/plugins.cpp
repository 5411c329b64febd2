/* Do C++ exceptions pass between the program and a library that it opens at run time? */
// build: $CC -shared -fPIC -o thrower.so plugins_thrower.cpp && $CC plugins.cpp -ldl    run: in the directory of thrower.so
#include "check.h"
#include <dlfcn.h>
#include <stdexcept>
#include <string>

static void throw_back(int n)
{
	throw std::logic_error("+" + std::to_string(n));
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	void *handle = dlopen("./thrower.so", RTLD_NOW);
	if (!handle) {
		fprintf(stderr, "FAIL %s\n", dlerror());
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	auto thrower = (void (*)(int))dlsym(handle, "thrower_throw");
	auto call = (int (*)(void (*)(int), int))dlsym(handle, "thrower_call");
	auto words = (const char *(*)())dlsym(handle, "thrower_words");
	CHECK(thrower && call && words);
	std::string text;
	try {
		thrower(rank);
	} catch (const std::exception &e) {
		text = e.what();
	}
	CHECK(text == "from the plugin " + std::to_string(rank));
	CHECK(call(throw_back, rank) == 102);
	check_others_run();
	CHECK(call(throw_back, rank) == 104);
	CHECK(words() == "local+" + std::to_string(rank) + "+" + std::to_string(rank));
	return check_end("plugins_throw");
}
