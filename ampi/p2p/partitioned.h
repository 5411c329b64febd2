/* Partitioned communication (MPI 5.0 chapter 4): what both sides of a pair keep, and how their data are cut into messages.
 *
 * The two sides meet once: each sends the other a greeting when it is made, in the runtime's own context, so that sends and
 * receives are paired in the order of their calls. From then on both know how the other one divides the data, and cut it into
 * the same pieces. A piece is one message: it is sent when all its partitions are ready, in a context that only this pair
 * has, with the number of the piece as its tag; rounds follow each other in the order of messages. */
#ifndef AMPI_PARTITIONED_H
#define AMPI_PARTITIONED_H

#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"
#include "vrank/core/progress_hook.h"

struct ampi_greeting {
	int64_t bytes; /* of data of all partitions */
	int32_t partitions;
	uint32_t context; /* of the pieces: the sender chooses it */
};

/* Partitions [first, first + n) of the sender, bytes [offset, offset + bytes) of the data. */
struct ampi_piece {
	int32_t first, n;
	int64_t offset, bytes;
	int32_t missing; /* sender: of its partitions, in this round, those that are not ready */
};

struct ampi_partitioned {
	struct ampi_activity activity;
	struct vr_progress_hook hook; /* of greetings and pieces */
	struct vr_request *self;
	struct vr_request *greeting; /* the receive of the other side's */
	int32_t is_send, is_null; /* null: the peer is MPI_PROC_NULL */
	int32_t source, peer, peer_world, tag;
	int32_t partitions;
	int64_t count; /* elements of a partition */
	int64_t bytes; /* of data of a partition */
	void *buf;
	const struct vr_type *type;
	struct ampi_greeting mine, theirs;
	int32_t known; /* theirs is there, and the pieces are made */
	int32_t greeting_pending; /* messages of the greeting that are not complete */
	int32_t npieces;
	struct ampi_piece *pieces;
	int32_t *piece_of; /* sender: of each partition */
	char *staging; /* receiver: all data, packed, when pieces end inside of elements */
	/* this round */
	int32_t nready, ndone; /* partitions ready, pieces complete */
	int32_t posted; /* receiver: the receives are started */
	int64_t *state; /* of each partition: sender: is it ready? receiver: bytes that are missing */
};

extern const struct ampi_request_class ampi_partitioned_class;

/* Make the request of one init call from what it says, checked: is_send to type. The class that was raised, or 0. Rank stack. */
int ampi_partitioned_make(const struct ampi_transfer *t, const struct ampi_partitioned *given, MPI_Request *request);

/* Partition i of an active send, which was not ready, is. Rank stack. */
void ampi_partition_ready(struct ampi_partitioned *p, int32_t i);

/* Both sides are known: cut the data. 0, or an error class. Any stack of the owner. */
int ampi_partitioned_cut(struct ampi_partitioned *p);

/* The first partition of the receiver with data of a piece, and the one behind the last. */
static inline int32_t ampi_piece_begin(const struct ampi_partitioned *p, const struct ampi_piece *x)
{
	return p->bytes ? x->offset / p->bytes : 0;
}

static inline int32_t ampi_piece_end(const struct ampi_partitioned *p, const struct ampi_piece *x)
{
	return p->bytes ? (x->offset + x->bytes + p->bytes - 1) / p->bytes : p->partitions;
}

#endif
