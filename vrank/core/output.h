/* What ranks write to their standard output and error, output.c. */
#ifndef VRANK_OUTPUT_H
#define VRANK_OUTPUT_H

#include <stddef.h>

/* Write to the rank's standard output (1) or error (2). Any stack of a worker. */
void vr_out_write(int rank, int stream, const void *data, size_t n);
void vr_out_printf(int rank, int stream, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
extern int vr_out_fd;

#endif
