/* The calls of partitioned communication (MPI 5.0 chapter 4): their arguments. */
#include "ampi/p2p/partitioned.h"

static int bad_partitions(const struct ampi_transfer *t, int partitions, MPI_Count count)
{
	if (partitions < 1)
		return ampi_raise(t->comm, MPI_ERR_ARG, t->fn, "partitions is %d", partitions);
	return ampi_raise(t->comm, MPI_ERR_COUNT, t->fn, "%d partitions of %lld elements are more than any buffer holds", partitions, (long long)count);
}

static int check_partitions(const struct ampi_transfer *t, int partitions, MPI_Count count, MPI_Info info)
{
	int64_t all;
	if (partitions < 1 || __builtin_mul_overflow(count, (int64_t)partitions, &all) || ampi_is_no_count(all, t->type))
		return bad_partitions(t, partitions, count);
	if (info != MPI_INFO_NULL && !AMPI_IS(AMPI_INFO, info) && info != MPI_INFO_ENV)
		return ampi_raise(t->comm, MPI_ERR_INFO, t->fn, "info (handle 0x%lx) is not an info object", (unsigned long)info);
	return MPI_SUCCESS;
}

/* Wildcards cannot be used: the pairs are made by the order of calls on both sides. */
static int check_peer(const struct ampi_transfer *t, const char *name, int peer, int tag)
{
	if ((uint32_t)peer >= (uint32_t)ampi_peer_count(t->comm) && peer != MPI_PROC_NULL)
		return ampi_bad_peer(t, name, peer);
	return tag < 0 ? ampi_bad_tag(t, tag) : MPI_SUCCESS;
}

static int prepare(int fn, int is_send, void *buf, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
		   MPI_Info info, MPI_Request *request)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, buf, count, type);
	if (error || (error = check_partitions(&t, partitions, count, info)) || (error = check_peer(&t, is_send ? "dest" : "source", peer, tag)))
		return error;
	int null = peer == MPI_PROC_NULL;
	struct ampi_partitioned p = {.is_send = is_send, .is_null = null, .source = t.comm->rank, .peer = peer, .tag = tag,
				     .peer_world = null ? -1 : ampi_peer_world(t.comm, peer), .partitions = partitions, .count = count,
				     .bytes = count * t.type->size, .buf = vr_canonical(vr_current, buf), .type = t.type};
	p.mine.bytes = partitions * p.bytes;
	p.mine.partitions = partitions;
	if (is_send && !null)
		p.mine.context = atomic_fetch_add(&vr_job->next_context, AMPI_CONTEXTS);
	return ampi_partitioned_make(&t, &p, request);
}

#define INITS(suffix, number)                                                                                                       \
	int ampi_Psend_init##suffix(const void *buf, int partitions, number count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,  \
				    MPI_Info info, MPI_Request *request)                                                                \
	{                                                                                                                               \
		return prepare(AMPI_FN_MPI_Psend_init##suffix, 1, (void *)buf, partitions, count, type, dest, tag, comm, info, request);   \
	}                                                                                                                               \
	int ampi_Precv_init##suffix(void *buf, int partitions, number count, MPI_Datatype type, int source, int tag, MPI_Comm comm,      \
				    MPI_Info info, MPI_Request *request)                                                                \
	{                                                                                                                               \
		return prepare(AMPI_FN_MPI_Precv_init##suffix, 0, buf, partitions, count, type, source, tag, comm, info, request);         \
	}
INITS(, int)
INITS(_c, MPI_Count)

/* ---- partitions ---- */

/* The side of a pair that a handle is for; or the class that was raised. */
static int find_partitioned(int fn, MPI_Request h, int is_send, struct ampi_partitioned **out)
{
	struct vr_request *r = ampi_request(h);
	if (!r || !ampi_running())
		return ampi_bad_request(fn, h);
	*out = r->extra;
	if (!r->extra || ampi_activity(r)->class != &ampi_partitioned_class || (*out)->is_send != is_send)
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is not a partitioned %s", is_send ? "send" : "receive");
	return MPI_SUCCESS;
}

static int bad_partition(const struct ampi_partitioned *p, int fn, int i)
{
	return ampi_raise(ampi_comm((MPI_Comm)p->self->comm), MPI_ERR_ARG, fn, "partition is %d, of %d", i, p->partitions);
}

static int find_send(int fn, MPI_Request h, struct ampi_partitioned **p)
{
	int error = find_partitioned(fn, h, 1, p);
	if (error || ampi_request_is_active((*p)->self))
		return error;
	return ampi_raise(ampi_comm((MPI_Comm)(*p)->self->comm), MPI_ERR_REQUEST, fn, "request is not active");
}

static int ready(int fn, struct ampi_partitioned *p, int i)
{
	if (i < 0 || i >= p->partitions)
		return bad_partition(p, fn, i);
	if (p->state[i])
		return ampi_raise(ampi_comm((MPI_Comm)p->self->comm), MPI_ERR_ARG, fn, "partition %d is ready already", i);
	ampi_partition_ready(p, i);
	return MPI_SUCCESS;
}

int ampi_Pready(int partition, MPI_Request request)
{
	const int fn = AMPI_FN_MPI_Pready;
	struct ampi_partitioned *p;
	int error = find_send(fn, request, &p);
	return error ? error : ready(fn, p, partition);
}

int ampi_Pready_range(int low, int high, MPI_Request request)
{
	const int fn = AMPI_FN_MPI_Pready_range;
	struct ampi_partitioned *p;
	int error = find_send(fn, request, &p);
	if (error)
		return error;
	if (low < 0 || high >= p->partitions || low > high)
		return ampi_raise(ampi_comm((MPI_Comm)p->self->comm), MPI_ERR_ARG, fn, "the range of partitions is %d to %d, of %d", low, high,
				  p->partitions);
	for (int i = low; i <= high && !error; i++)
		error = ready(fn, p, i);
	return error;
}

int ampi_Pready_list(int length, const int partitions[], MPI_Request request)
{
	const int fn = AMPI_FN_MPI_Pready_list;
	struct ampi_partitioned *p;
	int error = find_send(fn, request, &p);
	if (error)
		return error;
	if (length < 0)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "length is %d", length);
	for (int i = 0; i < length && !error; i++)
		error = ready(fn, p, partitions[i]);
	return error;
}

/* True of null and inactive requests (MPI 5.0 section 4.2.2). */
static int has_arrived(const struct ampi_partitioned *p, int i)
{
	return p->is_null || !ampi_request_is_active(p->self) || (p->self->flags & VR_RQ_DONE) || p->state[i] == 0;
}

int ampi_Parrived(MPI_Request request, int partition, int *flag)
{
	const int fn = AMPI_FN_MPI_Parrived;
	struct ampi_partitioned *p = NULL;
	int error = ampi_check_running(fn);
	if (!error && request != MPI_REQUEST_NULL)
		error = find_partitioned(fn, request, 0, &p);
	if (error)
		return error;
	if (p && (partition < 0 || partition >= p->partitions))
		return bad_partition(p, fn, partition);
	vr_progress();
	*flag = !p || has_arrived(p, partition);
	if (!*flag)
		vr_rank_yield();
	return MPI_SUCCESS;
}
