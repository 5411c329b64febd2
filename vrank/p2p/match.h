/* Envelopes, requests and the queues in which they meet (MPI 5.0 section 3.5: matching and order). */
#ifndef VRANK_MATCH_H
#define VRANK_MATCH_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "vrank/p2p/type.h"

struct vr_rank;
struct vr_context;
struct vr_request;

/* What can be pushed into an inbox. */
enum vr_node_kind {
	VR_NODE_EAGER = 1, /* envelope with its payload */
	VR_NODE_RENDEZVOUS, /* envelope that refers to the sender's buffer */
	VR_NODE_ACK, /* a request of the receiver of this node has been carried out by its peer */
	VR_NODE_CANCEL, /* envelope that refers to a send: give it back if nobody has matched it */
	VR_NODE_CANCEL_ANSWER, /* the same envelope on its way back; bytes is 1 when the send is cancelled */
	VR_NODE_WAKE, /* `wake` of a context: it becomes ready */
	VR_NODE_RUN, /* a struct vr_work, to be run by the owner of the rank */
};

struct vr_node {
	struct vr_node *next;
	uint8_t kind; /* enum vr_node_kind */
	uint8_t size_class; /* of pooled envelopes */
	uint16_t pe; /* whose pool the envelope came from */
	uint32_t context;
};

/* A message on its way. The first cache line is all that a small message needs. */
struct vr_env {
	struct vr_node node;
	int32_t source, tag; /* source: rank in the communicator */
	int64_t bytes;
	union {
		char inline_data[32];
		struct {
			struct vr_request *sender;
			const void *buf;
			const struct vr_type *type;
			int64_t count;
		};
	};
	/* the receiver's: places in the unexpected queue */
	struct vr_env *bucket_next, *bucket_prev, *arrival_next, *arrival_prev;
	uint64_t matched_comm; /* of the MPI layer: whose message it is that a matched probe took */
	uint64_t flow; /* while the timeline is recorded: how p2p.c counts it */
	uint64_t pad[2];
	char data[]; /* payload of more than VR_INLINE bytes */
};
#define VR_INLINE 32
_Static_assert(sizeof(struct vr_env) == 128, "an envelope is two cache lines");

/* A message so small that it travels in the cache line of the receiver's inbox. The sender that finds the inbox empty puts
 * VR_FASTBOX there, which makes the fastbox its own to fill; what others push meanwhile lies on top of it. */
struct vr_fastbox {
	_Atomic uint32_t full; /* the receiver may read it */
	uint32_t context;
	int32_t source, tag;
	uint32_t bytes;
	char data[20];
};
#define VR_FASTBOX ((struct vr_node *)1)
#define VR_FASTBOX_BYTES 20

enum vr_request_kind {
	VR_REQ_FREE,
	VR_REQ_SEND,
	VR_REQ_RECV,
	VR_REQ_DONE, /* complete from the start: PROC_NULL, buffered sends */
	VR_REQ_COMPOUND, /* of the MPI layer: several messages, or none; it says when it is complete */
};

enum {
	VR_RQ_DONE = 1, /* complete: status is final */
	VR_RQ_WAITED = 2, /* `waiter` sleeps until it completes */
	VR_RQ_PERSISTENT = 4,
	VR_RQ_ACTIVE = 8, /* persistent and started; others are always active */
	VR_RQ_ORPHAN = 16, /* freed by the program before it completed */
	VR_RQ_CANCELLED = 32,
	VR_RQ_POSTED = 64, /* in the posted queue */
	VR_RQ_OWNS_BUFFER = 128, /* buf is a copy that the runtime made */
	VR_RQ_HOLDS_TYPE = 256, /* counts in type->refs */
	VR_RQ_HOOK = 512, /* extra points to a struct vr_hook */
	VR_RQ_ASKED = 2048, /* its receiver has been asked to give it back: complete only when that is answered */
	VR_RQ_ACKED = 4096, /* the receiver has carried it out meanwhile */
	VR_RQ_LISTED = 1024, /* is in the list of a call: found twice there, it is an error */
};

enum vr_mode { VR_STANDARD, VR_SYNCHRONOUS, VR_BUFFERED, VR_READY_MODE };

/* A request lives in its rank's slice. Only the worker that owns the rank touches it, except env of a rendezvous send:
 * that is the receiver's until it pushes the ACK. */
struct vr_request {
	struct vr_env env; /* rendezvous envelope or ACK node of a send */
	struct vr_rank *rank;
	uint32_t index; /* in the rank's array: the handle */
	uint16_t kind; /* enum vr_request_kind */
	uint16_t mode; /* enum vr_mode */
	uint32_t flags;
	uint32_t context;
	int32_t peer, tag; /* as given: rank in the communicator or a wildcard */
	int32_t peer_world; /* rank in MPI_COMM_WORLD of the peer, -1 with wildcards */
	int32_t error; /* MPI error class */
	void *buf;
	const struct vr_type *type;
	int64_t count;
	uint64_t comm; /* handle, for the error handler */
	/* status */
	int32_t source, got_tag;
	int64_t bytes;
	/* posted queue, or the list of free requests */
	struct vr_request *next, *prev;
	uint64_t sequence; /* order of posting */
	void *extra; /* of the MPI layer */
	struct vr_context *waiter; /* context that sleeps until it completes, with VR_RQ_WAITED */
};

/* Called when a request with VR_RQ_HOOK is complete, on any stack of its owner, instead of freeing an orphan. It may free the
 * request; what sends or receives in reply to it is a hook: progress_hook.h. */
struct vr_hook {
	void (*completed)(struct vr_request *r);
};

struct vr_posted {
	struct vr_request *head, *tail;
};
struct vr_unexpected {
	struct vr_env *head, *tail;
};

#define VR_BUCKETS 32

/* The queues of one rank. Posted receives without wildcards and unexpected messages are hashed by (context, source, tag);
 * receives with a wildcard have a list of their own, unexpected messages also one in order of arrival. */
struct vr_matcher {
	struct vr_posted wildcards;
	struct vr_unexpected order;
	uint64_t sequence;
	uint32_t nposted, nunexpected, nwildcards;
	uint32_t buckets; /* a power of two */
	struct vr_posted *posted;
	struct vr_unexpected *unexpected;
	struct vr_posted first_posted[VR_BUCKETS];
	struct vr_unexpected first_unexpected[VR_BUCKETS];
};

void vr_match_init(struct vr_matcher *m);

/* Find and remove the oldest posted receive that takes this envelope; NULL when there is none. */
struct vr_request *vr_match_posted(struct vr_matcher *m, uint32_t context, int32_t source, int32_t tag);

static inline struct vr_request *vr_match_arrived(struct vr_matcher *m, uint32_t context, int32_t source, int32_t tag)
{
	return m->nposted ? vr_match_posted(m, context, source, tag) : 0;
}

/* Find the oldest unexpected message for (context, source, tag), wildcards allowed; it stays in the queue. */
struct vr_env *vr_match_find_unexpected(struct vr_matcher *m, uint32_t context, int32_t source, int32_t tag);

static inline struct vr_env *vr_match_find(struct vr_matcher *m, uint32_t context, int32_t source, int32_t tag)
{
	return m->nunexpected ? vr_match_find_unexpected(m, context, source, tag) : 0;
}

void vr_match_post(struct vr_matcher *m, struct vr_request *r);
void vr_match_unpost(struct vr_matcher *m, struct vr_request *r);
void vr_match_enqueue_unexpected(struct vr_matcher *m, struct vr_env *e);
void vr_match_remove_unexpected(struct vr_matcher *m, struct vr_env *e);

#endif
