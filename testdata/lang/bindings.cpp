/* Do the C++ bindings work in a program of several files and a shared library, beside files that do without them? */
// build: $CC -c -o one.o bindings.cpp && $CC -DPART -c -o two.o bindings.cpp && $CC -DPLAIN -DMPICH_SKIP_MPICXX -c -o three.o bindings.cpp && $CC -DLIBRARY -shared -fPIC -o libfour.so bindings.cpp && $CC one.o two.o three.o -L. -lfour -Wl,-rpath,'$ORIGIN'
#if defined(PLAIN)
#include <mpi.h>

struct MPI {
	int size;
};

int size_in_c(void)
{
	MPI m;

	MPI_Comm_size(MPI_COMM_WORLD, &m.size);
	return m.size;
}

#elif defined(PART)
#include <mpi.h>

const void *part_world = &MPI::COMM_WORLD;

static void add(const void *in, void *inout, int n, const MPI::Datatype &)
{
	for (int i = 0; i < n; i++)
		static_cast<int *>(inout)[i] += static_cast<const int *>(in)[i];
}

int part_sum(MPI::Comm &comm, int mine)
{
	MPI::Op op;
	int sum = 0;

	op.Init(add, true);
	comm.Allreduce(&mine, &sum, 1, MPI::INT, op);
	op.Free();
	return sum;
}

#elif defined(LIBRARY)
#include <mpi.h>

const void *library_world() { return &MPI::COMM_WORLD; }

/* Thrown here, caught in the program. */
void library_fails(MPI::Comm &comm)
{
	comm.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
	comm.Send(0, 0, MPI::INT, comm.Get_size(), 0);
}

#else
#include <mpi.h> /* with the bindings, which check.h does without */

#include "check.h"

extern const void *part_world;
int part_sum(MPI::Comm &comm, int mine);
int size_in_c(void);
const void *library_world();
void library_fails(MPI::Comm &comm);

static void minimum(const void *in, void *inout, int n, const MPI::Datatype &)
{
	for (int i = 0; i < n; i++)
		if (static_cast<const int *>(in)[i] < static_cast<int *>(inout)[i])
			static_cast<int *>(inout)[i] = static_cast<const int *>(in)[i];
}

int main(int argc, char **argv)
{
	int least = -1, thrown = MPI::SUCCESS;
	MPI::Op op;

	check_begin(&argc, &argv);
	CHECK(part_world == &MPI::COMM_WORLD && library_world() == &MPI::COMM_WORLD);
	CHECK(size_in_c() == MPI::COMM_WORLD.Get_size());
	MPI::Intracomm twin = MPI::COMM_WORLD.Dup();
	op.Init(minimum, true);
	CHECK(part_sum(twin, rank) == size * (size - 1) / 2);
	twin.Allreduce(&rank, &least, 1, MPI::INT, op);
	CHECK(least == 0);
	try {
		library_fails(twin);
	} catch (MPI::Exception &e) {
		thrown = e.Get_error_class();
	}
	CHECK(thrown == MPI::ERR_RANK);
	op.Free();
	twin.Free();
	return check_end("bindings");
}
#endif
