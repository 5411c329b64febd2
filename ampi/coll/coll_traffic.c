/* Collective calls in the graph of who talks to whom: see coll_traffic.h. */
#include "ampi/coll/coll_traffic.h"
#include "ampi/coll/sched_bruck.h"

static void add(const struct ampi_shm_coll *m, int to, int64_t bytes)
{
	vr_traffic_add(vr_current, m->comm->world ? m->comm->world[to] : to, bytes);
}

/* A member's number counted from the root is the sum of powers of two; clearing the lowest one gives its parent. */
static int from_root(const struct ampi_shm_coll *m, int root)
{
	return m->rank >= root ? m->rank - root : m->rank - root + m->size;
}

static int to_member(const struct ampi_shm_coll *m, int root, int number)
{
	return number + root < m->size ? number + root : number + root - m->size;
}

static void up(const struct ampi_shm_coll *m, int root, int64_t bytes)
{
	int me = from_root(m, root);
	if (me)
		add(m, to_member(m, root, me & (me - 1)), bytes);
}

static void down(const struct ampi_shm_coll *m, int root, int64_t bytes)
{
	int64_t me = from_root(m, root), lowest = me ? me & -me : m->size;
	for (int64_t bit = 1; bit < lowest && me + bit < m->size; bit *= 2)
		add(m, to_member(m, root, me + bit), bytes);
}

static void to_all(const struct ampi_shm_coll *m, int64_t bytes)
{
	for (int i = 0; i < m->size; i++)
		if (i != m->rank)
			add(m, i, bytes);
}

static void alltoall(const struct ampi_shm_coll *m, int64_t bytes)
{
	if (!ampi_bruck_suits(m->size, bytes)) {
		to_all(m, bytes);
		return;
	}
	for (int64_t bit = 1; bit < m->size; bit *= 2)
		add(m, (m->rank + bit) % m->size, m->size / 2 * bytes);
}

void ampi_traffic_note(const struct ampi_shm_coll *m, enum ampi_coll kind, int root, int64_t bytes)
{
	int has_next = m->rank + 1 < m->size;
	if (m->size == 1)
		return;
	switch (kind) {
	case AMPI_COLL_BCAST:
		down(m, root, bytes);
		break;
	case AMPI_COLL_REDUCE:
		up(m, root, bytes);
		break;
	case AMPI_COLL_BARRIER:
	case AMPI_COLL_ALLREDUCE:
		up(m, 0, bytes);
		down(m, 0, bytes);
		break;
	case AMPI_COLL_REDUCE_SCATTER:
		up(m, 0, bytes);
		if (m->rank == 0)
			to_all(m, bytes / m->size);
		break;
	case AMPI_COLL_GATHER:
		if (m->rank != root)
			add(m, root, bytes);
		break;
	case AMPI_COLL_ALLGATHER:
		add(m, has_next ? m->rank + 1 : 0, bytes * (m->size - 1));
		break;
	case AMPI_COLL_ALLTOALL:
		alltoall(m, bytes);
		break;
	case AMPI_COLL_SCAN:
		if (has_next)
			add(m, m->rank + 1, bytes);
		break;
	default:
		break; /* calls that make communicators and the like are rare */
	}
}

void ampi_traffic_note_blocks(const struct ampi_shm_coll *m, const struct ampi_layout *l)
{
	for (int i = 0; i < m->size; i++) {
		int64_t bytes = ampi_layout_count(l, i) * ampi_layout_type(l, i)->size;
		if (i != m->rank && bytes)
			add(m, i, bytes);
	}
}
