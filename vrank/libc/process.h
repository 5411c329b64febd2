/* What ranks keep of processes: the children that they have, and being one.
 *
 * A rank is a part of its worker's process, so the process's children, its signals and its fork are divided here. A child is
 * told from the worker by vr_is_child: in it there is no PE loop, no MPI and no Go, and only the rank that has called. */
#ifndef VRANK_PROCESS_H
#define VRANK_PROCESS_H

#include <signal.h>

#include "vrank/core/hooks.h"

struct vr_child {
	struct vr_child *next;
	int32_t pid;
	int32_t announced; /* by SIGCHLD */
	void *stream; /* what popen gave, or NULL */
};

struct vr_atfork {
	struct vr_atfork *next, *before;
	void (*prepare)(void), (*parent)(void), (*child)(void);
};

/* Anonymous memory that the program has mapped to share it with its children. */
struct vr_common {
	struct vr_common *next;
	uint64_t lo, hi;
};

struct vr_process {
	struct vr_child *children;
	struct vr_atfork *atfork, *last_atfork;
	struct vr_common *common;
	int32_t forks; /* children that may still use it */
};

/* Of the rank that runs; NULL when its slice is full. */
struct vr_process *vr_process(void);

/* The environment of the rank that runs. */
char **vr_environment(void);

/* Calls to MPI take the way for threads: in threads that ranks have started, and in children. */
extern VR_THREAD_LOCAL int64_t vr_apart;

/* PE stack, before ranks run. */
void vr_fork_setup(int region_fd, uint64_t base);

/* Anonymous memory was mapped with MAP_SHARED: children have the same pages. It is unmapped: 1 when it must stay in use, since
 * children may still have it. */
void vr_common_add(void *at, size_t n);
int vr_common_remove(void *at, size_t n);

/* Call a function that starts a process with the rank's standard streams in place of the worker's, until vr_standard_leave. */
struct vr_standard {
	int saved[3];
};
void vr_standard_enter(struct vr_standard *s);
void vr_standard_leave(struct vr_standard *s);

/* Once, before. */
void vr_standard_setup(void);

/* In a child: the rank's standard streams become the process's for good. */
void vr_standard_drain(void);

/* A rank has a new child. */
void vr_child_add(pid_t pid, void *stream);

/* The rank has it since now; it may have ended before. */
void vr_child_announce(struct vr_child *c);

/* In a child: it has no children, and the signals are the process's own again. */
void vr_children_forget(void);
void vr_signals_drain(void);

/* A child process wants something that only the runtime does: a line that says what, and the end of the child. */
void vr_child_refuse(const char *what) __attribute__((noreturn));

#endif
