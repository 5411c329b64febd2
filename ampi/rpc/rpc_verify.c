/* Verification: ranks of a communicator agree that they have the same segments, and on numbers for these. */
#include "ampi/rpc/rpc.h"

#include <stdlib.h>
#include <string.h>

/* What rank 0 says of a segment. */
struct offer {
	unsigned char identity[CS_IDENTITY];
	uint32_t is_fit;
	uint64_t offset; /* of the pointer in it */
};

/* How many numbers may be used; 0 when an error was raised. */
static uint32_t limit(struct ampi_comm *c, int fn, struct ampi_rpc *s)
{
	uint32_t least = cs_program_segments(vr_current);
	if (s->limit)
		return s->limit;
	const char *value = ampi_rpc_getenv("AMPI_RPC_MAX_SEGMENTS");
	char *end;
	unsigned long n = value ? strtoul(value, &end, 10) : CS_INDEX_MAX;
	if (value && (*end || n < least || n > CS_INDEX_MAX)) {
		ampi_raise(c, MPI_ERR_ARG, fn, "AMPI_RPC_MAX_SEGMENTS is \"%s\", not a number from %u (segments that all ranks have from the start) to %u",
			   value, least, CS_INDEX_MAX);
		return 0;
	}
	return s->limit = n;
}

/* `n` numbers that nobody has, the first of them; 0 when there are too few. */
static uint32_t take_numbers(uint32_t n, uint32_t limit)
{
	_Atomic uint32_t *next = &vr_job->segment_numbers;
	uint32_t used = atomic_load(next), first;
	do {
		first = used ? used : cs_program_segments(vr_current) + 1;
		if (first - 1 + n > limit)
			return 0;
	} while (!atomic_compare_exchange_weak(next, &used, first + n));
	return first;
}

static int no_numbers(struct ampi_comm *c, int fn, uint32_t limit)
{
	const char *way = limit < CS_INDEX_MAX ? ": raise AMPI_RPC_MAX_SEGMENTS" : "";
	return ampi_raise(c, MPI_ERR_OTHER, fn, "all %u numbers for segments are taken%s", limit, way);
}

static int compare_ranks(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* Those who know the numbers: NULL for all ranks. 0, or -1 without memory. */
static int group_of(const struct ampi_comm *c, struct ampi_rpc_group **out)
{
	*out = NULL;
	if (c->size == vr_job->ranks)
		return 0;
	struct ampi_rpc_group *g = vr_rank_alloc(vr_current, sizeof *g + c->size * sizeof *g->world);
	if (!g)
		return -1;
	g->n = c->size;
	for (int32_t i = 0; i < c->size; i++)
		g->world[i] = ampi_to_world(c, i);
	qsort(g->world, g->n, sizeof *g->world, compare_ranks);
	*out = g;
	return 0;
}

struct verification {
	int fn;
	struct ampi_comm *comm;
	MPI_Comm handle;
	struct ampi_rpc *rpc;
	struct cs_table *table;
	uint32_t limit;
	struct ampi_rpc_group *group;
};

static int begin(struct verification *v, int fn, MPI_Comm comm)
{
	*v = (struct verification){.fn = fn, .handle = comm, .comm = ampi_comm(comm)};
	if (!v->comm)
		return ampi_bad_comm(comm, fn);
	if (v->comm->is_inter)
		return ampi_raise(v->comm, MPI_ERR_COMM, fn, "comm is an intercommunicator");
	v->rpc = ampi_rpc_of(vr_current);
	v->table = v->rpc ? cs_rank_table(&v->rpc->segments) : NULL;
	if (!v->table || group_of(v->comm, &v->group))
		return ampi_no_memory(v->comm, fn);
	v->limit = limit(v->comm, fn, v->rpc);
	return v->limit ? MPI_SUCCESS : MPI_ERR_ARG;
}

static int is_fit(const struct cs_segment *s)
{
	return s && (s->flags & CS_ACTIVE) && !(s->flags & CS_BAD);
}

/* Rank 0 takes n numbers for all. The first of them, 0 when there are too few, UINT32_MAX when an error was raised. */
static uint32_t agree_on_numbers(const struct verification *v, uint32_t n)
{
	uint32_t first = v->comm->rank == 0 ? take_numbers(n, v->limit) : 0;
	return ampi_Bcast(&first, 1, MPI_UINT32_T, 0, v->handle) ? UINT32_MAX : first;
}

/* Nobody leaves before all know the numbers: the next call may use one. */
static int finish(const struct verification *v, int failed)
{
	int error = ampi_Barrier(v->handle);
	return failed ? ampi_no_memory(v->comm, v->fn) : error;
}

/* ---- one segment ---- */

static int compare_one(const struct verification *v, const struct cs_segment *s, uint64_t offset, int *all)
{
	struct offer mine = {.is_fit = is_fit(s), .offset = offset}, first;
	if (s)
		memcpy(mine.identity, s->identity, CS_IDENTITY);
	first = mine;
	int error = ampi_Bcast(&first, sizeof first, MPI_BYTE, 0, v->handle);
	int state[2] = {mine.is_fit && !memcmp(&mine, &first, sizeof mine), s && s->index && !s->group};
	if (!error)
		error = ampi_Allreduce(MPI_IN_PLACE, state, 2, MPI_INT, MPI_MIN, v->handle);
	*all = state[0] + state[1];
	return error;
}

int ampi_AMPI_Rpc_verify_segment(const void *pointer, MPI_Comm comm)
{
	struct verification v;
	int all, error = begin(&v, AMPI_FN_AMPI_Rpc_verify_segment, comm);
	if (error)
		return error;
	const struct cs_segment *s = cs_find(v.table, (uint64_t)pointer);
	if ((error = compare_one(&v, s, s ? (uint64_t)pointer - s->start : 0, &all)))
		return error;
	if (all == 2)
		return MPI_SUCCESS;
	if (!all) {
		if (s)
			cs_rank_note_unlike(&v.rpc->segments, s);
		ampi_rpc_print_table(v.rpc, cs_find(cs_rank_table(&v.rpc->segments), (uint64_t)pointer));
		return ampi_raise(v.comm, MPI_ERR_ARG, v.fn, "the segment of what is at %p was not found on all ranks", pointer);
	}
	uint32_t number = agree_on_numbers(&v, 1);
	if (number == UINT32_MAX)
		return MPI_ERR_OTHER;
	if (!number)
		return no_numbers(v.comm, v.fn, v.limit);
	return finish(&v, cs_rank_verify(&v.rpc->segments, s, number, v.group));
}

/* ---- all of them ---- */

static int compare_identities(const void *a, const void *b)
{
	return memcmp(a, b, CS_IDENTITY);
}

/* What rank 0 has and not all are known to have: the number of identities. */
static uint32_t list_unverified(const struct verification *v, unsigned char (*list)[CS_IDENTITY])
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->table->n; i++) {
		const struct cs_segment *s = &v->table->segment[i];
		if (!is_fit(s) || (s->index && (!s->group || v->group)))
			continue;
		if (list)
			memcpy(list[n], s->identity, CS_IDENTITY);
		n++;
	}
	if (list)
		qsort(list, n, CS_IDENTITY, compare_identities);
	return n;
}

static int enter(const struct verification *v, unsigned char (*list)[CS_IDENTITY], const unsigned char *found, uint32_t n, uint32_t number)
{
	int failed = 0;
	for (uint32_t i = 0; i < n && !failed; i++) {
		const struct cs_segment *s = cs_find_identity(cs_rank_table(&v->rpc->segments), list[i]);
		failed = found[i] ? cs_rank_verify(&v->rpc->segments, s, number++, v->group) : s && cs_rank_note_unlike(&v->rpc->segments, s);
	}
	return finish(v, failed);
}

static int agree(const struct verification *v, unsigned char (*list)[CS_IDENTITY], unsigned char *found, uint32_t n)
{
	uint32_t shared = 0, number = 0;
	int error = ampi_Bcast(list, n * CS_IDENTITY, MPI_BYTE, 0, v->handle);
	if (error)
		return error;
	for (uint32_t i = 0; i < n; i++)
		found[i] = is_fit(cs_find_identity(v->table, list[i]));
	if ((error = ampi_Allreduce(MPI_IN_PLACE, found, n, MPI_UINT8_T, MPI_MIN, v->handle)))
		return error;
	for (uint32_t i = 0; i < n; i++)
		shared += found[i];
	if (shared && (number = agree_on_numbers(v, shared)) == UINT32_MAX)
		return MPI_ERR_OTHER;
	return shared && !number ? no_numbers(v->comm, v->fn, v->limit) : enter(v, list, found, n, number);
}

int ampi_AMPI_Rpc_verify_all(MPI_Comm comm)
{
	struct verification v;
	int error = begin(&v, AMPI_FN_AMPI_Rpc_verify_all, comm);
	if (error)
		return error;
	uint32_t n = v.comm->rank == 0 ? list_unverified(&v, NULL) : 0;
	if ((error = ampi_Bcast(&n, 1, MPI_UINT32_T, 0, comm)) || !n)
		return error;
	unsigned char (*list)[CS_IDENTITY] = vr_rank_alloc(vr_current, n * (CS_IDENTITY + 1));
	if (!list)
		return ampi_no_memory(v.comm, v.fn);
	if (v.comm->rank == 0)
		list_unverified(&v, list);
	error = agree(&v, list, (unsigned char *)(list + n), n);
	vr_rank_free(vr_current, list);
	return error;
}

/* ---- what it is for ---- */

int ampi_AMPI_Rpc_enforce_verification(int flag, int *previous)
{
	const int fn = AMPI_FN_AMPI_Rpc_enforce_verification;
	int error = ampi_check_running(fn);
	if (error)
		return error;
	struct ampi_rpc *s = ampi_rpc_of(vr_current);
	if (!s)
		return ampi_no_memory(NULL, fn);
	int before = ampi_rpc_enforces(s);
	if (previous)
		*previous = before;
	s->enforces = flag != 0;
	return MPI_SUCCESS;
}

int ampi_AMPI_Rpc_verification_enforced(int *flag)
{
	const int fn = AMPI_FN_AMPI_Rpc_verification_enforced;
	int error = ampi_check_running(fn);
	if (error)
		return error;
	struct ampi_rpc *s = ampi_rpc_of(vr_current);
	if (!s)
		return ampi_no_memory(NULL, fn);
	if (!flag)
		return ampi_null(NULL, fn, "flag");
	*flag = ampi_rpc_enforces(s);
	return MPI_SUCCESS;
}
