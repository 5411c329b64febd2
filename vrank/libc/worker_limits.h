/* Resource limits under which nothing works, worker_limits.c. */
#ifndef VRANK_WORKER_LIMITS_H
#define VRANK_WORKER_LIMITS_H

/* A thread has been made for whoever called from there, or not. The Go runtime's last try ends the process, with a line that says why. */
void vr_thread_failed(const void *caller, int error);

#endif
