// Are static constructors run once per rank before main, destructors once after, in order, function statics on first use?
#include "check.h"

#include <map>
#include <string>
#include <vector>

static std::string log_of_rank = "";

struct Noisy {
	explicit Noisy(const char *n) : name(n) { log_of_rank += std::string("+") + name; }
	~Noisy();
	const char *name;
};

// The last destructor checks all: it runs after main and may change the exit code.
static int expected_exit = 3;
Noisy::~Noisy()
{
	log_of_rank += std::string("-") + name;
	if (std::string(name) != "a")
		return;
	if (log_of_rank != "+a+b+c+local-local-c-b-a") {
		std::fprintf(stderr, "FAIL constructors: %s\n", log_of_rank.c_str());
		std::_Exit(expected_exit);
	}
}

static Noisy a("a"), b("b");
static std::map<int, std::vector<std::string>> table{{1, {"one", "uno"}}, {2, {"two"}}};
static Noisy c("c");

static int use_local()
{
	static Noisy local("local");
	static int uses = 0;
	return ++uses;
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	CHECK(log_of_rank == "+a+b+c");
	CHECK(table.size() == 2 && table[1][1] == "uno");
	check_others_run();
	for (int i = 0; i <= rank % 3; i++)
		use_local();
	table[rank + 10].push_back("mine");
	check_others_run();
	CHECK(use_local() == rank % 3 + 2);
	CHECK(table.size() == 3 && table.rbegin()->first == rank + 10);
	CHECK(log_of_rank == "+a+b+c+local");
	return check_end("constructors");
}
