// Do exceptions work when every rank has one in flight: across MPI calls, nested, rethrown, kept, from deep frames?
#include "check.h"

#include <exception>
#include <stdexcept>
#include <string>

namespace {

struct Mine {
	int rank, depth;
};

// Its destructor runs while the exception is on its way, and calls MPI.
struct Guard {
	explicit Guard(int *n) : count(n) {}
	~Guard()
	{
		(*count)++;
		check_others_run();
	}
	int *count;
};

int unwound;

void deep(int n)
{
	Guard guard(&unwound);
	if (n == 0)
		throw Mine{rank, 3};
	deep(n - 1);
}

void across_calls()
{
	unwound = 0;
	try {
		deep(3);
		CHECK(!"not reached");
	} catch (const Mine &m) {
		check_others_run();
		CHECK(m.rank == rank && m.depth == 3);
	}
	CHECK(unwound == 4);
}

void nested()
{
	try {
		try {
			throw std::runtime_error("inner " + std::to_string(rank));
		} catch (...) {
			check_others_run();
			CHECK(std::uncaught_exceptions() == 0);
			std::throw_with_nested(std::logic_error("outer " + std::to_string(rank)));
		}
	} catch (const std::logic_error &outer) {
		CHECK(outer.what() == "outer " + std::to_string(rank));
		check_others_run();
		try {
			std::rethrow_if_nested(outer);
			CHECK(!"not reached");
		} catch (const std::runtime_error &inner) {
			check_others_run();
			CHECK(inner.what() == "inner " + std::to_string(rank));
		}
	}
}

// Ranks leave their handlers in another order than they entered: each has its own stack of caught exceptions.
void out_of_order()
{
	try {
		throw rank;
	} catch (int mine) {
		for (int r = 0; r < size; r++) {
			if (r == size - 1 - rank) {
				try {
					throw std::string(static_cast<std::size_t>(rank + 1), 'x');
				} catch (const std::string &s) {
					MPI_Barrier(MPI_COMM_WORLD);
					CHECK(s.size() == static_cast<std::size_t>(rank) + 1);
				}
			} else {
				MPI_Barrier(MPI_COMM_WORLD);
			}
		}
		CHECK(mine == rank);
	}
}

void kept()
{
	std::exception_ptr later;
	try {
		throw Mine{rank, 9};
	} catch (...) {
		later = std::current_exception();
	}
	check_others_run();
	try {
		std::rethrow_exception(later);
	} catch (const Mine &m) {
		CHECK(m.rank == rank && m.depth == 9);
	}
}

} // namespace

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	for (int i = 0; i < 3; i++) {
		across_calls();
		nested();
		out_of_order();
		kept();
	}
	return check_end("exceptions");
}
