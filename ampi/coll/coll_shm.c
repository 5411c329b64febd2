/* Rounds of a collective call in shared memory, see coll.h. */
#include "ampi/coll/coll.h"
#include "ampi/coll/reduce.h"

#include <stdio.h>

/* ---- opening ---- */

int ampi_check_intra(struct ampi_comm *c, int fn)
{
	if (vr_likely(!c->is_inter))
		return MPI_SUCCESS;
	if (c->is_inter == AMPI_UNBORN)
		return ampi_raise(c, MPI_ERR_COMM, fn, "comm is not there yet: wait for the request of the call that makes it");
	return ampi_raise(c, MPI_ERR_COMM, fn, "comm is an intercommunicator, which this call does not serve");
}

int ampi_shm_coll_open(struct ampi_shm_coll *m, int fn, MPI_Comm comm)
{
	int error = ampi_shm_coll_open_either(m, fn, comm);
	return vr_unlikely(error == AMPI_ACROSS) ? ampi_check_intra(m->comm, fn) : error;
}

int ampi_shm_coll_open_either(struct ampi_shm_coll *m, int fn, MPI_Comm comm)
{
	m->fn = fn;
	m->comm = ampi_comm(comm);
	if (vr_unlikely(!m->comm))
		return ampi_bad_comm(comm, fn);
	if (vr_unlikely(m->comm->is_inter))
		return AMPI_ACROSS;
	m->team = m->comm->team;
	m->rank = m->comm->rank;
	m->size = m->comm->size;
	return MPI_SUCCESS;
}

void ampi_shm_coll_begin(struct ampi_shm_coll *m, int32_t kind, int root, int64_t bytes)
{
	m->grouping = ampi_team_grouping(m->team);
	m->part = &m->grouping->part[m->grouping->part_of[m->rank]];
	m->parity = m->part->rounds & 1;
	m->round = &m->team->round[m->parity];
	m->key = (struct ampi_key){.kind = kind, .root = root, .bytes = bytes};
	m->error = MPI_SUCCESS;
	m->copy[0] = m->copy[1] = NULL;
}

/* ---- arriving ---- */

static int same_key(const struct ampi_key *a, const struct ampi_key *b)
{
	return a->kind == b->kind && a->root == b->root && a->bytes == b->bytes;
}

/* Of several who differ, one is named. */
static void note_odd(struct ampi_round *r, int first, const struct ampi_key *first_key, int odd, const struct ampi_key *odd_key)
{
	int32_t none = 0;
	if (!atomic_compare_exchange_strong(&r->odd, &none, odd + 1))
		return;
	r->first = first;
	r->first_key = *first_key;
	r->odd_key = *odd_key;
}

static inline void compare_key(struct ampi_shm_coll *m)
{
	struct ampi_part *p = m->part;
	if (!p->arrived) {
		p->first = m->rank;
		p->key = m->key;
	} else if (vr_unlikely(!same_key(&p->key, &m->key))) {
		note_odd(m->round, p->first, &p->key, m->rank, &m->key);
	}
}

static void compare_parts(struct ampi_shm_coll *m)
{
	struct ampi_part *a = m->grouping->part;
	for (int i = 1; i < m->grouping->nparts; i++)
		if (vr_unlikely(!same_key(&a[0].key, &a[i].key)))
			note_odd(m->round, a[0].first, &a[0].key, a[i].first, &a[i].key);
}

void ampi_shm_coll_rest(struct ampi_shm_coll *m)
{
	vr_context->wait = (struct vr_wait){.fn = m->fn, .peer = VR_NOBODY, .context = m->team->context, .members = m->size};
	vr_rank_block();
}

/* Those who rest are on a chain that the release makes ready as a whole: whoever arrives is in the cache now, but not then. */
static inline int part_arrive(struct ampi_shm_coll *m, struct vr_context *context)
{
	struct ampi_part *p = m->part;
	compare_key(m);
	if (++p->arrived < p->n) {
		vr_waitlist_join(&p->resting, context);
		return 0;
	}
	p->arrived = 0;
	p->leader = context;
	return 1;
}

int ampi_part_arrive(struct ampi_shm_coll *m, struct vr_context *context)
{
	return part_arrive(m, context);
}

int ampi_shm_coll_arrive(struct ampi_shm_coll *m)
{
	if (ampi_shm_coll_is_migrated(m))
		return ampi_migrated_arrive(m);
	if (part_arrive(m, vr_context))
		return 1;
	ampi_shm_coll_rest(m);
	return 0;
}

int ampi_shm_coll_leaders(struct ampi_shm_coll *m)
{
	struct ampi_team *t = m->team;
	if (m->grouping->nparts == 1)
		return 1;
	if (atomic_fetch_add(&t->arrived, m->part->n) + m->part->n < t->size) {
		ampi_shm_coll_rest(m);
		return 0;
	}
	atomic_store_explicit(&t->arrived, 0, memory_order_relaxed);
	compare_parts(m);
	return 1;
}

/* ---- releasing ---- */

/* All members have arrived, so nobody looks at the round before any more: it becomes the next one. */
static void clean_next_round(struct ampi_shm_coll *m)
{
	struct ampi_round *next = &m->team->round[!m->parity];
	next->accumulator = NULL;
	atomic_store_explicit(&next->hold, 0, memory_order_relaxed);
	atomic_store_explicit(&next->error, 0, memory_order_relaxed);
	atomic_store_explicit(&next->odd, 0, memory_order_relaxed);
}

void ampi_shm_coll_release_leaders(struct ampi_shm_coll *m)
{
	struct ampi_grouping *g = m->grouping;
	clean_next_round(m);
	if (vr_unlikely(atomic_load_explicit(&m->team->stale, memory_order_relaxed)))
		ampi_team_regroup(m->team);
	for (int i = 0; i < g->nparts; i++)
		if (&g->part[i] != m->part)
			vr_pe_post(g->part[i].pe, &g->part[i].wake);
}

void ampi_part_release(struct ampi_part *p)
{
	p->rounds++;
	vr_waitlist_ready(&p->resting);
}

void ampi_shm_coll_release(struct ampi_shm_coll *m)
{
	if (ampi_shm_coll_is_migrated(m))
		ampi_migrated_release(m);
	else
		ampi_part_release(m->part);
}

void ampi_shm_coll_join(struct ampi_shm_coll *m)
{
	if (!ampi_shm_coll_arrive(m))
		return;
	if (ampi_shm_coll_leaders(m))
		ampi_shm_coll_release_leaders(m);
	ampi_shm_coll_release(m);
}

/* ---- ending ---- */

static const char *coll_name(int kind)
{
	static const char *const names[] = {
		[AMPI_COLL_END] = "the end of a collective call", [AMPI_COLL_BARRIER] = "MPI_Barrier", [AMPI_COLL_BCAST] = "MPI_Bcast",
		[AMPI_COLL_GATHER] = "MPI_Gather(v)", [AMPI_COLL_SCATTER] = "MPI_Scatter(v)", [AMPI_COLL_ALLGATHER] = "MPI_Allgather",
		[AMPI_COLL_ALLGATHERV] = "MPI_Allgatherv", [AMPI_COLL_ALLTOALL] = "MPI_Alltoall",
		[AMPI_COLL_ALLTOALLV] = "MPI_Alltoallv/w", [AMPI_COLL_REDUCE] = "MPI_Reduce", [AMPI_COLL_ALLREDUCE] = "MPI_Allreduce",
		[AMPI_COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter", [AMPI_COLL_SCAN] = "MPI_Scan", [AMPI_COLL_EXSCAN] = "MPI_Exscan",
		[AMPI_COLL_SPLIT] = "a call that makes communicators", [AMPI_COLL_FINALIZE] = "MPI_Finalize",
		[AMPI_COLL_MERGE] = "MPI_Intercomm_merge", [AMPI_COLL_INTERCOMM] = "MPI_Intercomm_create",
		[AMPI_COLL_DIST_GRAPH] = "MPI_Dist_graph_create", [AMPI_COLL_WINDOW] = "a call that makes a window",
		[AMPI_COLL_FENCE] = "MPI_Win_fence", [AMPI_COLL_WINDOW_FREE] = "MPI_Win_free",
	};
	return names[kind];
}

static int coll_of(const struct ampi_key *k)
{
	return k->kind & ((1 << AMPI_KEY_OP) - 1);
}

static const char *op_of(const struct ampi_key *k)
{
	const char *name = ampi_op_name(k->kind >> AMPI_KEY_OP);
	return name ? name : "one of the program's own";
}

/* The clash as it was noted, copied before the round is used again. */
struct clash {
	int32_t first, odd; /* odd: 0 when there was none, else 1 + rank */
	struct ampi_key a, b;
};

static inline void get_clash(const struct ampi_round *r, struct clash *c)
{
	c->odd = atomic_load_explicit(&r->odd, memory_order_relaxed);
	if (vr_likely(!c->odd))
		return;
	c->first = r->first;
	c->a = r->first_key;
	c->b = r->odd_key;
}

static int raise_clash(struct ampi_shm_coll *m, const struct clash *c)
{
	int first = c->first, odd = c->odd - 1;
	if (coll_of(&c->a) != coll_of(&c->b))
		return ampi_raise(m->comm, MPI_ERR_OTHER, m->fn, "the members' calls differ: rank %d is in %s, rank %d in %s", first,
				  coll_name(coll_of(&c->a)), odd, coll_name(coll_of(&c->b)));
	if (c->a.kind != c->b.kind)
		return ampi_raise(m->comm, MPI_ERR_OP, m->fn, "op is %s in rank %d, but %s in rank %d", op_of(&c->a), first, op_of(&c->b), odd);
	if (c->a.root != c->b.root)
		return ampi_raise(m->comm, MPI_ERR_ROOT, m->fn, "root is %d in rank %d, but %d in rank %d", c->a.root, first, c->b.root, odd);
	return ampi_raise(m->comm, MPI_ERR_TRUNCATE, m->fn, "the count is %lld bytes in rank %d, but %lld bytes in rank %d",
			  (long long)c->a.bytes, first, (long long)c->b.bytes, odd);
}

static int raise_length(struct ampi_shm_coll *m, int klass)
{
	const char *text = klass == MPI_ERR_TRUNCATE ? "%s sent %lld bytes, but there is room for %lld" :
						       "%s sent %lld bytes, but count says that it is %lld";
	char from[32] = "the root";
	if (m->from >= 0)
		snprintf(from, sizeof from, "rank %d", m->from);
	return ampi_raise(m->comm, klass, m->fn, text, from, (long long)m->had, (long long)m->wanted);
}

static int raise_class(struct ampi_shm_coll *m, int klass)
{
	if (klass == MPI_ERR_TRUNCATE || klass == MPI_ERR_COUNT)
		return raise_length(m, klass);
	if (klass == MPI_ERR_OTHER)
		return ampi_raise(m->comm, klass, m->fn, "the calls of the two groups differ, or one of them failed");
	if (klass == MPI_ERR_ARG)
		return ampi_raise(m->comm, klass, m->fn, "high is not the same in all members of a group");
	return ampi_raise(m->comm, klass, m->fn, "no memory for a copy of the data: the slice of this rank or of another member is full: see +slice");
}

static void hold_second_shm_coll(struct ampi_shm_coll *m)
{
	struct ampi_shm_coll second = *m;
	ampi_shm_coll_begin(&second, AMPI_COLL_END, -1, 0);
	ampi_shm_coll_join(&second);
}

static void free_copies(struct ampi_shm_coll *m)
{
	for (int i = 0; i < 2; i++)
		if (m->copy[i])
			vr_rank_free(vr_current, m->copy[i]);
}

int ampi_shm_coll_end(struct ampi_shm_coll *m)
{
	struct clash clash;
	int32_t error = atomic_load_explicit(&m->round->error, memory_order_relaxed);
	get_clash(m->round, &clash);
	if (atomic_load_explicit(&m->round->hold, memory_order_relaxed))
		hold_second_shm_coll(m);
	free_copies(m);
	if (vr_likely(!clash.odd && !error && !m->error))
		return MPI_SUCCESS;
	return clash.odd ? raise_clash(m, &clash) : raise_class(m, error ? error : m->error);
}

/* ---- shared memory of a team ---- */

/* Made by whoever comes first, and it must be: others may already rely on it. */
static char *shared_block(_Atomic(char *) *place, size_t bytes)
{
	char *p = atomic_load_explicit(place, memory_order_acquire), *none = NULL;
	if (vr_likely(p != NULL))
		return p;
	p = vr_arena_alloc(bytes);
	if (!p)
		vr_job_abort(MPI_ERR_NO_MEM, "the memory that the workers share (%llu MiB) is full of communicators", VR_ARENA_BYTES >> 20);
	if (atomic_compare_exchange_strong(place, &none, p))
		return p;
	vr_arena_free(p, bytes);
	return none;
}

char *ampi_shm_staging(struct ampi_shm_coll *m)
{
	struct ampi_team *t = m->team;
	return shared_block(&t->staging, 2 * t->half) + m->parity * t->half;
}

#define MATRIX_MIN (64ll << 10)
#define MATRIX_MAX (16ll << 20)

int64_t ampi_matrix_half(const struct ampi_team *t)
{
	int64_t n = (int64_t)t->size * t->size * 16;
	return n < MATRIX_MIN ? MATRIX_MIN : n > MATRIX_MAX ? MATRIX_MAX : n;
}

char *ampi_shm_coll_matrix(struct ampi_shm_coll *m)
{
	struct ampi_team *t = m->team;
	int64_t half = ampi_matrix_half(t);
	return shared_block(&t->matrix, 2 * half) + m->parity * half;
}
