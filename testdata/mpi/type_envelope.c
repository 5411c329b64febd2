/* Can a derived type be taken apart again with Type_get_envelope and Type_get_contents? */
#include "check.h"

static void expect(MPI_Datatype type, int combiner, const int *ints, int n_ints, const MPI_Aint *places, int n_places, int n_types)
{
	int got_ints[10], ni, na, nt, got;
	MPI_Aint got_places[10];
	MPI_Datatype types[10];

	MPI_Type_get_envelope(type, &ni, &na, &nt, &got);
	CHECK_INT(got, combiner);
	CHECK_INT(ni, n_ints);
	CHECK_INT(na, n_places);
	CHECK_INT(nt, n_types);
	MPI_Type_get_contents(type, ni, na, nt, got_ints, got_places, types);
	for (int i = 0; i < ni; i++)
		CHECK_INT(got_ints[i], ints[i]);
	for (int i = 0; i < na; i++)
		CHECK_INT(got_places[i], places[i]);
	CHECK(types[0] == MPI_INT);
	MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
	int lengths[] = {1, 2}, places[] = {3, 0}, ni, na, nt, combiner;
	MPI_Aint bytes[] = {8, 0};
	MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, t;

	check_begin(&argc, &argv);
	MPI_Type_get_envelope(MPI_DOUBLE, &ni, &na, &nt, &combiner);
	CHECK_INT(combiner, MPI_COMBINER_NAMED);
	CHECK_INT(ni + na + nt, 0);
	MPI_Type_contiguous(7, MPI_INT, &t);
	expect(t, MPI_COMBINER_CONTIGUOUS, (int[]){7}, 1, NULL, 0, 1);
	MPI_Type_vector(3, 2, -4, MPI_INT, &t);
	expect(t, MPI_COMBINER_VECTOR, (int[]){3, 2, -4}, 3, NULL, 0, 1);
	MPI_Type_create_hvector(3, 2, 40, MPI_INT, &t);
	expect(t, MPI_COMBINER_HVECTOR, (int[]){3, 2}, 2, (MPI_Aint[]){40}, 1, 1);
	MPI_Type_indexed(2, lengths, places, MPI_INT, &t);
	expect(t, MPI_COMBINER_INDEXED, (int[]){2, 1, 2, 3, 0}, 5, NULL, 0, 1);
	MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t);
	expect(t, MPI_COMBINER_HINDEXED, (int[]){2, 1, 2}, 3, bytes, 2, 1);
	MPI_Type_create_indexed_block(2, 5, places, MPI_INT, &t);
	expect(t, MPI_COMBINER_INDEXED_BLOCK, (int[]){2, 5, 3, 0}, 4, NULL, 0, 1);
	MPI_Type_create_hindexed_block(2, 5, bytes, MPI_INT, &t);
	expect(t, MPI_COMBINER_HINDEXED_BLOCK, (int[]){2, 5}, 2, bytes, 2, 1);
	MPI_Type_create_struct(2, lengths, bytes, types, &t);
	expect(t, MPI_COMBINER_STRUCT, (int[]){2, 1, 2}, 3, bytes, 2, 2);
	MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 0}, MPI_ORDER_C, MPI_INT, &t);
	expect(t, MPI_COMBINER_SUBARRAY, (int[]){2, 4, 5, 2, 3, 1, 0, MPI_ORDER_C}, 8, NULL, 0, 1);
	MPI_Type_create_resized(MPI_INT, -4, 24, &t);
	expect(t, MPI_COMBINER_RESIZED, NULL, 0, (MPI_Aint[]){-4, 24}, 2, 1);
	MPI_Type_dup(MPI_INT, &t);
	expect(t, MPI_COMBINER_DUP, NULL, 0, NULL, 0, 1);
	return check_end("type_envelope");
}
