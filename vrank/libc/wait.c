/* Waiting for what is outside of the job: see wait.h. */
#include "vrank/libc/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "vrank/core/callback.h"
#include "vrank/core/schedule.h"
#include "vrank/libc/process.h"
#include "vrank/libc/reach.h"
#include "vrank/libc/signals.h"

/* A thread of the kernel's own, or a child: the kernel knows whether a handler has run. */
static int sleep_in_kernel(int64_t ns)
{
	return nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL) ? EINTR : 0;
}

static int sleep_as_rank(int64_t ns, int any)
{
	struct vr_signals *s = vr_current->signals;
	if (!s) {
		vr_rank_sleep(ns);
		return 0;
	}
	const uint64_t *count = any ? &s->handled : &s->interrupts;
	uint64_t before = *count;
	vr_signals_run();
	if (*count == before) {
		s->waits++;
		vr_rank_sleep(ns);
		s->waits--;
		vr_signals_run();
	}
	return *count != before ? EINTR : 0;
}

int vr_pause(struct vr_pause *p)
{
	int64_t ns = p->next;
	if (p->until) {
		int64_t left = p->until - vr_now();
		if (left <= 0)
			return ETIMEDOUT;
		ns = ns < left ? ns : left;
	}
	if (p->next < VR_PAUSE_MAX)
		p->next *= 2;
	return vr_thread || vr_is_child() ? sleep_in_kernel(ns) : sleep_as_rank(ns, p->any);
}

static int is_ready(int fd, int events)
{
	struct pollfd p = {.fd = fd, .events = (short)events};
	int n;
	while ((n = poll(&p, 1, 0)) < 0 && errno == EINTR) /* a signal that comes just now, although it does not wait */
		;
	return n != 0;
}

/* Nobody else is held up. */
int vr_may_block(void)
{
	return vr_thread || vr_is_child() || vr_in_callbacks;
}

int vr_await_fd(int fd, int events)
{
	struct vr_pause pause = VR_PAUSE;
	if (vr_unlikely(vr_reach_denies(fd)))
		return EBADF;
	if (vr_may_block() || is_ready(fd, events))
		return 0;
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_NONBLOCK))
		return 0;
	do {
		int error = vr_pause(&pause);
		if (error)
			return error;
	} while (!is_ready(fd, events));
	return 0;
}

/* Streams of bytes whose reader may be another rank of this worker. */
static int is_stream(int fd)
{
	struct stat st;
	int type;
	socklen_t n = sizeof type;
	if (fstat(fd, &st) || fcntl(fd, F_GETFL) & O_NONBLOCK)
		return 0;
	return S_ISFIFO(st.st_mode) || (S_ISSOCK(st.st_mode) && !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_STREAM);
}

size_t vr_piece(int fd, size_t n)
{
	return n > PIPE_BUF && !vr_may_block() && is_stream(fd) ? PIPE_BUF : n;
}

ssize_t vr_write_patiently(int fd, const void *data, size_t n)
{
	size_t done = 0, piece = vr_piece(fd, n);
	do {
		size_t part = n - done < piece ? n - done : piece;
		int error = vr_await_fd(fd, POLLOUT);
		ssize_t w = error ? (errno = error, -1) : write(fd, (const char *)data + done, part);
		if (w < 0)
			return done ? (ssize_t)done : -1;
		done += w;
	} while (done < n && piece != n);
	return done;
}
