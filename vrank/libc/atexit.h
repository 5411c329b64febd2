/* What a program has registered for its end, atexit.c. */
#ifndef VRANK_ATEXIT_H
#define VRANK_ATEXIT_H

/* Run what atexit and kin registered, for one object or (NULL) all. Rank stack. */
void vr_atexit_run(void *dso, int code);

/* Destructors of the thread_local objects of a thread that a rank started. */
void vr_atexit_run_thread(void);

#endif
