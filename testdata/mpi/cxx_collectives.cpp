/* Do the collectives of the C++ bindings work, with types and operations of C++ and with the program's own? */
#include "check.h"

#include <complex>

/* Composition of maps x -> a x + b: associative, not commutative. */
struct Map {
	long a, b;
};

static void compose(const void *in, void *inout, int n, const MPI::Datatype &datatype)
{
	const Map *first = static_cast<const Map *>(in);
	Map *second = static_cast<Map *>(inout);

	CHECK_INT(datatype.Get_size(), (int)sizeof(Map));
	for (int i = 0; i < n; i++) {
		Map m = {first[i].a * second[i].a, second[i].a * first[i].b + second[i].b};
		second[i] = m;
	}
}

static void maximum(const void *in, void *inout, int n, const MPI::Datatype &)
{
	for (int i = 0; i < n; i++)
		if (static_cast<const int *>(in)[i] > static_cast<int *>(inout)[i])
			static_cast<int *>(inout)[i] = static_cast<const int *>(in)[i];
}

static void own_operations(const MPI::Intracomm &comm)
{
	MPI::Datatype pair = MPI::LONG.Create_contiguous(2);
	MPI::Op composition, largest, again;
	Map mine = {2, rank}, all = {0, 0}, want = {1, 0};
	int number = rank * 7 % 5, most = -1, reference = -1;

	pair.Commit();
	composition.Init(compose, false);
	largest.Init(maximum, true);
	again.Init(maximum, true);
	CHECK(!composition.Is_commutative() && largest.Is_commutative());
	comm.Allreduce(&mine, &all, 1, pair, composition);
	for (int i = 0; i < size; i++) {
		want.b = 2 * want.b + i;
		want.a *= 2;
		if (i == rank) {
			Map part = {0, 0};
			comm.Scan(&mine, &part, 1, pair, composition);
			CHECK(part.a == want.a && part.b == want.b);
		}
	}
	CHECK(all.a == want.a && all.b == want.b);
	comm.Allreduce(&number, &most, 1, MPI::INT, largest);
	comm.Allreduce(&number, &reference, 1, MPI::INT, MPI::MAX);
	CHECK_INT(most, reference);
	most = 3;
	number = 4;
	again.Reduce_local(&number, &most, 1, MPI::INT);
	CHECK_INT(most, 4);
	composition.Free();
	largest.Free();
	again.Free();
	CHECK(again == MPI::OP_NULL);
	pair.Free();
}

static void types_of_cxx(const MPI::Comm &comm)
{
	bool mine = rank == 0, any = false, every = true;
	std::complex<float> f(1, rank), product;
	std::complex<double> d(rank, 1), sum;
	std::complex<long double> l(1, 0), same;

	comm.Allreduce(&mine, &any, 1, MPI::BOOL, MPI::LOR);
	comm.Allreduce(&mine, &every, 1, MPI::BOOL, MPI::LAND);
	CHECK(any && every == (size == 1));
	comm.Allreduce(&f, &product, 1, MPI::COMPLEX, MPI::PROD);
	comm.Allreduce(&d, &sum, 1, MPI::DOUBLE_COMPLEX, MPI::SUM);
	comm.Allreduce(&l, &same, 1, MPI::LONG_DOUBLE_COMPLEX, MPI::PROD);
	CHECK(size > 2 || product == std::complex<float>(1, rank < size ? size - 1 : 0));
	CHECK(sum == std::complex<double>(size * (size - 1) / 2, size));
	CHECK(same == l);
}

static void moving(const MPI::Comm &comm)
{
	int *all = new int[size], *back = new int[size], *counts = new int[size], *displs = new int[size], mine = rank, got = -1, token = 0;
	MPI::Datatype *types = new MPI::Datatype[size];

	for (int i = 0; i < size; i++) {
		counts[i] = 1;
		displs[i] = i;
		types[i] = MPI::INT;
	}
	comm.Allgather(&mine, 1, MPI::INT, all, 1, MPI::INT);
	CHECK_INT(all[size - 1], size - 1);
	comm.Allgatherv(&mine, 1, MPI::INT, all, counts, displs, MPI::INT);
	for (int i = 0; i < size; i++)
		all[i] = 100 * rank + i;
	comm.Alltoall(all, 1, MPI::INT, back, 1, MPI::INT);
	CHECK_INT(back[size - 1], 100 * (size - 1) + rank);
	comm.Alltoallv(all, counts, displs, MPI::INT, back, counts, displs, MPI::INT);
	CHECK_INT(back[0], rank);
	for (int i = 0; i < size; i++)
		displs[i] = i * (int)sizeof(int);
	comm.Alltoallw(all, counts, displs, types, back, counts, displs, types);
	CHECK_INT(back[size - 1], 100 * (size - 1) + rank);
	comm.Scatter(all, 1, MPI::INT, &got, 1, MPI::INT, size - 1);
	CHECK_INT(got, 100 * (size - 1) + rank);
	comm.Gather(&rank, 1, MPI::INT, all, 1, MPI::INT, 0);
	CHECK(rank != 0 || all[size - 1] == size - 1);
	comm.Reduce_scatter(back, &got, counts, MPI::INT, MPI::MIN);
	comm.Reduce(rank == 0 ? MPI::IN_PLACE : &mine, rank == 0 ? &mine : NULL, 1, MPI::INT, MPI::SUM, 0);
	CHECK(rank != 0 || mine == size * (size - 1) / 2);
	token = rank == size - 1 ? 42 : 0;
	comm.Bcast(&token, 1, MPI::INT, size - 1);
	CHECK_INT(token, 42);
	delete[] all;
	delete[] back;
	delete[] counts;
	delete[] displs;
	delete[] types;
}

int main()
{
	MPI::Init();
	rank = MPI::COMM_WORLD.Get_rank();
	size = MPI::COMM_WORLD.Get_size();
	own_operations(MPI::COMM_WORLD);
	types_of_cxx(MPI::COMM_WORLD);
	moving(MPI::COMM_WORLD);
	return check_end("cxx_collectives");
}
