// The libraries of cxx_libraries.cpp: one it is linked with, and with -DPLUGIN one that it opens.
#include "cxx_libraries.h"

#ifdef PLUGIN
#define NAME(x) plugin_##x
#else
#define NAME(x) linked_##x
#endif

namespace {
struct Guard {
	~Guard() { Registry<int>::count()++; }
};
thread_local std::string text = "a thread_local text that is too long for the object itself";
} // namespace

extern "C" {

void NAME(throw)(int rank)
{
	Guard guard;
	throw Error(text, rank);
}

// Calls back, and lets what is thrown there pass, with a destructor on the way.
void NAME(call)(Callback f, int depth)
{
	Guard guard;
	f(depth);
}

// Catches by a base class, and throws something else.
void NAME(translate)(Callback f)
{
	try {
		f(1);
	} catch (const std::exception &e) {
		std::throw_with_nested(Error(std::string("translated ") + e.what(), -1));
	}
}

Shape *NAME(shape)(int square) { return square ? new Square : new Shape; }
int NAME(is_square)(Shape *s) { return dynamic_cast<Square *>(s) != nullptr; }
int *NAME(count)() { return &Registry<int>::count(); }
int *NAME(entries)() { return &Registry<int>::entries; }
int *NAME(inline)() { return &inline_variable; }

} // extern "C"
