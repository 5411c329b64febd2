// A program with an operator new of its own, one with alignment that it has from the library, and classes with theirs.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

static long made, gone;

void *operator new(std::size_t n)
{
	made++;
	if (void *p = std::malloc(n + 64)) // it keeps a head of its own before each block
		return static_cast<char *>(p) + 64;
	throw std::bad_alloc();
}

void operator delete(void *p) noexcept
{
	if (p)
		gone++, std::free(static_cast<char *>(p) - 64);
}

void operator delete(void *p, std::size_t) noexcept { operator delete(p); }

struct alignas(256) Wide {
	char bytes[512];
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int bad = 0;
	for (int i = 0; i < 1000; i++) {
		auto wide = std::make_unique<Wide>();
		bad += reinterpret_cast<std::uintptr_t>(wide.get()) % 256 != 0;
		std::vector<std::string> names(20, std::string(100, 'x'));
		bad += names[19].size() != 100;
	}
	try {
		std::vector<char> huge(std::size_t(1) << 60);
		bad++;
	} catch (const std::bad_alloc &) {
	}
	bad += made < 20000 || made - gone > 100;
	int all;
	MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (all == 0)
		std::printf("PASS new\n");
	MPI_Finalize();
	return all != 0;
}
