/* What ranks write to their standard output and error: frames to the manager (see Config.OutputFD). */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vrank/core/abort.h"
#include "vrank/core/hooks.h"
#include "vrank/core/output.h"

int vr_out_fd = 1;

#define FRAME 4096 /* with its header: a pipe takes as much in one piece (PIPE_BUF) */

struct header {
	uint32_t rank, stream, length;
};

/* Nobody will ever see what was written: that must not look like success. Without a reader the manager is gone, and this worker is about
 * to follow. */
static void lost(int error)
{
	if (error != EPIPE && vr_current && !vr_thread)
		vr_job_abort(1, "its output cannot be passed on: %s (some rank has closed a descriptor of ampirun's by a system call of its own, perhaps)",
			strerror(error));
}

static void write_all(struct iovec *v, int n)
{
	while (n) {
		ssize_t w = writev(vr_out_fd, v, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0) {
			lost(errno);
			return;
		}
		for (; n && (size_t)w >= v->iov_len; n--, v++)
			w -= v->iov_len;
		if (n) {
			v->iov_base = (char *)v->iov_base + w;
			v->iov_len -= w;
		}
	}
}

void vr_out_write(int rank, int stream, const void *data, size_t n)
{
	const char *p = data;
	if (vr_forked) {
		n = write(stream, data, n); /* what becomes of it is the reader's business */
		return;
	}
	vr_rank_of(rank)->counters.written[stream == 2] += n;
	while (n) {
		size_t part = n < FRAME - sizeof(struct header) ? n : FRAME - sizeof(struct header);
		struct header h = {rank, stream, part};
		write_all((struct iovec[]){{&h, sizeof h}, {(void *)p, part}}, 2);
		p += part;
		n -= part;
	}
}

void vr_out_printf(int rank, int stream, const char *fmt, ...)
{
	char line[1024];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	vr_out_write(rank, stream, line, n < (int)sizeof line ? n : (int)sizeof line - 1);
}
