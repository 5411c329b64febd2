// mappings.c in C++, with its streams.
#include <mpi.h>

#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		std::ifstream maps("/proc/self/maps");
		int n = 0;
		for (std::string line; std::getline(maps, line);)
			n++;
		std::cout << "mappings " << n << std::endl;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}
