/* Point-to-point messages on the core: starting, matching, completing (MPI 5.0 chapter 3). */
#ifndef VRANK_P2P_H
#define VRANK_P2P_H

#include "vrank/core/inbox.h"
#include "vrank/core/job.h"

/* What a send call says. */
struct vr_message {
	const void *buf;
	int64_t count;
	const struct vr_type *type;
	uint32_t context;
	int32_t source; /* the sender's rank in the communicator */
	int32_t dest; /* the receiver's, for reports */
	int32_t dest_world; /* the receiver's rank in MPI_COMM_WORLD */
	int32_t tag;
	enum vr_mode mode;
};

/* The owner of `me`, any stack. Start a send of that rank. NULL: it is complete. VR_NO_MEMORY: the slice is full. Else the
 * request to wait for. The buffer is where the data is now: vr_live. */
struct vr_request *vr_send_start_as(struct vr_rank *me, const struct vr_message *m);
#define VR_NO_MEMORY ((struct vr_request *)-1)

/* Rank stack. The same for the rank that runs. */
static inline struct vr_request *vr_send_start(const struct vr_message *m)
{
	return vr_send_start_as(vr_current, m);
}

/* The owner of r->rank, any stack. The same on a request that the caller made (persistent sends); it completes in any case. 0, or -1. */
int vr_send_start_on(struct vr_request *r, const struct vr_message *m);

/* The owner of r->rank, any stack. Start a receive on a request whose context, peer, tag, buf, type and count are set. With VR_RQ_HOOK it may
 * be complete and gone when this returns. */
void vr_recv_start(struct vr_request *r);

/* Rank stack. Receive the message that a matched probe took out of the queue. */
void vr_recv_message(struct vr_request *r, struct vr_env *e);

/* Rank stack. The oldest message for (context, source, tag) that has arrived, or NULL. Does not switch. */
struct vr_env *vr_probe_now(uint32_t context, int32_t source, int32_t tag);

/* Rank stack. The same, but waits for one; switches. */
struct vr_env *vr_probe_wait(uint32_t context, int32_t source, int32_t tag);

/* Move bytes between buffers at canonical addresses, one of them of a rank of this worker. */
void vr_data_copy(const struct vr_data *to, const struct vr_data *from, int64_t bytes);

/* Rank stack. Take back a receive that is still posted, or a send that nobody matched: it completes with VR_RQ_CANCELLED, a send to
 * another worker when that has answered. 0 when it is too late. */
int vr_request_cancel(struct vr_request *r);

/* The owner of r->rank. Mark a request complete and wake its rank if it waits for it. */
void vr_request_complete(struct vr_request *r);

/* Rank stack. Sleep until `need` of the n requests have completed; NULL entries do not count. Switches. */
void vr_request_wait(struct vr_request **r, int64_t n, int64_t need);

/* Can this PE put a message into the queues of rank `to` itself? Not before all that other PEs have put into its inbox is out of there, else it
 * would overtake what the sender has sent from another one. */
static inline int vr_is_local(struct vr_rank *to)
{
	if (!vr_is_mine(to))
		return 0;
	if (vr_likely(!atomic_load_explicit(&to->inbox, memory_order_relaxed)))
		return 1;
	vr_inbox_drain(to);
	return !atomic_load_explicit(&to->inbox, memory_order_relaxed);
}

/* Any stack: the receiver of a send is done with its data. */
void vr_acknowledge(struct vr_request *send);

/* Rank stack. Let what has arrived complete requests; does not switch. */
void vr_progress(void);

/* The owner. A request that rank r has not used before; NULL when there is no memory for more. */
struct vr_request *vr_request_new(struct vr_rank *r);

/* The owner. A request of rank r, kind set, all that outlives a use zero; NULL when there is no memory for more. */
static inline struct vr_request *vr_request_alloc(struct vr_rank *rank, enum vr_request_kind kind)
{
	struct vr_request *r = rank->free_requests;
	if (vr_likely(r != NULL))
		rank->free_requests = r->next;
	else if (!(r = vr_request_new(rank)))
		return NULL;
	rank->live_requests++;
	r->kind = kind;
	r->flags = 0;
	r->error = 0;
	r->mode = 0;
	r->bytes = 0;
	r->comm = 0;
	r->extra = NULL;
	return r;
}

static inline void vr_request_free(struct vr_request *r)
{
	struct vr_rank *rank = r->rank;
	if (vr_unlikely(r->flags & VR_RQ_HOLDS_TYPE))
		vr_type_release((struct vr_type *)r->type, rank);
	r->kind = VR_REQ_FREE;
	r->next = rank->free_requests;
	rank->free_requests = r;
	rank->live_requests--;
}

/* The owner of r: a fastbox that lay in its inbox has arrived. */
void vr_p2p_fastbox(struct vr_rank *r, const struct vr_fastbox *fastbox);

/* The owner of r: carry out a node that lay in its inbox. */
void vr_p2p_handle(struct vr_rank *r, struct vr_node *n);

/* Why a rank that asked for memory, or for a request, got none, and the way out. The text is valid until the next call. */
const char *vr_why_full(const struct vr_rank *r);

#endif
