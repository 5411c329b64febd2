/*
 * AVX-512 registers and AMX tiles of ranks that are moved, and interrupted where they call nothing. One rank asks for AMX before it goes
 * elsewhere. Arguments: a file, when to end: once it is there. Without such a processor it says so.
 */
#include <cpuid.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REQUEST 0x1023 /* ARCH_REQ_XCOMP_PERM */
#define TILE_DATA 18

static int rank, has_amx;
static uint8_t vector[64], vector_after[64], tile[1024], tile_after[1024];

struct config {
	uint8_t palette, row, reserved[14];
	uint16_t columns[16];
	uint8_t rows[16];
};

static int has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

static int ask_for_amx(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && d >> 24 & 1 && !syscall(SYS_arch_prctl, REQUEST, TILE_DATA);
}

static void check(const char *what, const void *was, const void *is, size_t n)
{
	if (!memcmp(was, is, n))
		return;
	printf("FAIL tiles: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Loads registers, spends some milliseconds without a call, and stores them. */
static void spin(int with_amx)
{
	struct config config = {.palette = 1, .columns = {64}, .rows = {16}};
	long n = 3000000;
	if (with_amx)
		__asm__ volatile("ldtilecfg %1\n\t"
				 "tileloadd (%2,%3,1), %%tmm0\n"
				 "1:\tdec %0\n\tjnz 1b\n\t"
				 "tilestored %%tmm0, (%4,%3,1)\n\t"
				 "tilerelease"
				 : "+r"(n) : "m"(config), "r"(tile), "r"(64L), "r"(tile_after) : "memory", "cc");
	else if (has_avx512())
		__asm__ volatile("vmovdqu64 (%1), %%zmm31\n"
				 "1:\tdec %0\n\tjnz 1b\n\t"
				 "vmovdqu64 %%zmm31, (%2)"
				 : "+r"(n) : "r"(vector), "r"(vector_after) : "memory", "cc"); /* zmm31, which the compiler does not use, as it is not told of AVX-512 */
}

static void work(int round)
{
	memset(vector, rank + round, sizeof vector);
	memset(tile, rank + round + 1, sizeof tile);
	spin(0);
	if (has_avx512())
		check("an AVX-512 register", vector, vector_after, sizeof vector);
	if (!has_amx)
		return;
	spin(1);
	check("an AMX tile", tile, tile_after, sizeof tile);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	has_amx = rank == 0 && ask_for_amx();
	printf("rank %d: avx512 %d amx %d\n", rank, !!has_avx512(), has_amx);
	fflush(stdout);
	for (int round = 0, over = 0; !over; round++) {
		if (rank == 0)
			AMPI_Migrate_to_pe(round % 2);
		work(round);
		over = argc < 2 || access(argv[1], F_OK) == 0;
		MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("PASS tiles\n");
	MPI_Finalize();
	return 0;
}
