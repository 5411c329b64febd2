/*
 * What size and bounds have nested types? Prints them for random constructions, which any two libraries must agree on, and
 * packs, unpacks and sends each of them: what was packed comes back where it was, and nowhere else.
 */
#include "check.h"

#define TYPES 300
#define ROOM (1 << 16)

static unsigned seed = 1;

static int below(int n)
{
	seed = seed * 1103515245 + 12345;
	return (int)((seed >> 16) & 0x7fff) % n;
}

static MPI_Datatype basic(void)
{
	MPI_Datatype all[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_LONG_LONG, MPI_FLOAT};
	return all[below(6)];
}

static MPI_Datatype make(int depth);

/* Members of structs have no explicit bounds: how those of one member and the data of others make the bounds of a struct is
 * what MPICH sees otherwise than the standard (MPI 5.0 section 5.1.6, lb_marker). */
static int plain;

static void some(int *a, int n, int low, int high)
{
	for (int i = 0; i < n; i++)
		a[i] = low + below(high - low + 1);
}

static MPI_Datatype make_struct(int depth)
{
	int n = 1 + below(3), lengths[4];
	MPI_Aint at[4], lb, extent, place = below(16);
	MPI_Datatype parts[4], t;

	some(lengths, n, 1, 3);
	plain++;
	for (int i = 0; i < n; i++) {
		parts[i] = make(depth - 1);
		MPI_Type_get_true_extent(parts[i], &lb, &extent);
		at[i] = place - lb;
		MPI_Type_get_extent(parts[i], &lb, &extent);
		place += lengths[i] * (extent > 0 ? extent : -extent) + below(24);
	}
	plain--;
	lengths[n] = 1; /* MPICH does not pad structs whose members are of one type */
	at[n] = place;
	parts[n] = MPI_CHAR;
	MPI_Type_create_struct(n + 1, lengths, at, parts, &t);
	for (int i = 0; i < n; i++) {
		int ints, addresses, types, combiner;
		MPI_Type_get_envelope(parts[i], &ints, &addresses, &types, &combiner);
		if (combiner != MPI_COMBINER_NAMED)
			MPI_Type_free(&parts[i]);
	}
	return t;
}

static MPI_Datatype make_subarray(MPI_Datatype old)
{
	int n = 1 + below(3), sizes[3], subsizes[3], starts[3];
	MPI_Datatype t;

	some(sizes, n, 2, 4);
	for (int i = 0; i < n; i++) {
		subsizes[i] = 1 + below(sizes[i]);
		starts[i] = below(sizes[i] - subsizes[i] + 1);
	}
	MPI_Type_create_subarray(n, sizes, subsizes, starts, below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, &t);
	return t;
}

static MPI_Datatype make_darray(MPI_Datatype old)
{
	int sizes[2], distributions[2], arguments[2], grid[2], procs = 1;
	MPI_Datatype t;

	some(sizes, 2, 6, 8); /* nobody goes without: MPICH forgets the bounds of empty types */
	for (int i = 0; i < 2; i++) {
		int kind = below(4);
		distributions[i] = kind == 0 ? MPI_DISTRIBUTE_NONE : kind == 1 ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
		arguments[i] = kind == 3 ? 1 + below(2) : MPI_DISTRIBUTE_DFLT_DARG;
		grid[i] = kind == 0 ? 1 : 1 + below(3);
		procs *= grid[i];
	}
	MPI_Type_create_darray(procs, below(procs), 2, sizes, distributions, arguments, grid, below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, &t);
	return t;
}

static MPI_Datatype make_blocks(MPI_Datatype old)
{
	int n = 1 + below(4), lengths[4], at[4];
	MPI_Aint bytes[4], lb, extent;
	MPI_Datatype t;

	some(lengths, n, 1, 3);
	MPI_Type_get_extent(old, &lb, &extent);
	for (int i = 0, place = below(5); i < n; i++) {
		at[i] = place;
		place += lengths[i] + below(4);
		bytes[i] = at[i] * extent;
	}
	switch (below(4)) {
	case 0:
		MPI_Type_indexed(n, lengths, at, old, &t);
		break;
	case 1:
		MPI_Type_create_hindexed(n, lengths, bytes, old, &t);
		break;
	case 2:
		MPI_Type_create_indexed_block(n, 1, at, old, &t);
		break;
	default:
		MPI_Type_create_hindexed_block(n, 1, bytes, old, &t);
	}
	return t;
}

static MPI_Datatype make_regular(MPI_Datatype old, int kind)
{
	MPI_Aint lb, extent;
	MPI_Datatype t;
	int length = 1 + below(3), stride = length + below(4);

	MPI_Type_get_extent(old, &lb, &extent);
	if (kind == 0)
		MPI_Type_contiguous(1 + below(4), old, &t);
	else if (kind == 1)
		MPI_Type_vector(1 + below(4), length, below(3) ? stride : -stride, old, &t);
	else if (kind == 2)
		MPI_Type_create_hvector(1 + below(4), length, stride * extent + below(2) * 8, old, &t);
	else
		MPI_Type_create_resized(old, lb - below(9), extent + 8 + below(20), &t);
	return t;
}

static MPI_Datatype make(int depth)
{
	MPI_Datatype old, t;
	int kind = plain ? (int[]){0, 1, 2, 4, 5}[below(5)] : below(8);

	if (depth == 0)
		return basic();
	if (kind == 4)
		return make_struct(depth);
	old = make(depth - 1);
	t = kind < 4 ? make_regular(old, kind) : kind == 5 ? make_blocks(old) : kind == 6 ? make_subarray(old) : make_darray(old);
	if (depth > 1)
		MPI_Type_free(&old);
	return t;
}

static char before[ROOM], after[ROOM], packed[ROOM], again[ROOM];

static void move(MPI_Datatype t, int n, MPI_Aint low, int bytes)
{
	int at = 0;
	char *from = before - low, *to = after - low;

	for (int i = 0; i < ROOM; i++)
		before[i] = (char)(1 + i % 127);
	memset(after, 0, ROOM);
	MPI_Pack(from, n, t, packed, ROOM, &at, WORLD);
	CHECK_INT(at, bytes);
	at = 0;
	MPI_Unpack(packed, bytes, &at, to, n, t, WORLD);
	CHECK_INT(at, bytes);
	at = 0;
	MPI_Pack(to, n, t, again, ROOM, &at, WORLD);
	CHECK(memcmp(packed, again, bytes) == 0);
	at = 0;
	for (int i = 0; i < ROOM; i++) {
		CHECK(after[i] == 0 || after[i] == before[i]);
		at += after[i] != 0;
	}
	CHECK(at <= bytes);
	memset(again, 0, bytes);
	MPI_Sendrecv(from, n, t, rank, 0, again, bytes, MPI_PACKED, rank, 0, WORLD, MPI_STATUS_IGNORE);
	CHECK(memcmp(packed, again, bytes) == 0);
	char *copy = malloc(ROOM);
	memset(copy, 0, ROOM);
	MPI_Sendrecv(from, n, t, rank, 0, copy - low, n, t, rank, 0, WORLD, MPI_STATUS_IGNORE);
	CHECK(memcmp(copy, after, ROOM) == 0);
	free(copy);
}

static void try(int number)
{
	MPI_Aint lb, extent, true_lb, true_extent, low, high;
	MPI_Datatype t = make(1 + below(4));
	int bytes, n = 1 + below(20);

	MPI_Type_commit(&t);
	MPI_Type_size(t, &bytes);
	MPI_Type_get_extent(t, &lb, &extent);
	MPI_Type_get_true_extent(t, &true_lb, &true_extent);
	if (rank == 0)
		printf("type %d: size %d lb %ld extent %ld true lb %ld true extent %ld\n", number, bytes, (long)lb, (long)extent, (long)true_lb,
		       (long)true_extent);
	low = true_lb + (extent < 0 ? (n - 1) * extent : 0);
	high = true_lb + true_extent + (extent > 0 ? (n - 1) * extent : 0);
	if (high - low <= ROOM && (long)n * bytes <= ROOM)
		move(t, n, low, n * bytes);
	MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	for (int i = 0; i < TYPES; i++)
		try(i);
	return check_end("type_random");
}
