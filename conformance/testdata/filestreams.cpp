// Streams of C++ that are never flushed, and stay open: for jobs that are killed and go on. Arguments: rounds, a directory.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mpi.h>
#include <sstream>
#include <string>
#include <unistd.h>

static int rank_;

static void check(bool good, const char *what, int round)
{
	if (good)
		return;
	std::cerr << "FAIL filestreams: rank " << rank_ << " round " << round << ": " << what << std::endl;
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static std::string line(int round)
{
	return "rank " + std::to_string(rank_) + " round " + std::to_string(round);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
	const int rounds = std::atoi(argv[1]);
	const std::string base = std::string(argv[2]) + "/rank" + std::to_string(rank_);
	std::ofstream out(base + ".out"), app(base + ".app", std::ios::app);
	std::fstream both(base + ".both", std::ios::in | std::ios::out | std::ios::trunc | std::ios::binary);
	std::stringstream memory;
	for (int round = 0; round < rounds; round++) {
		out << line(round) << '\n';
		app << line(round) << '\n';
		memory << line(round) << '\n';
		both.seekp(0, std::ios::end);
		both.write(reinterpret_cast<char *>(&round), sizeof round);
		both.seekg((round / 2) * sizeof round);
		int seen = -1;
		both.read(reinterpret_cast<char *>(&seen), sizeof seen);
		check(both.good() && seen == round / 2, "read back", round);
		usleep(5000);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	out.close();
	app.close();
	for (const char *kind : {".out", ".app"}) {
		std::ifstream in(base + kind);
		std::string text;
		int round = 0;
		for (; std::getline(in, text); round++)
			check(text == line(round), kind, round);
		check(round == rounds, "lines", round);
	}
	check(static_cast<int>(memory.str().size()) > rounds, "memory", rounds);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank_ == 0)
		std::cout << "PASS filestreams" << std::endl;
	MPI_Finalize();
}
