// Are thread_local objects made on first use in each rank, kept apart, and destroyed at exit?
#include "check.h"

#include <string>
#include <vector>

namespace {

int made, destroyed;

struct Counter {
	Counter() : value(1000) { made++; }
	~Counter()
	{
		destroyed++;
		if (made != 2 || destroyed > 2) {
			std::fprintf(stderr, "FAIL thread_local: %d made, %d destroyed\n", made, destroyed);
			std::_Exit(3);
		}
	}
	int value;
};

thread_local Counter first, second;
thread_local std::vector<std::string> words;
thread_local int plain = 5;

int &in_function()
{
	thread_local int calls = rank;
	return calls;
}

} // namespace

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	CHECK(plain == 5);
	first.value += rank;
	second.value -= rank;
	words.assign(static_cast<std::size_t>(rank + 1), "a word that is too long for the small string " + std::to_string(rank));
	plain *= rank;
	in_function() += 7;
	check_others_run();
	CHECK(first.value == 1000 + rank && second.value == 1000 - rank && plain == 5 * rank);
	CHECK(words.size() == static_cast<std::size_t>(rank) + 1 && words.back().back() == '0' + rank % 10);
	CHECK(in_function() == rank + 7 && made == 2 && destroyed == 0);
	return check_end("thread_local");
}
