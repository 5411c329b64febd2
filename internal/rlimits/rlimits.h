/* Memory and threads that the Go runtime cannot have are told in one line; its own way is to print its stacks. */
#ifndef INTERNAL_RLIMITS_H
#define INTERNAL_RLIMITS_H

#include <stddef.h>

/* Exit codes of workers. */
enum { RLIMITS_MEMORY = 118, RLIMITS_THREADS };

/* What that means, without a name and an end of line. Any thread. */
void rlimits_text(int code, char *text, size_t size);

/* From a pthread_create of the executable's, with its caller and its result: the Go runtime's last try ends the process. Any thread. */
void rlimits_thread(const void *caller, int error);

#endif
