// Do exceptions, casts and unique objects of C++ work across a program, a library it is linked with and one that it opens, while ranks wait?
// build: $CC -shared -fPIC -o libcxx_part.so cxx_libraries_part.cpp && $CC -shared -fPIC -DPLUGIN -o cxx_plugin.so cxx_libraries_part.cpp && $CC cxx_libraries.cpp -L. -lcxx_part -Wl,-rpath,'$ORIGIN' -ldl    run: in the directory of cxx_plugin.so
#include "check.h"
#include "cxx_libraries.h"

#include <algorithm>
#include <dlfcn.h>
#include <mutex>
#include <vector>

extern "C" {
void linked_throw(int rank);
void linked_call(Callback f, int depth);
void linked_translate(Callback f);
Shape *linked_shape(int square);
int linked_is_square(Shape *s);
int *linked_count();
int *linked_entries();
int *linked_inline();
}

namespace {

// The same functions of either library.
struct Part {
	void (*raise)(int rank) = linked_throw;
	void (*call)(Callback f, int depth) = linked_call;
	void (*translate)(Callback f) = linked_translate;
	Shape *(*shape)(int square) = linked_shape;
	int (*is_square)(Shape *s) = linked_is_square;
	int *(*count)() = linked_count, *(*entries)() = linked_entries, *(*in_line)() = linked_inline;
};

template <class F> void find(void *library, const char *name, F &f)
{
	f = reinterpret_cast<F>(dlsym(library, name));
	CHECK(f);
}

Part opened()
{
	Part p;
	void *library = dlopen("./cxx_plugin.so", RTLD_NOW);
	CHECK(library);
	find(library, "plugin_throw", p.raise);
	find(library, "plugin_call", p.call);
	find(library, "plugin_translate", p.translate);
	find(library, "plugin_shape", p.shape);
	find(library, "plugin_is_square", p.is_square);
	find(library, "plugin_count", p.count);
	find(library, "plugin_entries", p.entries);
	find(library, "plugin_inline", p.in_line);
	return p;
}

Part linked, plugin;

// Waits while an exception that the rank has not caught yet is in flight, in a destructor.
struct Waits {
	~Waits()
	{
		CHECK(std::uncaught_exceptions() == 1);
		check_others_run();
	}
};

void ping(int depth)
{
	Waits waits;
	if (depth == 0)
		throw Error("from the depth", rank);
	(depth % 2 ? linked : plugin).call(ping, depth - 1);
}

void thrown()
{
	for (Part *p : {&linked, &plugin}) {
		int before = *p->count();
		try {
			p->raise(rank);
			CHECK(!"not reached");
		} catch (const Error &e) {
			check_others_run();
			CHECK(e.rank == rank && std::string(e.what()).find("thread_local") != std::string::npos);
		}
		CHECK(*p->count() == before + 1);
	}
	try {
		ping(4);
		CHECK(!"not reached");
	} catch (const std::runtime_error &e) {
		CHECK(dynamic_cast<const Error &>(e).rank == rank);
	}
	try {
		plugin.translate([](int) { linked.translate([](int) { throw std::out_of_range("far"); }); });
		CHECK(!"not reached");
	} catch (const Error &e) {
		check_others_run();
		CHECK(e.what() == std::string("translated translated far"));
		try {
			std::rethrow_if_nested(e);
		} catch (const Error &inner) {
			CHECK(inner.what() == std::string("translated far"));
		}
	}
}

void throws(MPI_Comm *, int *code, ...) { throw Error("in MPI", *code); }

// Through functions of the C library, the C++ library and MPI.
void through_others()
{
	int values[] = {3, 1, 2}, caught = 0;
	try {
		qsort(values, 3, sizeof(int), [](const void *, const void *) -> int { throw Error("in qsort", rank); });
	} catch (const Error &e) {
		caught += e.rank == rank;
	}
	try {
		std::sort(values, values + 3, [](int, int) -> bool { throw 5; });
	} catch (int n) {
		caught += n == 5;
	}
	std::once_flag once;
	try {
		std::call_once(once, [] { linked.raise(rank); });
	} catch (const Error &e) {
		caught += e.rank == rank;
	}
	std::call_once(once, [&] { caught++; });
	MPI_Errhandler handler;
	MPI_Comm_create_errhandler(throws, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	for (int i = 0; i < 3; i++)
		try {
			MPI_Send(values, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
		} catch (const Error &e) {
			int error_class = 0;
			MPI_Error_class(e.rank, &error_class);
			caught += error_class == MPI_ERR_RANK;
			check_others_run();
		}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&handler);
	CHECK(caught == 7);
}

void shared_objects()
{
	for (Part *p : {&linked, &plugin})
		for (int square = 0; square < 2; square++) {
			Shape *s = p->shape(square);
			CHECK((dynamic_cast<Square *>(s) != nullptr) == (square == 1) && typeid(*s) == (square ? typeid(Square) : typeid(Shape)));
			CHECK(linked.is_square(s) == square && plugin.is_square(s) == square && s->sides() == 4 * square);
			delete s;
		}
	int *here = &Registry<int>::count();
	CHECK(here == linked.count() && here == plugin.count());
	CHECK(&Registry<int>::entries == linked.entries() && &Registry<int>::entries == plugin.entries());
	CHECK(&inline_variable == linked.in_line() && &inline_variable == plugin.in_line());
	inline_variable = rank;
	check_others_run();
	CHECK(*plugin.in_line() == rank);
}

} // namespace

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	plugin = opened();
	shared_objects();
	thrown();
	through_others();
	return check_end("cxx_libraries");
}
