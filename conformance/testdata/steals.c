/* steals ROUNDS DIRECTORY: ranks with little and with much to compute, by turns, exchange messages in all ways, and know what must arrive.
 * Some are to stay, have a file open, a datatype of their own, or protected memory. With "-" for the directory they open no files. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BIG 5000

static int rank, size, round_number;
static unsigned long long common = 12345;

enum kind { PLAIN, STAYS, HAS_FILE, HAS_TYPE, HAS_PROTECTED, KINDS };

static enum kind kind_of(int r) { return r % 7 < KINDS ? r % 7 : PLAIN; }

static void expect(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "FAIL rank %d round %d: %s\n", rank, round_number, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The same in all ranks, if all draw as often. */
static unsigned draw(unsigned below)
{
	common = common * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(common >> 33) % below;
}

static long value(int r, int i) { return (r * 1000003l + round_number) * 7919 + i; }

static double compute(int steps)
{
	volatile double x = 0.5;
	for (int i = 0; i < steps; i++)
		x = x * 0.999999 + 1e-6;
	return x;
}

/* ---- what a rank has ---- */

static FILE *file;
static MPI_Datatype triple = MPI_DATATYPE_NULL;
static long *guarded;
static pid_t worker;

static void acquire(const char *directory)
{
	char path[4096];
	worker = getpid();
	switch (kind_of(rank)) {
	case STAYS:
		AMPI_Set_migratable(0);
		break;
	case HAS_FILE:
		if (!strcmp(directory, "-"))
			break;
		snprintf(path, sizeof path, "%s/%d", directory, rank);
		file = fopen(path, "w+");
		expect(file != NULL, "no file");
		break;
	case HAS_TYPE:
		MPI_Type_contiguous(3, MPI_LONG, &triple);
		MPI_Type_commit(&triple);
		break;
	case HAS_PROTECTED:
		guarded = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		guarded[1] = rank;
		mprotect(guarded, 4096, PROT_READ);
		break;
	default:
		break;
	}
}

static void look_after(void)
{
	long back = -1;
	int bytes = 0;
	switch (kind_of(rank)) {
	case STAYS:
		expect(getpid() == worker, "it has moved");
		break;
	case HAS_FILE:
		if (!file)
			break;
		fprintf(file, "%08d\n", round_number);
		fflush(file);
		expect(ftell(file) == 9l * (round_number + 1), "the file's offset");
		break;
	case HAS_TYPE:
		MPI_Type_size(triple, &bytes);
		expect(bytes == 3 * (int)sizeof(long), "its datatype");
		if (round_number % 16 == 0) { /* Go has its say */
			MPI_Aint low, extent;
			MPI_Type_free(&triple);
			MPI_Type_contiguous(3, MPI_LONG, &triple);
			MPI_Type_commit(&triple);
			MPI_Type_get_extent(triple, &low, &extent);
			expect(extent == 3 * (long)sizeof(long), "its new datatype");
		}
		break;
	case HAS_PROTECTED:
		back = guarded[1];
		expect(back == rank, "its protected memory");
		break;
	default:
		break;
	}
}

/* ---- traffic ---- */

static void check(const long *in, int n, int from, const char *what)
{
	for (int i = 0; i < n; i++)
		expect(in[i] == value(from, i), what);
}

static void exchange(int way, int shift)
{
	static long out[BIG], in[BIG];
	int to = (rank + shift) % size, from = (rank + size - shift) % size, n = way % 2 ? BIG : 3;
	long mine = value(rank, 0), sum = 0, all = 0;
	MPI_Request requests[3];
	for (int i = 0; i < n; i++)
		out[i] = value(rank, i);
	memset(in, 0, n * sizeof *in);
	switch (way / 2) {
	case 0:
		MPI_Sendrecv(out, n, MPI_LONG, to, way, in, n, MPI_LONG, from, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Irecv(in, n, MPI_LONG, MPI_ANY_SOURCE, round_number, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(out, n, MPI_LONG, to, round_number, MPI_COMM_WORLD, &requests[1]);
		compute(draw(2000));
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		break;
	case 2:
		MPI_Irecv(in, n, MPI_LONG, from, way, MPI_COMM_WORLD, &requests[0]);
		if (n == 3 && triple != MPI_DATATYPE_NULL)
			MPI_Issend(out, 1, triple, to, way, MPI_COMM_WORLD, &requests[1]);
		else
			MPI_Issend(out, n, MPI_LONG, to, way, MPI_COMM_WORLD, &requests[1]);
		MPI_Iallreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
		break;
	}
	check(in, n, from, "a message");
	for (int r = 0; r < size; r++)
		all += value(r, 0);
	MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	expect(sum == all, "the sum");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	acquire(argc > 2 ? argv[2] : ".");
	for (round_number = 0; round_number < rounds; round_number++) {
		int way = draw(6), shift = draw(size), lot = draw(size);
		compute((rank + lot) % size < size / 4 ? 150000 : 20000);
		if (draw(3) == 0)
			AMPI_Yield();
		compute(20000);
		exchange(way, shift);
		look_after();
	}
	if (rank == 0)
		printf("PASS steals\n");
	MPI_Finalize();
	return 0;
}
