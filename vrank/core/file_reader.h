/* Reading files while ranks run, on a thread that has a table of descriptors of its own: what it opens no rank lists or closes, nor gets
 * the number of. Go cannot do so, since all its threads must know the descriptors of its poller. */
#ifndef VRANK_FILE_READER_H
#define VRANK_FILE_READER_H

#include <stddef.h>
#include <sys/types.h>

/* Up to size bytes of the begin of a file; or minus an error's number. Any thread but those of ranks. Where the kernel or a container's filter
 * grants no table, the descriptor is one of the process for the moment. */
ssize_t vr_read_file(const char *path, void *text, size_t size);

#endif
