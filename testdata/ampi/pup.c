/* Are functions of AMPI_Register_pup called to add up, pack and unpack around each move that a rank takes part in, and may they free and
 * allocate what they keep? */
#include "../mpi/check.h"

#include "pup_c.h"

struct field {
	int n, calls[3], deleted;
	double *values;
	char name[8];
	unsigned long tag;
};

static void pup_field(pup_er p, void *data)
{
	struct field *f = data;

	CHECK_INT(pup_isSizing(p) + pup_isPacking(p) + pup_isUnpacking(p), 1);
	f->calls[pup_isSizing(p) ? 0 : pup_isPacking(p) ? 1 : 2]++;
	pup_int(p, &f->n);
	if (pup_isUnpacking(p))
		f->values = malloc(f->n * sizeof *f->values);
	pup_doubles(p, f->values, f->n);
	pup_bytes(p, f->name, sizeof f->name);
	pup_ulong(p, &f->tag);
	CHECK_INT(pup_size(p), sizeof(int) + f->n * sizeof(double) + sizeof f->name + sizeof(long));
	if (!pup_isDeleting(p))
		return;
	CHECK(pup_isPacking(p));
	memset(f->values, 0xff, f->n * sizeof *f->values);
	free(f->values);
	f->values = NULL;
	f->n = -1;
	f->tag = 0;
	memset(f->name, 0, sizeof f->name);
	f->deleted++;
}

static void pup_nothing(pup_er p, void *data)
{
	(void)p;
	++*(int *)data;
}

int main(int argc, char **argv)
{
	struct field f = {.n = 0};
	int workers, *count, flag, first, second, moves = 0, calls = 0;
	void *got;

	check_begin(&argc, &argv);
	MPI_Comm_get_attr(WORLD, AMPI_NUM_WTHS, &count, &flag);
	CHECK(flag);
	workers = *count;
	f.n = 1000 + rank;
	f.tag = 77ul << 40 | rank;
	strcpy(f.name, "field");
	f.values = malloc(f.n * sizeof *f.values);
	for (int i = 0; i < f.n; i++)
		f.values[i] = rank + i / 1000.;
	AMPI_Register_pup(pup_field, &f, &first);
	AMPI_Register_pup(pup_nothing, &calls, &second);
	AMPI_Get_pup_data(first, &got);
	CHECK(got == &f);
	for (int round = 0; round < 6; round++) {
		int *here, to = (rank + round) % workers;
		MPI_Comm_get_attr(WORLD, AMPI_MY_WTH, &here, &flag);
		moves += *here != to;
		CHECK_INT(AMPI_Migrate_to_pe(to), MPI_SUCCESS);
		CHECK_INT(f.n, 1000 + rank);
		for (int i = 0; i < f.n; i++)
			CHECK(f.values[i] == rank + i / 1000.);
		CHECK(!strcmp(f.name, "field") && f.tag == (77ul << 40 | rank));
	}
	for (int i = 0; i < 3; i++)
		CHECK_INT(f.calls[i], moves);
	CHECK_INT(f.deleted, moves);
	CHECK_INT(calls, 3 * moves);
	CHECK(workers == 1 || moves > 0);
	free(f.values);
	return check_end("pup");
}
