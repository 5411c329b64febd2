/* Standard streams of ranks. All ranks of a worker share its descriptors 0, 1 and 2, so what a rank writes to 1 and 2 is
 * framed with its number (see Config.OutputFD), and only rank 0 reads 0, as under mpirun.
 *
 * Calls of write and read are bound here. The C library's own stdio calls them inside itself; its FILE operations go
 * through the table _IO_file_jumps, of which each rank has a private copy: two entries of it are replaced. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bind.h"
#include "life.h"

int vr_out_fd = 1;
struct vr_stdio vr_stdio;

#define FRAME 4096 /* with its header: a pipe takes as much in one piece (PIPE_BUF) */

struct header {
	uint32_t rank, stream, length;
};

static void write_all(struct iovec *v, int n)
{
	while (n) {
		ssize_t w = writev(vr_out_fd, v, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return; /* the manager is gone, and this worker is about to follow */
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

ssize_t vr_bind_write(int fd, const void *data, size_t n)
{
	if (fd == 1 || fd == 2) {
		vr_out_write(vr_current->id, fd, data, n);
		return n;
	}
	ssize_t w = write(fd, data, n);
	if (w < 0)
		vr_set_errno(errno);
	return w;
}

ssize_t vr_bind_writev(int fd, const struct iovec *v, int n)
{
	ssize_t sum = 0;
	if (fd != 1 && fd != 2) {
		sum = writev(fd, v, n);
		if (sum < 0)
			vr_set_errno(errno);
		return sum;
	}
	for (int i = 0; i < n; i++)
		sum += vr_bind_write(fd, v[i].iov_base, v[i].iov_len);
	return sum;
}

ssize_t vr_bind_read(int fd, void *data, size_t n)
{
	if (fd == 0 && vr_current->id != 0)
		return 0;
	ssize_t r = read(fd, data, n);
	if (r < 0)
		vr_set_errno(errno);
	return r;
}

static uint64_t original(uint64_t offset)
{
	return vr_current->images + offset;
}

/* FILE is glibc's struct _IO_FILE here too: the worker's C library is the same file as the ranks'. */
static ssize_t file_write(FILE *f, const void *data, ssize_t n)
{
	if (f->_fileno == 1 || f->_fileno == 2)
		return vr_bind_write(f->_fileno, data, n);
	return ((ssize_t(*)(FILE *, const void *, ssize_t))original(vr_stdio.write))(f, data, n);
}

static ssize_t file_read(FILE *f, void *data, ssize_t n)
{
	if (f->_fileno == 0)
		return vr_bind_read(0, data, n);
	return ((ssize_t(*)(FILE *, void *, ssize_t))original(vr_stdio.read))(f, data, n);
}

#define JUMP_READ 14 /* places in glibc's struct _IO_jump_t */
#define JUMP_WRITE 15

void vr_stdio_patch(uint64_t images)
{
	if (!vr_stdio.jumps)
		return;
	uint64_t *jumps = (uint64_t *)(images + vr_stdio.jumps);
	if (jumps[JUMP_READ] == images + vr_stdio.read)
		jumps[JUMP_READ] = (uint64_t)file_read;
	if (jumps[JUMP_WRITE] == images + vr_stdio.write)
		jumps[JUMP_WRITE] = (uint64_t)file_write;
}
