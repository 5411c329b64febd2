/* The structures of the C core. One definition: Go sees them through cgo, offsets_test.go checks sizes and offsets.
 *
 * Everything here lies in the region that all workers of a node map at one address, so a pointer in it means the same in
 * every worker. A rank's own state is touched by the worker that owns the rank; what other workers may touch is said at
 * the field, is atomic, and has a cache line of its own. */
#ifndef VRANK_RANK_H
#define VRANK_RANK_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "vrank/p2p/match.h"
#include "vrank/p2p/type.h"

#define VR_LINE 64
#define VR_MAGIC 0x6b6e6172u /* "rank" */
#define VR_MAX_PES 256
#define VR_IN_TRANSIT 0x10000
#define VR_TLS_MODULES 64 /* images with thread-local variables that one program may have */

#define vr_likely(x) __builtin_expect(!!(x), 1)
#define vr_unlikely(x) __builtin_expect(!!(x), 0)

/* Life of a rank. Only RUNNING ranks execute; READY ones are in the run queue of their PE. */
enum vr_state {
	VR_NEW,
	VR_READY,
	VR_RUNNING,
	VR_BLOCKED, /* in wait: see struct vr_wait */
	VR_SLEEPING, /* in the timer list */
	VR_SERVED, /* Go works on its call record */
	VR_FAULTED,
	VR_ENDED,
};

/* What a blocked rank waits for: read by the deadlock report, also from other processes. */
struct vr_wait {
	int32_t fn; /* AMPI_FN_ of the MPI call, -1 outside of MPI */
	int32_t peer; /* rank in the communicator, or MPI_ANY_SOURCE; VR_NOBODY when not about one peer */
	int32_t tag; /* in a wait for a collective operation: AMPI_FN_ of the call that started it, with VR_NOBODY and count > 0; else -1 there */
	uint32_t context;
	uint64_t count; /* requests it waits for */
	int32_t members; /* of the communicator, in a collective call */
};
#define VR_NOBODY (-100)

/* Tags of waits on windows. */
enum {
	VR_WAITS_FOR_LOCK = -101, /* of peer, or of all; count is the address of an int32_t: 1 + the rank that has it for itself, or 0 */
	VR_WAITS_FOR_POST = -102, /* of peer */
	VR_WAITS_FOR_COMPLETE = -103, /* of the ranks that it has posted for */
	VR_WAITS_FOR_OPERATION = -104, /* that the worker of peer does for it */
};

/* Contexts that sleep until something happens that makes them all ready at once, chained by run_next. One PE has the chain: the
 * one on which they went to sleep. */
struct vr_waitlist {
	struct vr_context *first, *last;
	uint32_t migration_epoch; /* vr_migration_epoch when the first one came */
	int32_t mixed; /* some of them were elsewhere when they came */
};

/* A call that Go serves: filled on the rank's stack, served on the PE's. */
struct vr_call {
	int32_t fn;
	int32_t nargs;
	uint64_t *args;
	int64_t ret;
	int32_t klass; /* MPI error class, 0 = success */
	uint64_t comm; /* handle whose error handler takes the error */
	char text[256]; /* what was wrong, for the error message */
};

/* Calls of the core itself: see dl.c. */
#define VR_FN_SYMBOL (-2)
#define VR_FN_OPEN (-3)
#define VR_FN_NAME (-4)
#define VR_FN_CLOSE (-5)
#define VR_FN_IDENTITY (-6)
#define VR_FN_LOCAL_NAME (-7)
#define VR_DL_ROOM 1024 /* for what dlerror says */

struct vr_counters {
	uint64_t sent, received; /* messages */
	uint64_t sent_bytes, received_bytes;
	uint64_t user_ticks; /* time-stamp counter ticks spent running */
	uint64_t moves; /* to another worker */
	uint64_t written[2]; /* bytes to standard output and error */
};

/* What a program has said about the load of a rank: balance.c. */
struct vr_load {
	double value; /* seconds; counts instead of what is measured while is_set */
	int32_t is_set, is_stopped;
	uint64_t stopped_at; /* user ticks, while is_stopped */
	uint64_t left_out; /* user ticks that do not count */
	int32_t is_fixed; /* it is to stay where it is */
	int32_t is_told; /* the program has functions called when it moves, so it moves on its own stack only */
	_Atomic int32_t at_point; /* it is in a call in which it looks where it is to go */
	_Atomic int32_t destination; /* the PE and 1, where it is to go then; or 0 */
};

/* A function registered to run when the rank ends. */
struct vr_atexit {
	struct vr_atexit *next;
	void *fn;
	void *arg;
	void *dso;
	int kind; /* enum vr_atexit_kind, see atexit.c */
};

/* Where the parts of a slice begin, as offsets from its start: the same for all ranks of a job. */
struct vr_layout {
	uint64_t slice_size;
	uint64_t guard, guard_size;
	uint64_t stack, stack_size;
	uint64_t control_block; /* of a rank of colour 0 */
	uint64_t tls_size; /* TLS save area of the thread-local block [TP - tls_size, TP): just below the control block */
	uint64_t images, images_size, images_align;
	uint64_t requests, requests_size;
	uint64_t libraries, libraries_size; /* that are opened at run time */
	uint64_t heap, heap_size;
};

/* Functions of the rank's own C library that the runtime calls. */
enum vr_libc {
	VR_LIBC_SPAWN, VR_LIBC_SPAWNP, VR_LIBC_EXECVPE,
	VR_LIBC_FDOPEN, VR_LIBC_FCLOSE, VR_LIBC_FOPEN, VR_LIBC_OPENDIR, VR_LIBC_CLOSEDIR, VR_LIBC_TMPFILE, VR_LIBC_SETMNTENT,
	VR_LIBC_STRDUP, VR_LIBC_MMAP, VR_LIBC_MUNMAP, VR_LIBC_LANGINFO, VR_LIBC_LANGINFO_L,
	VR_LIBC_THREAD_DEFAULT, VR_LIBC_READDIR, VR_LIBC_READDIR_R, VR_LIBC_SCANDIR, VR_LIBC_COUNT
};

/* Entry points of the program, absolute addresses in the rank's images; filled by the loader. */
struct vr_entry {
	uint64_t main, early_init, ctype_init, fflush;
	uint64_t environ_var; /* address of the C library's environ */
	uint64_t progname, progname_full; /* addresses of program_invocation_short_name, program_invocation_name; or 0 */
	uint64_t *inits, *finis;
	uint32_t ninits, nfinis;
	uint64_t threads, threads_size; /* the image of libpthread.so.0, before glibc 2.34: privatize/libpthread; or 0 */
	uint64_t freopen; /* of the rank's C library */
	uint64_t errno_location; /* __errno_location of the rank's C library */
	uint64_t single_threaded, single_threaded_inside; /* addresses of __libc_single_threaded: the program's, which may be a copy, and the C library's; or 0 */
	uint64_t backtrace; /* _Unwind_Backtrace; or 0 */
	uint64_t shim_unpack, shim_error; /* of a program built with ampicc; or 0 */
	uint64_t file_read, file_write, file_close; /* of the C library, behind _IO_file_jumps: stdio.c; or 0 */
	uint64_t libc[VR_LIBC_COUNT];
};

/* What runs and sleeps: a stack, and why it does not run. The scheduler knows nothing else. A rank has one for its first thread, and one for each
 * fiber on which a call of another thread of its runs (fiber.h). */
struct vr_context {
	_Atomic uint32_t state; /* enum vr_state */
	int32_t exit_code;
	void *sp; /* saved stack pointer while not running */
	struct vr_context *run_next; /* run queue of the owner; or another list of those that sleep */
	struct vr_rank *rank; /* that it is a context of */
	uint64_t need; /* requests that must complete before it is ready again */
	uint64_t resumed_at; /* time-stamp counter */
	int64_t wake_at; /* nanoseconds of CLOCK_MONOTONIC, while SLEEPING */
	struct vr_context *timer_next;
	struct vr_wait wait;
	struct vr_node wake; /* makes it ready when it arrives in the inbox of its rank */
	struct vr_call call;
};

/* How far a rank has come with getopt, and what its program has no variables for. */
struct vr_getopt {
	char *const *argv;
	int32_t begun; /* optind before the first of the calls */
	int32_t calls; /* since then, with these arguments */
	int32_t left; /* optind after the last one */
	int32_t is_ready;
	int32_t optind, opterr, optopt;
	int32_t pe; /* in which the last call was */
	uint64_t stamp; /* of the last call in that worker */
	char *optarg;
};

/* The rank control block, above the stack of its slice, and directly above its TLS save area: see vr_rank_of, vr_tls_of. Its first cache line is
 * all that a switch touches, the beginning of its context included. */
struct vr_rank {
	int32_t id; /* rank in MPI_COMM_WORLD */
	uint32_t magic;
	uint64_t switches;
	struct iso_heap *heap;
	uint64_t slice; /* its address */
	struct vr_context context; /* of its first thread */

	struct vr_request *requests; /* array of the slice: see vr_request_at */
	struct vr_request *free_requests;
	uint32_t nrequests, live_requests;
	uint64_t requests_open; /* bytes of the array that can be used: access.h */
	int32_t libraries_open; /* room for libraries can be used */
	int32_t mpi_state; /* enum vr_mpi_state */
	int32_t calls_waiting; /* remote calls that could not run when they arrived */
	struct vr_context *probing; /* contexts that sleep until any message arrives, chained by run_next */
	uint64_t images; /* address of its images: in its slice, unless ranks share them */

	/* Other workers push here: see inbox.c. The owner's number is beside what they will write. */
	alignas(VR_LINE) _Atomic(struct vr_node *) inbox;
	_Atomic int32_t pe; /* owner; with VR_IN_TRANSIT: nobody yet, but soon this one */
	_Atomic uint32_t on_wake; /* is in, or on its way into, the wake list of a PE */
	struct vr_rank *wake_next;
	struct vr_fastbox fastbox;

	alignas(VR_LINE) struct vr_matcher matcher;
	struct vr_counters counters;
	struct vr_rank *all_next, **all_at; /* ranks of one PE; and the pointer that leads here */

	struct vr_entry entry;
	int32_t home_pe; /* where it began */
	int32_t argc;
	char **argv, **envp;
	struct vr_atexit *atexit, *atexit_quick, *thread_exit;
	uint32_t finis_run; /* so many of entry.finis have been called */
	int32_t exiting; /* depth: a second exit() while handlers run */
	uint64_t tls_offset[VR_TLS_MODULES]; /* block of module m is at TP - tls_offset[m] */
	void *mpi; /* struct ampi_rank: the MPI layer's state */
	_Atomic int32_t threads; /* threads that it started and that live */
	int32_t children; /* processes that it started and has not waited for */
	struct vr_fiber *fibers, *idle_fibers; /* all of them; and those that have nothing to do */
	int32_t nfibers;
	void *keys, **key_values; /* keys.c */
	struct vr_signals *signals; /* signals.c */
	struct vr_process *process; /* process.h */
	struct vr_cxx_globals { void *caught; uint64_t uncaught; } cxx; /* of exceptions, where libraries are shared: ldso_libs.c */
	struct vr_getopt getopt; /* where libraries are shared: ldso_getopt.c */
	char *strtok_at; /* where libraries are shared: ldso_libs.c */
	int32_t statements; /* of Fortran that read or write, begun and not done: ldso_fortran.c */
	int32_t standard_fd[3]; /* private descriptors in place of 0, 1, 2; 0 where there is none: stdio.c */
	int32_t streams_know; /* bit by bit, whether the program's stream has the number of that one: freopen */
	void *affinity; /* cores that it has asked for; or NULL: affinity.c */
	int32_t directory; /* descriptor of its current one; 0 where the worker began: cwd.c */
	char *error_text, *signal_text; /* strings.c */
	char *dl_text; /* what dlerror says */
	int32_t dl_failed;
	int32_t globals; /* libraries that were opened with RTLD_GLOBAL */
	struct vr_library *libraries, *last_library; /* opened at run time: library.c */
	uint32_t library_changes; /* of that list, and of what in it is open */
	struct vr_library *finis; /* those with destructors, the last one first */
	char **tls_blocks; /* by module, of the rank's own thread: blocks that have no fixed place below the thread pointer */
	struct vr_move *move; /* by which it goes to another worker: move.c */
	void *packed_mpi; /* what Go kept of it in the worker it came from, in the slice, until this worker's Go needs it */
	uint64_t packed_mpi_size;
	int32_t is_kept; /* Go keeps something of it now */
	struct vr_break {
		uint64_t lo, now, hi; /* 0 before it is first asked for: brk.c */
	} brk;
	struct vr_file_mapping *file_mappings; /* file_mapping.c */
	int32_t is_redirected; /* its C library maps files by the functions for it: redirect.c */
	_Atomic int32_t descriptors; /* that have numbers of the job's: fd_table.c */
	int32_t fds_in_flight; /* descriptors are on their way: fd_passing.c */
	struct vr_guarded *guarded; /* protect.c */
	int32_t nguarded;
	struct vr_load load;
	_Atomic(struct vr_traffic *) traffic; /* messages by receiver, while they are counted; or NULL */
	_Atomic int32_t exposed; /* windows of whose memory in its slice others may have the address */
	_Atomic int32_t is_pinned; /* it cannot be moved to another worker */
	char pinned[128]; /* why: pin.c */
};

enum vr_mpi_state { VR_MPI_BEFORE, VR_MPI_RUNNING, VR_MPI_FINALIZED };

/* Slices are alike and aligned, so without this the control blocks of all ranks, and the hot ends of their stacks, would
 * fall into the same few sets of the first-level cache. */
#define VR_COLOURS 32
static inline uint64_t vr_colour(int32_t id)
{
	return (uint32_t)id % VR_COLOURS * VR_LINE;
}

/* Beside the control block lie what every rank uses: the MPI layer's state and the first requests. */
#define VR_MPI_STATE 1024
#define VR_NEAR_REQUESTS 8
#define VR_CONTROL_BLOCK (sizeof(struct vr_rank) + VR_MPI_STATE + VR_NEAR_REQUESTS * sizeof(struct vr_request))

/* A handle has 24 bits for the index of its request. */
#define VR_REQUESTS_MAX ((uint64_t)sizeof(struct vr_request) << 24)

/* Room in a slice for TLS save area and control block. */
static inline uint64_t vr_head_size(uint64_t tls_size)
{
	return tls_size + VR_CONTROL_BLOCK + VR_COLOURS * VR_LINE;
}

/* The request with this index of a rank: a handle's value. */
static inline struct vr_request *vr_request_at(struct vr_rank *r, uint32_t index)
{
	if (vr_likely(index < VR_NEAR_REQUESTS))
		return (struct vr_request *)((char *)(r + 1) + VR_MPI_STATE) + index;
	return &r->requests[index];
}

/* A thread that a rank started: on that thread's stack. */
struct vr_thread {
	struct vr_rank *rank;
	uint64_t number; /* from 1; that of no other thread of the worker, ever */
	void **keys;
	struct vr_atexit *exit;
	char **tls_blocks;
};

#define VR_THREAD_LOCAL __thread __attribute__((tls_model("local-exec")))

/* The rank whose code this thread runs, NULL on the PE's own stack. */
extern VR_THREAD_LOCAL struct vr_rank *vr_current;

/* On the PE thread: the context of vr_current that runs. */
extern struct vr_context *vr_context;

/* Set in threads that ranks started, NULL on the PE thread. */
extern VR_THREAD_LOCAL struct vr_thread *vr_thread;

#endif
