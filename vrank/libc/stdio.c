/* Standard streams of ranks. All ranks of a worker share its descriptors 0, 1 and 2, so what a rank writes to 1 and 2 is
 * framed with its number (see Config.OutputFD), and only rank 0 reads 0, as under mpirun.
 *
 * Calls of write and read are bound here. The C library's own stdio calls them inside itself; its FILE operations go
 * through the table _IO_file_jumps, of which each rank has a private copy: the entries with three functions are replaced. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vrank/core/output.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/file_journal.h"
#include "vrank/libc/process.h"
#include "vrank/libc/reach.h"
#include "vrank/libc/wait.h"

/* The descriptor that a rank means: one of its own in place of a standard one, or -1 where the runtime stands in. */
static int real_fd(int fd)
{
	if ((unsigned)fd > 2 || !vr_current || vr_is_child()) /* no rank: destructors of libraries that ld.so has loaded */
		return fd;
	return vr_current->standard_fd[fd] ? vr_current->standard_fd[fd] : -1;
}

int vr_real_fd(int fd)
{
	int real = real_fd(fd);
	return real < 0 ? fd : real;
}

static ssize_t or_errno(ssize_t n)
{
	if (n < 0 && vr_current)
		vr_set_errno(errno);
	return n;
}

ssize_t vr_bind_write(int fd, const void *data, size_t n)
{
	int real = real_fd(fd);
	if (real < 0 && fd) {
		vr_out_write(vr_current->id, fd, data, n);
		return n;
	}
	return or_errno(vr_write_patiently(real < 0 ? fd : real, data, n));
}

ssize_t vr_bind_writev(int fd, const struct iovec *v, int n)
{
	ssize_t sum = 0;
	if (real_fd(fd) >= 0) {
		int error = vr_await_fd(real_fd(fd), POLLOUT);
		return or_errno(error ? (errno = error, -1) : writev(real_fd(fd), v, n));
	}
	for (int i = 0; i < n; i++)
		sum += vr_bind_write(fd, v[i].iov_base, v[i].iov_len);
	return sum;
}

ssize_t vr_bind_read(int fd, void *data, size_t n)
{
	int real = real_fd(fd);
	if (real < 0 && vr_current->id != 0)
		return 0;
	if ((errno = vr_await_fd(real < 0 ? fd : real, POLLIN)))
		return or_errno(-1);
	return or_errno(read(real < 0 ? fd : real, data, n));
}

static int shut(int fd)
{
	int result = (int)or_errno(close(fd));
	vr_fd_gone(fd);
	return result;
}

/* A rank that puts something else in place of a standard descriptor does that for itself alone. */
static int replace(int fd, int with)
{
	int *own = &vr_current->standard_fd[fd];
	int copy = *own ? dup3(with, *own, O_CLOEXEC) : vr_fd_keep(fcntl(with, F_DUPFD_CLOEXEC, 3)); /* a stream may know the number: freopen */
	if (copy < 0)
		return (int)or_errno(-1);
	*own = copy;
	return fd;
}

/* Not within reach: as if it were not there. */
static int is_denied(int fd)
{
	if (vr_likely(!vr_reach_denies(fd) && !vr_reach_hides(fd)))
		return 0;
	vr_set_errno(EBADF);
	return 1;
}

int vr_bind_dup(int old)
{
	return is_denied(old) ? -1 : vr_fd_keep((int)or_errno(dup(vr_real_fd(old))));
}

int vr_bind_dup2(int old, int new)
{
	int real = vr_real_fd(old);
	if (is_denied(old))
		return -1;
	if ((unsigned)new <= 2 && old != new && !vr_is_child())
		return replace(new, real);
	return vr_fd_chosen((int)or_errno(vr_fd_choose(new) ? -1 : dup2(real, new)));
}

int vr_bind_dup3(int old, int new, int flags)
{
	int real = vr_real_fd(old);
	if (is_denied(old))
		return -1;
	if ((unsigned)new <= 2 && old != new && !vr_is_child())
		return replace(new, real);
	return vr_fd_chosen((int)or_errno(vr_fd_choose(new) ? -1 : dup3(real, new, flags)));
}

/* The worker's own standard descriptors serve its other ranks too: closing them is only noted. */
int vr_bind_close(int fd)
{
	if ((unsigned)fd > 2 && vr_reach_keeps(fd)) {
		vr_set_errno(EBADF);
		return -1;
	}
	if ((unsigned)fd > 2 || vr_is_child())
		return is_denied(fd) ? -1 : shut(fd);
	int *own = &vr_current->standard_fd[fd];
	int result = *own ? shut(*own) : 0;
	*own = 0;
	vr_current->streams_know &= ~(1 << fd);
	return result;
}

/* The C library's freopen keeps the stream's descriptor: it gets one of the rank's own first. */
FILE *vr_bind_freopen(const char *path, const char *mode, FILE *f)
{
	int fd = f->_fileno, is_own = (unsigned)fd <= 2 && !vr_is_child() && replace(fd, fd) == fd;
	if (is_own) {
		f->_fileno = vr_current->standard_fd[fd];
		vr_current->streams_know |= 1 << fd;
	}
	struct vr_before before = vr_journal_look(AT_FDCWD, path, vr_mode_writes(mode));
	f = ((FILE * (*)(const char *, const char *, FILE *)) vr_current->entry.freopen)(path, mode, f);
	vr_journal_note(f ? f->_fileno : -1, before);
	return f;
}

/* The functions of the worker's own C library, when that is one of those that were patched. */
static struct {
	uint64_t read, write, close;
} own;

static ssize_t write_in_pieces(FILE *f, const char *data, ssize_t n)
{
	ssize_t done = 0, piece = vr_piece(f->_fileno, n);
	while (done < n) {
		ssize_t part = n - done < piece ? n - done : piece;
		if ((errno = vr_await_fd(f->_fileno, POLLOUT)))
			return done ? done : or_errno(-1);
		ssize_t w = ((ssize_t(*)(FILE *, const void *, ssize_t))vr_current->entry.file_write)(f, data + done, part);
		done += w;
		if (w < part)
			break;
	}
	return done;
}

/* FILE is glibc's struct _IO_FILE here too: the worker's C library is the same file as the ranks'. */
static ssize_t file_write(FILE *f, const void *data, ssize_t n)
{
	if ((unsigned)f->_fileno <= 2 && vr_current)
		return vr_bind_write(f->_fileno, data, n);
	if (vr_current)
		return write_in_pieces(f, data, n);
	return ((ssize_t(*)(FILE *, const void *, ssize_t))own.write)(f, data, n);
}

static ssize_t file_read(FILE *f, void *data, ssize_t n)
{
	if ((unsigned)f->_fileno <= 2 && vr_current)
		return vr_bind_read(f->_fileno, data, n);
	if (vr_current && (errno = vr_await_fd(f->_fileno, POLLIN)))
		return or_errno(-1);
	return ((ssize_t(*)(FILE *, void *, ssize_t))(vr_current ? vr_current->entry.file_read : own.read))(f, data, n);
}

static int file_close(FILE *f)
{
	if ((unsigned)f->_fileno <= 2 && vr_current)
		return vr_bind_close(f->_fileno);
	return ((int (*)(FILE *))(vr_current ? vr_current->entry.file_close : own.close))(f);
}

static void patch(uint64_t *jump, uint64_t is, void *to)
{
	if (*jump == is)
		*jump = (uint64_t)to;
}

void vr_stdio_patch(uint64_t jumps, int words, uint64_t read, uint64_t write, uint64_t close)
{
	own.read = read, own.write = write, own.close = close;
	for (uint64_t *jump = (uint64_t *)jumps, *end = jump + words; jump < end; jump++) {
		patch(jump, read, file_read);
		patch(jump, write, file_write);
		patch(jump, close, file_close);
	}
}
