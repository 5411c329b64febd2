/* Begins in one process and ends in another, loaded by ld.so in both. Exit code 40+rank says that all of it works. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

extern "C" int stage_yield(void);

static size_t (*length)(const char *) = std::strlen; /* of the process's library, elsewhere in the other process */
static int (*print)(FILE *, const char *, ...) = std::fprintf;
static double half(double x) { return x / 2; }
static double (*root)(double) = std::sqrt; /* changed by the program: has to stay changed */
static thread_local int local = 3;
static int global = 1, zero[100000];
static const char *const words[] = {"one", "two", "three"};

struct shape {
	virtual ~shape() {}
	virtual int corners() const = 0;
};
struct square : shape {
	int corners() const override { return 4; }
};

static int depth(int n)
{
	if (!n)
		throw std::range_error(words[2]);
	return depth(n - 1) + 1;
}

static int caught()
{
	try {
		return depth(5);
	} catch (const std::exception &e) {
		return static_cast<int>(length(e.what()));
	}
}

int main(int argc, char **argv)
{
	int rank = argc > 1 ? std::atoi(argv[1]) : 0;
	int *heap = static_cast<int *>(std::malloc(4000 * sizeof(int)));
	shape *s = new square;
	root = half;
	local += rank;
	global = zero[99999] = heap[3999] = 7 + rank;
	if (caught() != 5)
		return 9;
	stage_yield();
	if (local != 3 + rank || global != 7 + rank || zero[99999] != 7 + rank || heap[3999] != 7 + rank)
		return 10;
	if (root(8) != 4 || length(words[2]) != 5 || s->corners() != 4 || std::strcmp(argv[1], std::getenv("HERE") ? "" : argv[1]))
		return 11;
	if (caught() != 5)
		return 12;
	if (print(stdout, "rank %d\n", rank) != 7 || std::fflush(stdout))
		return 13;
	delete s;
	return 40 + rank;
}
