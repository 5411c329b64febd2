// Does a job go on from a checkpoint whose ranks have streams and exceptions of C++, and is none made while a file is open? The first run ends
// with code 3 behind the checkpoint.
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "moves.h"

static int save(void)
{
	MPI_Info info;
	MPI_Info_create(&info);
	MPI_Info_set(info, "ampi_checkpoint", "to_file=anywhere");
	int error = AMPI_Migrate(info);
	MPI_Info_free(&info);
	return error;
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	std::ostringstream kept;
	std::exception_ptr later;
	kept << "rank " << rank;
	try {
		throw std::runtime_error("kept");
	} catch (...) {
		later = std::current_exception();
	}
	FILE *f = rank == 1 ? fopen("saved.open", "w") : NULL;
	save();
	if (f)
		fclose(f);
	MPI_Barrier(WORLD);
	int was = getpid();
	CHECK_INT(save(), MPI_SUCCESS);
	MPI_Barrier(WORLD);
	if (getpid() == was)
		exit(3);
	kept << " goes on";
	CHECK(kept.str() == "rank " + std::to_string(rank) + " goes on");
	try {
		std::rethrow_exception(later);
	} catch (const std::runtime_error &e) {
		CHECK(std::string(e.what()) == "kept");
	}
	CHECK(moves());
	std::cout << kept.str() << std::endl;
	return check_end("saved");
}
