/* Does every datatype constructor with large counts make the type that the one with small counts makes, keep its arguments, and give
 * them back as large counts only? */
#include "check.h"

#define ROOM 4096 /* ints that a type may span, on both sides of where it begins */

static int buffer[2 * ROOM];
static char narrow_bytes[8 * ROOM], wide_bytes[8 * ROOM];

static int packed(MPI_Datatype t, char *bytes)
{
	int at = 0;

	MPI_Type_commit(&t);
	MPI_Pack(buffer + ROOM, 2, t, bytes, 8 * ROOM, &at, WORLD);
	return at;
}

static void same_layout(MPI_Datatype narrow, MPI_Datatype wide)
{
	MPI_Aint lb, extent;
	MPI_Count size, large_lb, large_extent;
	int n, bytes;

	MPI_Type_size(narrow, &n);
	MPI_Type_size_c(wide, &size);
	CHECK_INT(size, n);
	MPI_Type_get_extent(narrow, &lb, &extent);
	MPI_Type_get_extent_c(wide, &large_lb, &large_extent);
	CHECK_INT(large_lb, lb);
	CHECK_INT(large_extent, extent);
	MPI_Type_get_true_extent(narrow, &lb, &extent);
	MPI_Type_get_true_extent_c(wide, &large_lb, &large_extent);
	CHECK_INT(large_lb, lb);
	CHECK_INT(large_extent, extent);
	MPI_Type_get_true_extent_x(wide, &large_lb, &large_extent);
	CHECK_INT(large_lb, lb);
	CHECK_INT(large_extent, extent);
	bytes = packed(narrow, narrow_bytes);
	CHECK_INT(packed(wide, wide_bytes), bytes);
	CHECK(!memcmp(narrow_bytes, wide_bytes, bytes));
}

/* Integers of the standard, and large counts in their order; one type. */
static void contents(MPI_Datatype t, int combiner, MPI_Count n_ints, const int *ints, MPI_Count n_counts, const MPI_Count *counts)
{
	int got_combiner, got_ints[20];
	MPI_Aint addresses[1];
	MPI_Count ni, na, nc, nt, got_counts[20];
	MPI_Datatype types[20];

	MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nt, &got_combiner);
	CHECK_INT(got_combiner, combiner);
	CHECK_INT(ni, n_ints);
	CHECK_INT(na, 0);
	CHECK_INT(nc, n_counts);
	CHECK(nt >= 1);
	MPI_Type_get_contents_c(t, ni, na, nc, nt, got_ints, addresses, got_counts, types);
	for (int i = 0; i < ni; i++)
		CHECK_INT(got_ints[i], ints[i]);
	for (int i = 0; i < nc; i++)
		CHECK_INT(got_counts[i], counts[i]);
	CHECK(types[0] == MPI_INT);
}

/* The calls without large counts cannot tell of such a type. */
static void not_small(MPI_Datatype t)
{
	int ni, na, nt, combiner, ints[20];
	MPI_Aint addresses[20];
	MPI_Datatype types[20];

	CHECK(MPI_Type_get_envelope(t, &ni, &na, &nt, &combiner) != MPI_SUCCESS);
	CHECK(MPI_Type_get_contents(t, 20, 20, 20, ints, addresses, types) != MPI_SUCCESS);
}

#define INTS(...) LEN(((int[]){__VA_ARGS__})), (int[]){__VA_ARGS__}
#define NO_INTS 0, NULL
#define COUNTS(...) LEN(((MPI_Count[]){__VA_ARGS__})), (MPI_Count[]){__VA_ARGS__}

/* narrow and wide are the arguments of the constructor without and with large counts, without the new type. */
#define COMPARE(Name, COMBINER, narrow_args, wide_args, ints, counts)                                                                   \
	do {                                                                                                                            \
		MPI_Datatype narrow, wide;                                                                                              \
		MPI_Type_##Name narrow_args;                                                                                            \
		MPI_Type_##Name##_c wide_args;                                                                                          \
		same_layout(narrow, wide);                                                                                              \
		contents(wide, MPI_COMBINER_##COMBINER, ints, counts);                                                                  \
		not_small(wide);                                                                                                        \
		MPI_Type_free(&narrow);                                                                                                 \
		MPI_Type_free(&wide);                                                                                                   \
	} while (0)

static void blocks(void)
{
	static const int lengths[] = {1, 2, 3}, places[] = {9, -4, 0};
	static const MPI_Aint at[] = {36, -16, 0};
	static const MPI_Count long_lengths[] = {1, 2, 3}, long_places[] = {9, -4, 0}, long_at[] = {36, -16, 0};

	COMPARE(contiguous, CONTIGUOUS, (7, MPI_INT, &narrow), (7, MPI_INT, &wide), NO_INTS, COUNTS(7));
	COMPARE(vector, VECTOR, (3, 2, -5, MPI_INT, &narrow), (3, 2, -5, MPI_INT, &wide), NO_INTS, COUNTS(3, 2, -5));
	COMPARE(create_hvector, HVECTOR, (3, 2, 40, MPI_INT, &narrow), (3, 2, 40, MPI_INT, &wide), NO_INTS, COUNTS(3, 2, 40));
	COMPARE(indexed, INDEXED, (3, lengths, places, MPI_INT, &narrow), (3, long_lengths, long_places, MPI_INT, &wide), NO_INTS,
		COUNTS(3, 1, 2, 3, 9, -4, 0));
	COMPARE(create_hindexed, HINDEXED, (3, lengths, at, MPI_INT, &narrow), (3, long_lengths, long_at, MPI_INT, &wide), NO_INTS,
		COUNTS(3, 1, 2, 3, 36, -16, 0));
	COMPARE(create_indexed_block, INDEXED_BLOCK, (3, 4, places, MPI_INT, &narrow), (3, 4, long_places, MPI_INT, &wide), NO_INTS,
		COUNTS(3, 4, 9, -4, 0));
	COMPARE(create_hindexed_block, HINDEXED_BLOCK, (3, 4, at, MPI_INT, &narrow), (3, 4, long_at, MPI_INT, &wide), NO_INTS,
		COUNTS(3, 4, 36, -16, 0));
	COMPARE(create_resized, RESIZED, (MPI_INT, -4, 24, &narrow), (MPI_INT, -4, 24, &wide), NO_INTS, COUNTS(-4, 24));
}

static void structs(void)
{
	static const int lengths[] = {1, 2, 3};
	static const MPI_Aint at[] = {36, -16, 0};
	static const MPI_Count long_lengths[] = {1, 2, 3}, long_at[] = {36, -16, 0};
	MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};

	COMPARE(create_struct, STRUCT, (3, lengths, at, types, &narrow), (3, long_lengths, long_at, types, &wide), NO_INTS,
		COUNTS(3, 1, 2, 3, 36, -16, 0));
}

static void arrays(int order)
{
	static const int sizes[] = {6, 8}, parts[] = {2, 3}, starts[] = {1, 5}, distribs[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
	static const int args[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {2, 3};
	static const MPI_Count long_sizes[] = {6, 8}, long_parts[] = {2, 3}, long_starts[] = {1, 5};

	COMPARE(create_subarray, SUBARRAY, (2, sizes, parts, starts, order, MPI_INT, &narrow),
		(2, long_sizes, long_parts, long_starts, order, MPI_INT, &wide), INTS(2, order), COUNTS(6, 8, 2, 3, 1, 5));
	for (int place = 0; place < 6; place++)
		COMPARE(create_darray, DARRAY, (6, place, 2, sizes, distribs, args, grid, order, MPI_INT, &narrow),
			(6, place, 2, long_sizes, distribs, args, grid, order, MPI_INT, &wide),
			INTS(6, place, 2, distribs[0], distribs[1], args[0], args[1], 2, 3, order), COUNTS(6, 8));
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	check_fill(buffer, LEN(buffer), 1);
	blocks();
	structs();
	arrays(MPI_ORDER_C);
	arrays(MPI_ORDER_FORTRAN);
	return check_end("type_large_counts");
}
