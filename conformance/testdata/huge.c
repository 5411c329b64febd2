/* Messages of more than 2 GiB, marked at both ends and around the bytes where counts of 31 and 32 bits would wrap. The argument says which
 * call carries them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES (((MPI_Count)1 << 31) + 4096)

static const MPI_Count marks[] = {0, 1, ((MPI_Count)1 << 31) - 1, (MPI_Count)1 << 31, BYTES - 1};
static int rank;
static char *data;

static void fail(const char *what, long long got)
{
	fprintf(stderr, "FAIL huge: rank %d: %s: %lld\n", rank, what, got);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void mark(int salt)
{
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		data[marks[i]] = (char)(salt + i);
}

static void check(int salt)
{
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (data[marks[i]] != (char)(salt + i))
			fail("data is wrong at byte", marks[i]);
}

/* Bytes, with a large count. */
static void send(void)
{
	MPI_Status s;
	MPI_Count large = -1;
	int small = 0;

	if (rank == 0) {
		mark(1);
		MPI_Send_c(data, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv_c(data, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &s);
	check(1);
	MPI_Get_count_c(&s, MPI_BYTE, &large);
	if (large != BYTES)
		fail("MPI_Get_count_c says", large);
	MPI_Get_count(&s, MPI_BYTE, &small);
	if (small != MPI_UNDEFINED)
		fail("MPI_Get_count says", small);
}

/* Ints, with a small count: an int is too small for their bytes. */
static void ints(void)
{
	MPI_Status s;
	MPI_Count large = -1;
	int small = 0;

	if (rank == 0) {
		mark(2);
		MPI_Send(data, BYTES / 4, MPI_INT, 1, 2, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(data, BYTES / 4, MPI_INT, 0, 2, MPI_COMM_WORLD, &s);
	check(2);
	MPI_Get_count(&s, MPI_INT, &small);
	if (small != BYTES / 4)
		fail("MPI_Get_count of ints says", small);
	MPI_Get_elements_c(&s, MPI_BYTE, &large);
	if (large != BYTES)
		fail("MPI_Get_elements_c says", large);
}

static void bcast(void)
{
	if (rank == 0)
		mark(3);
	MPI_Bcast_c(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
	check(3);
}

static void allreduce(void)
{
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		data[marks[i]] = (char)i;
	MPI_Allreduce_c(MPI_IN_PLACE, data, BYTES, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (data[marks[i]] != (char)(i * size))
			fail("the sum is wrong at byte", marks[i]);
}

/* Two rows of a byte each, BYTES apart, and all between them. */
static void pack(void)
{
	MPI_Datatype ends;
	MPI_Count at = 0, size = 0;
	char packed[2], *whole;

	mark(4);
	MPI_Type_vector_c(2, 1, BYTES - 1, MPI_BYTE, &ends);
	MPI_Type_commit(&ends);
	MPI_Pack_c(data, 1, ends, packed, 2, &at, MPI_COMM_WORLD);
	if (at != 2 || packed[0] != 4 || packed[1] != data[BYTES - 1])
		fail("packed the ends wrong, position is", at);
	MPI_Type_free(&ends);
	MPI_Pack_size_c(BYTES, MPI_BYTE, MPI_COMM_WORLD, &size);
	whole = malloc(size);
	at = 0;
	MPI_Pack_c(data, BYTES, MPI_BYTE, whole, size, &at, MPI_COMM_WORLD);
	mark(9);
	at = 0;
	MPI_Unpack_c(whole, size, &at, data, BYTES, MPI_BYTE, MPI_COMM_WORLD);
	if (at != BYTES)
		fail("position after MPI_Unpack_c is", at);
	check(4);
	free(whole);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } all[] = {
		{"send", send}, {"ints", ints}, {"bcast", bcast}, {"allreduce", allreduce}, {"pack", pack},
	};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	data = malloc(BYTES);
	if (!data)
		fail("no memory", BYTES);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (argc > 1 && !strcmp(argv[1], all[i].name))
			all[i].run();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("PASS huge %s\n", argv[1]);
	MPI_Finalize();
	return 0;
}
