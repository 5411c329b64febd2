/* May the arrays of counts, displacements and types be overwritten and freed as soon as a non-blocking call, or one that makes a
 * persistent request, has returned? (The standard does not promise it; mpi4py and others rely on it.) */
#include "check.h"

enum {
	ALLTOALLV, ALLTOALLV_C, ALLTOALLW, ALLTOALLW_C, IN_PLACE_V, IN_PLACE_W, ALLGATHERV, ALLGATHERV_C, GATHERV, SCATTERV, REDUCE_SCATTER,
	CALLS
};
static MPI_Request requests[CALLS];

/* What a call is given. All arrays are wiped when the call has returned. */
struct arrays {
	int *counts, *displs, *bytes;
	MPI_Aint *addresses;
	MPI_Count *large;
	MPI_Aint *large_displs;
	MPI_Datatype *types;
};
static int *in, *out;
static void *filled(size_t bytes)
{
	return calloc(size + 1, bytes);
}

static struct arrays make(void)
{
	struct arrays a = {filled(sizeof(int)), filled(sizeof(int)), filled(sizeof(int)), filled(sizeof(MPI_Aint)),
			   filled(sizeof(MPI_Count)), filled(sizeof(MPI_Aint)), filled(sizeof(MPI_Datatype))};

	for (int i = 0; i < size; i++) {
		a.counts[i] = a.large[i] = 1;
		a.displs[i] = a.large_displs[i] = 2 * i; /* with gaps, so that blocks are not in one piece */
		a.bytes[i] = a.addresses[i] = 2 * i * (int)sizeof(int);
		a.types[i] = MPI_INT;
	}
	return a;
}

static void wipe(void *array, size_t bytes)
{
	memset(array, 0x5b, size * bytes);
	free(array);
}

static void unmake(struct arrays *a)
{
	wipe(a->counts, sizeof(int));
	wipe(a->displs, sizeof(int));
	wipe(a->bytes, sizeof(int));
	wipe(a->addresses, sizeof(MPI_Aint));
	wipe(a->large, sizeof(MPI_Count));
	wipe(a->large_displs, sizeof(MPI_Aint));
	wipe(a->types, sizeof(MPI_Datatype));
}

/* What rank `from` has for `to` in call k; what came in call k. */
static int value(int k, int from, int to)
{
	return 1 + k * 1000003 + from * 1009 + to;
}

static int *sent(int k)
{
	int *at = in + k * 2 * size;

	for (int i = 0; i < size; i++)
		at[2 * i] = value(k, rank, i);
	return at;
}

static int *received(int k)
{
	return out + k * 2 * size;
}

static void start_all(int persistent)
{
	for (int k = 0; persistent && k < CALLS; k++)
		MPI_Start(&requests[k]);
}

/* Block i holds what rank i sent for `to` (alltoall), or for its place 0 (allgather). */
static void expect(int k, int gathers)
{
	int *at = received(k);

	for (int i = 0; i < size; i++) {
		CHECK_INT(at[2 * i], value(k, i, gathers ? 0 : rank));
		CHECK_INT(at[2 * i + 1], -1);
	}
}

static void in_place(int k)
{
	int *at = received(k);

	for (int i = 0; i < size; i++)
		at[2 * i] = value(k, rank, i);
}

static void begin(int k, int p)
{
	struct arrays a = make();
	MPI_Request *r = &requests[k];
	int *s = sent(k), *t = received(k);

	if (k == IN_PLACE_V || k == IN_PLACE_W)
		in_place(k);
	switch (k) {
	case ALLTOALLV:
		p ? MPI_Alltoallv_init(s, a.counts, a.displs, MPI_INT, t, a.counts, a.displs, MPI_INT, WORLD, MPI_INFO_NULL, r)
		  : MPI_Ialltoallv(s, a.counts, a.displs, MPI_INT, t, a.counts, a.displs, MPI_INT, WORLD, r);
		break;
	case ALLTOALLV_C:
		p ? MPI_Alltoallv_init_c(s, a.large, a.large_displs, MPI_INT, t, a.large, a.large_displs, MPI_INT, WORLD, MPI_INFO_NULL, r)
		  : MPI_Ialltoallv_c(s, a.large, a.large_displs, MPI_INT, t, a.large, a.large_displs, MPI_INT, WORLD, r);
		break;
	case ALLTOALLW:
		p ? MPI_Alltoallw_init(s, a.counts, a.bytes, a.types, t, a.counts, a.bytes, a.types, WORLD, MPI_INFO_NULL, r)
		  : MPI_Ialltoallw(s, a.counts, a.bytes, a.types, t, a.counts, a.bytes, a.types, WORLD, r);
		break;
	case ALLTOALLW_C:
		p ? MPI_Alltoallw_init_c(s, a.large, a.addresses, a.types, t, a.large, a.addresses, a.types, WORLD, MPI_INFO_NULL, r)
		  : MPI_Ialltoallw_c(s, a.large, a.addresses, a.types, t, a.large, a.addresses, a.types, WORLD, r);
		break;
	case IN_PLACE_V:
		p ? MPI_Alltoallv_init(MPI_IN_PLACE, NULL, NULL, MPI_INT, t, a.counts, a.displs, MPI_INT, WORLD, MPI_INFO_NULL, r)
		  : MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, t, a.counts, a.displs, MPI_INT, WORLD, r);
		break;
	case IN_PLACE_W:
		p ? MPI_Alltoallw_init(MPI_IN_PLACE, NULL, NULL, NULL, t, a.counts, a.bytes, a.types, WORLD, MPI_INFO_NULL, r)
		  : MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, t, a.counts, a.bytes, a.types, WORLD, r);
		break;
	case ALLGATHERV:
		p ? MPI_Allgatherv_init(s, 1, MPI_INT, t, a.counts, a.displs, MPI_INT, WORLD, MPI_INFO_NULL, r)
		  : MPI_Iallgatherv(s, 1, MPI_INT, t, a.counts, a.displs, MPI_INT, WORLD, r);
		break;
	case ALLGATHERV_C:
		p ? MPI_Allgatherv_init_c(s, 1, MPI_INT, t, a.large, a.large_displs, MPI_INT, WORLD, MPI_INFO_NULL, r)
		  : MPI_Iallgatherv_c(s, 1, MPI_INT, t, a.large, a.large_displs, MPI_INT, WORLD, r);
		break;
	case GATHERV:
		p ? MPI_Gatherv_init(s, 1, MPI_INT, t, a.counts, a.displs, MPI_INT, size - 1, WORLD, MPI_INFO_NULL, r)
		  : MPI_Igatherv(s, 1, MPI_INT, t, a.counts, a.displs, MPI_INT, size - 1, WORLD, r);
		break;
	case SCATTERV:
		p ? MPI_Scatterv_init(s, a.counts, a.displs, MPI_INT, t, 1, MPI_INT, size - 1, WORLD, MPI_INFO_NULL, r)
		  : MPI_Iscatterv(s, a.counts, a.displs, MPI_INT, t, 1, MPI_INT, size - 1, WORLD, r);
		break;
	case REDUCE_SCATTER:
		p ? MPI_Reduce_scatter_init(s, t, a.counts, MPI_INT, MPI_MAX, WORLD, MPI_INFO_NULL, r)
		  : MPI_Ireduce_scatter(s, t, a.counts, MPI_INT, MPI_MAX, WORLD, r);
		break;
	}
	unmake(&a);
}

static void check(int k)
{
	if (k <= IN_PLACE_W)
		expect(k, 0);
	else if (k <= ALLGATHERV_C)
		expect(k, 1);
	else if (k == GATHERV && rank == size - 1)
		expect(k, 1);
	else if (k == SCATTERV)
		CHECK_INT(received(k)[0], value(k, size - 1, rank));
	else if (k == REDUCE_SCATTER)
		CHECK_INT(received(k)[0], rank % 2 ? 0 : value(k, size - 1, rank / 2));
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	in = calloc(CALLS * 2 * size, sizeof *in);
	out = malloc(CALLS * 2 * size * sizeof *out);
	for (int persistent = 0; persistent < 2; persistent++) {
		check_wipe(out, CALLS * 2 * size);
		for (int k = 0; k < CALLS; k++)
			begin(k, persistent);
		start_all(persistent);
		MPI_Waitall(CALLS, requests, MPI_STATUSES_IGNORE);
		for (int k = 0; k < CALLS; k++) {
			check(k);
			if (persistent)
				MPI_Request_free(&requests[k]);
		}
	}
	free(in);
	free(out);
	return check_end("icoll_arrays");
}
