/* Remote procedure calls: a rank has another one run a function of their program, which is named by a token (codeseg/codeseg.h).
 *
 * A call is an active message (vrank/p2p/active.h): the argument, and behind it what the function is and where the answer goes. The receiver keeps
 * calls in a queue, and runs them on its own stack, in a callback, as soon as it is in a call of MPI. The answer is an ordinary message, which a receive
 * waits for that the caller has posted. */
#ifndef AMPI_RPC_H
#define AMPI_RPC_H

#include "ampi/ampi.h"
#include "ampi_rpc.h"
#include "codeseg/images.h"
#include "vrank/core/progress_hook.h"

/* Contexts below AMPI_CONTEXT_WORLD, which no communicator has. */
enum {
	AMPI_RPC_ANSWER = 1, /* messages: source is a rank in MPI_COMM_WORLD, the tag the index of the caller's request */
	AMPI_RPC_FAILURE = 2, /* active ones: what an answer would be, with a class and a text */
};

struct ampi_rpc {
	struct vr_progress_hook hook; /* runs the queue */
	struct vr_env *first, *last; /* linked by arrival_next */
	struct cs_rank segments;
	int32_t enforces; /* calls into segments that are not verified are errors */
	int32_t enforces_is_set; /* by the program */
	uint32_t limit; /* numbers of segments that may be used; 0: not looked at yet */
	uint32_t *closed; /* contexts of communicators that are gone */
	uint32_t nclosed, closed_room;
	char failure[256]; /* what the last call failed of, in words */
};

/* The state of a rank, made when it is needed. The owner. NULL when the slice is full. */
struct ampi_rpc *ampi_rpc_of(struct vr_rank *r);

/* ---- what follows the argument: rpc_wire.c ---- */

struct ampi_rpc_call {
	struct cs_token token;
	uint64_t capacity; /* room for an answer */
	int32_t origin; /* rank in the communicator, where that is not MPI_COMM_WORLD */
};

/* Write it into `room`, with its end at the end; returns how long it is. */
uint32_t ampi_rpc_pack(const struct ampi_rpc_call *c, int is_world, char room[VR_LINE]);

/* Read it from where it ends; returns how long it is, or 0 if that is more than `bytes`. */
uint32_t ampi_rpc_unpack(struct ampi_rpc_call *c, int is_world, const char *end, int64_t bytes);

/* ---- receiving: rpc_run.c ---- */

/* Once, before ranks start. */
void ampi_rpc_setup(void);

/* ---- pointers: rpc_token.c. Rank stack ---- */

/* The token of a pointer for `dest` (a rank in MPI_COMM_WORLD; -1: anybody), who is to call it or not; the class that was raised, or 0. */
int ampi_rpc_token(struct ampi_comm *c, int fn, const void *pointer, int32_t dest, int is_call, struct cs_token *out);

/* A variable of the rank's environment, or NULL. */
const char *ampi_rpc_getenv(const char *name);

/* Is enforcement on? */
int ampi_rpc_enforces(struct ampi_rpc *s);

/* Ranks that know the numbers of segments that were verified in a communicator smaller than all. */
struct ampi_rpc_group {
	int32_t n;
	int32_t world[]; /* ascending */
};

/* ---- words: rpc_debug.c ---- */

/* Text that is collected in a buffer: what does not fit is counted all the same. */
struct ampi_text {
	char *at;
	size_t room, length;
};
void ampi_text_add(struct ampi_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ampi_rpc_write_table(struct ampi_text *t, struct ampi_rpc *s, const struct cs_segment *marked, int colour);

/* Print the table to the rank's standard error. */
void ampi_rpc_print_table(struct ampi_rpc *s, const struct cs_segment *marked);

#endif
