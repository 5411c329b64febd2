/* Remote procedure calls: a rank has another one run a function of the program or of one of its libraries. ampi_rpc.hpp is for C++.
 *
 *     int AMPI_Rpc_ff(rank, fn, arg, size, comm)                               runs fn(arg, size, origin, comm) there; does not wait
 *     int AMPI_Rpc(rank, fn, arg, size, reply, &reply_size, comm)              waits for the answer; reply_size: in the room, out the length
 *     int AMPI_Irpc(rank, fn, arg, size, reply, &reply_size, comm, &request)   the same, and MPI_Wait waits
 *
 * Functions run on the stack of the rank that is called, while that is inside of a call of MPI. They wait for nothing: they may send, start
 * what is not blocking, and make calls of their own, but for AMPI_Rpc. Calls between two ranks run in the order in which they were made.
 * docs/code-travels.md tells more. */
#ifndef AMPIRUN_AMPI_RPC_H
#define AMPIRUN_AMPI_RPC_H

#include "mpi.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Where functions run: AMPI_Rpc_progress. */
#define AMPI_RPC_IN_CALLS 0
#define AMPI_RPC_PREEMPT 1

/* The bytes of a token that have to travel: 8, or all 32. */
static inline size_t AMPI_Token_size(const AMPI_Token *token)
{
    return !(token->word >> 63) || (token->word >> 48 & 0x7fff) ? sizeof token->word : sizeof *token;
}

/* What AMPI_Rpc_debug_text tells of: a pointer and its segment in the table, the table, what was found last. */
#define AMPI_RPC_POINTER 0
#define AMPI_RPC_TABLE 1
#define AMPI_RPC_CACHE 2

/* The same to a descriptor. Colour: 0 none, 1 always, 2 for terminals; AMPI_RPC_COLOR=yes or no in the environment decides what 2 means. */
int AMPI_Rpc_debug_write_ptr(const void *pointer, int fd, int color);
int AMPI_Rpc_debug_write_segment_table(int fd, int color);
int AMPI_Rpc_debug_write_cache(int fd);

#if defined(__cplusplus)
}
#endif

#endif
