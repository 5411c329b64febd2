// Have iostreams private state in each rank: format flags, string streams, files, locale; and std::random?
#include "check.h"

#include <fstream>
#include <iomanip>
#include <iostream>
#include <random>
#include <sstream>

namespace {

void flags()
{
	std::cout << std::setprecision(3 + rank % 10);
	if (rank % 2)
		std::cout << std::hex << std::showbase;
	check_others_run();
	CHECK(std::cout.precision() == 3 + rank % 10);
	CHECK(((std::cout.flags() & std::ios::hex) != 0) == (rank % 2 != 0));
	std::cout << std::dec;
}

// What goes to cout through a buffer of our own is ours.
void redirected()
{
	std::ostringstream mine;
	std::streambuf *old = std::cout.rdbuf(mine.rdbuf());
	std::cout << "rank " << rank;
	check_others_run();
	std::cout << " of " << size << std::endl;
	std::cout.rdbuf(old);
	std::istringstream in(mine.str());
	std::string word;
	int r = -1;
	in >> word >> r;
	CHECK(word == "rank" && r == rank);
}

void files()
{
	std::string name = "/tmp/iostreams." + std::to_string(rank) + "." + std::to_string(std::random_device{}());
	{
		std::fstream file(name, std::ios::in | std::ios::out | std::ios::trunc);
		for (int i = 0; i < 50; i++)
			file << rank << ' ' << i << '\n';
		check_others_run();
		file.seekg(0);
		int a, b, n = 0;
		while (file >> a >> b)
			CHECK(a == rank && b == n++);
		CHECK(n == 50);
	}
	std::remove(name.c_str());
}

void generators()
{
	static std::mt19937 engine(5489u);
	for (int i = 0; i < 9999; i++) {
		engine();
		if (i % 3000 == 0)
			check_others_run();
	}
	CHECK(engine() == 4123659995u); // the standard's ten thousandth number
}

} // namespace

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	flags();
	redirected();
	files();
	generators();
	std::cout.flush();
	return check_end("iostreams");
}
