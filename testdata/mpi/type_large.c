/* Are counts, displacements and sizes beyond 2^31 right: in the calls with large counts, and seen from those without? */
#include "check.h"

#define BIG ((MPI_Count)1 << 33)

static void sizes(void)
{
	MPI_Datatype t;
	MPI_Count large, lb, extent;
	int n;

	MPI_Type_contiguous_c(BIG, MPI_INT, &t);
	MPI_Type_size_c(t, &large);
	CHECK_INT(large, 4 * BIG);
	MPI_Type_size_x(t, &large);
	CHECK_INT(large, 4 * BIG);
	MPI_Type_size(t, &n);
	CHECK_INT(n, MPI_UNDEFINED);
	MPI_Type_get_extent_c(t, &lb, &extent);
	CHECK_INT(lb, 0);
	CHECK_INT(extent, 4 * BIG);
	MPI_Type_get_true_extent_c(t, &lb, &extent);
	CHECK_INT(extent, 4 * BIG);
	MPI_Type_free(&t);

	MPI_Type_vector_c(3, 2, BIG, MPI_DOUBLE, &t);
	MPI_Type_size(t, &n);
	CHECK_INT(n, 48);
	MPI_Type_get_extent_x(t, &lb, &extent);
	CHECK_INT(extent, 16 * BIG + 16);
	MPI_Type_free(&t);
}

/* Two ints 8 GiB and a bit apart in address space: the struct's displacements do not fit an int. */
static void far_struct(void)
{
	int lengths[] = {1, 1, 1}, out[] = {1, 2, 3}, in[3] = {0};
	MPI_Aint at[] = {BIG, -BIG, 0}, lb, extent;
	MPI_Datatype types[] = {MPI_INT, MPI_SHORT, MPI_CHAR}, t;
	int n;

	MPI_Type_create_struct(3, lengths, at, types, &t);
	MPI_Type_size(t, &n);
	CHECK_INT(n, 7);
	MPI_Type_get_extent(t, &lb, &extent);
	CHECK_INT(lb, -BIG);
	CHECK_INT(extent, 2 * BIG + 4);
	MPI_Type_free(&t);

	for (int i = 0; i < 3; i++)
		MPI_Get_address(&out[2 - i], &at[i]);
	MPI_Type_create_hindexed(3, lengths, at, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_Sendrecv(MPI_BOTTOM, 1, t, rank, 0, in, 3, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE);
	CHECK(in[0] == 3 && in[1] == 2 && in[2] == 1);
	MPI_Sendrecv(in, 3, MPI_INT, rank, 0, MPI_BOTTOM, 1, t, rank, 0, WORLD, MPI_STATUS_IGNORE);
	CHECK(out[0] == 1 && out[1] == 2 && out[2] == 3);
	MPI_Type_free(&t);
	CHECK_INT(MPI_Aint_diff(at[0], at[2]), 8);
	CHECK_INT(MPI_Aint_add(at[2], 8), at[0]);
}

static void elements(void)
{
	MPI_Status status;
	MPI_Datatype t, types[] = {MPI_INT, MPI_DOUBLE};
	MPI_Aint at[] = {0, 8};
	MPI_Count large;
	int n, lengths[] = {1, 1};

	MPI_Type_create_struct(2, lengths, at, types, &t);
	MPI_Type_commit(&t);
	MPI_Status_set_elements_x(&status, MPI_BYTE, BIG + 1);
	MPI_Get_elements_x(&status, MPI_BYTE, &large);
	CHECK_INT(large, BIG + 1);
	MPI_Get_elements(&status, MPI_BYTE, &n);
	CHECK_INT(n, MPI_UNDEFINED);
	MPI_Get_count(&status, MPI_BYTE, &n);
	CHECK_INT(n, MPI_UNDEFINED);
	MPI_Status_set_elements(&status, t, 5);
	MPI_Get_elements(&status, t, &n);
	CHECK_INT(n, 5);
	MPI_Get_count(&status, t, &n);
	CHECK_INT(n, MPI_UNDEFINED);
	MPI_Status_set_elements_x(&status, t, 6);
	MPI_Get_count(&status, t, &n);
	CHECK_INT(n, 3);
	MPI_Type_free(&t);
}

static void contents(void)
{
	MPI_Count lengths[] = {1, BIG}, at[] = {-5, BIG}, got[8];
	MPI_Aint addresses[1];
	MPI_Count ni, na, nc, nt;
	MPI_Datatype t, types[1];
	int combiner, ints[1];

	MPI_Type_indexed_c(2, lengths, at, MPI_INT, &t);
	MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nt, &combiner);
	CHECK_INT(combiner, MPI_COMBINER_INDEXED);
	CHECK_INT(ni, 0);
	CHECK_INT(na, 0);
	CHECK_INT(nc, 5);
	CHECK_INT(nt, 1);
	MPI_Type_get_contents_c(t, 0, 0, 5, 1, ints, addresses, got, types);
	CHECK(got[0] == 2 && got[1] == 1 && got[2] == BIG && got[3] == -5 && got[4] == BIG);
	CHECK(types[0] == MPI_INT);
	MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	sizes();
	far_struct();
	elements();
	contents();
	return check_end("type_large");
}
