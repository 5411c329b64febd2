/* Numbers of ranks' descriptors, see fd_table.h. */
#include "vrank/libc/fd_table.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vrank/core/pin.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/process.h"
#include "vrank/libc/reach.h"

#define FIRST 64 /* below are the runtime's own (three more for each PE: fd_passing.h, copy.go), and what is about to move up */
#define COUNT_MAX 65536
#define TRIES 64
#define NOBODYS -1 /* in the table */

static int hint = FIRST; /* no number below it is known to be free */

/* One worker that stays has no use for the table. */
void vr_numbers_init(struct vr_job *job)
{
	struct rlimit most;
	if ((job->pes < 2 && !job->keeps) || getrlimit(RLIMIT_NOFILE, &most))
		return;
	int count = most.rlim_cur < COUNT_MAX ? (int)most.rlim_cur : COUNT_MAX, first = FIRST + 3 * job->room;
	if (count <= first)
		return;
	job->fd_owner = (_Atomic int32_t *)job->arena_next;
	job->arena_next += (count * sizeof *job->fd_owner + VR_LINE - 1) & -VR_LINE;
	job->fd_first = first;
	job->fd_count = count;
}

static int is_in_table(int fd)
{
	return fd >= vr_job->fd_first && fd < vr_job->fd_count;
}

static int claim(int fd)
{
	int32_t nobody = 0;
	if ((unsigned)(fd - vr_fd_base) < (unsigned)vr_fd_room) /* the runtime's, in some worker */
		return 0;
	if (!atomic_compare_exchange_strong(&vr_job->fd_owner[fd], &nobody, vr_current->id + 1))
		return 0;
	atomic_fetch_add(&vr_current->descriptors, 1);
	for (int32_t top = atomic_load(&vr_job->fd_top); top <= fd;)
		if (atomic_compare_exchange_weak(&vr_job->fd_top, &top, fd + 1))
			break;
	return 1;
}

static int is_own(int fd)
{
	return is_in_table(fd) && atomic_load(&vr_job->fd_owner[fd]) == vr_current->id + 1;
}

/* A free number, which is the rank's now; -1 when there is none. */
static int claim_any(void)
{
	int from = hint > vr_job->fd_first ? hint : vr_job->fd_first;
	for (int fd = from; fd < vr_job->fd_count; fd++)
		if (!atomic_load_explicit(&vr_job->fd_owner[fd], memory_order_relaxed) && claim(fd)) {
			hint = fd + 1;
			return fd;
		}
	for (int fd = vr_job->fd_first; fd < from; fd++) /* those that other workers have given back */
		if (!atomic_load_explicit(&vr_job->fd_owner[fd], memory_order_relaxed) && claim(fd)) {
			hint = fd + 1;
			return fd;
		}
	return -1;
}

/* Beyond the numbers of ranks; or where the runtime has its own. */
static int first_aside(void)
{
	int top = atomic_load(&vr_job->fd_top), last = vr_job->fd_count - vr_job->fd_count / 4;
	return !vr_job->fd_count ? vr_fd_base : top > last ? top : last;
}

int vr_fd_aside(int fd)
{
	int new = fcntl(fd, F_DUPFD_CLOEXEC, first_aside());
	if (new >= 0)
		close(fd);
	else
		new = fd; /* there is none; it may do where it is */
	vr_reach_set(new, VR_FD_RUNTIME);
	return new;
}

void vr_fd_gone(int fd)
{
	if (fd < 0 || !vr_current || vr_is_child())
		return;
	vr_fd_list_closed(fd);
	vr_reach_set(fd, 0);
	if (!vr_job->fd_count || !is_own(fd))
		return;
	atomic_store(&vr_job->fd_owner[fd], 0);
	atomic_fetch_sub(&vr_current->descriptors, 1);
	if (fd < hint)
		hint = fd;
}

/* The copy of fd with a number of the rank's, or -1. A number that something unknown has here, such as what the job was started with, is
 * nobody's from then on. */
static int copy_up(int fd)
{
	int how = fcntl(fd, F_GETFD) & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD;
	for (int i = 0; i < TRIES; i++) {
		int to = claim_any(), got = to < 0 ? -1 : fcntl(fd, how, to);
		if (got == to)
			return got;
		if (got >= 0) {
			close(got);
			atomic_store(&vr_job->fd_owner[to], NOBODYS);
			atomic_fetch_sub(&vr_current->descriptors, 1);
		} else {
			vr_fd_gone(to);
			return -1;
		}
	}
	return -1;
}

int vr_fd_keep(int fd)
{
	if (fd < 0 || !vr_current || vr_is_child())
		return fd;
	if (!vr_job->fd_count) {
		vr_reach_set(fd, vr_current->id + 1);
		return fd;
	}
	int saved = errno, up = copy_up(fd);
	if (up >= 0)
		close(fd);
	else {
		vr_rank_pin(vr_current, "it has more descriptors than numbers for them are left");
		vr_reach_set(fd, vr_current->id + 1);
	}
	errno = saved;
	return up >= 0 ? up : fd;
}

/* FILE is glibc's struct _IO_FILE here too. */
FILE *vr_file_keep(FILE *f)
{
	if (f && f->_fileno > 2)
		f->_fileno = vr_fd_keep(f->_fileno);
	return f;
}

int vr_fd_choose(int fd)
{
	if (fd < 0 || !vr_current || vr_is_child())
		return 0;
	if (vr_reach_hides(fd)) {
		errno = EBADF;
		return -1;
	}
	if (is_own(fd))
		return 0;
	if (vr_reach_denies(fd)) {
		errno = vr_reach_is_runtimes(fd) ? EBADF : EBUSY;
		return -1;
	}
	if (!vr_job->fd_count)
		return 0;
	if (!is_in_table(fd)) {
		vr_rank_pin(vr_current, "it has chosen the number %d for a descriptor", fd);
		return 0;
	}
	if (claim(fd))
		return 0;
	errno = EBUSY;
	return -1;
}

int vr_fd_chosen(int fd)
{
	if (fd >= 0 && vr_current && !vr_is_child() && !is_own(fd))
		vr_reach_set(fd, vr_current->id + 1);
	return fd;
}

/* Some may have been closed by functions that nobody has told us of. */
int vr_fds_of(struct vr_rank *r, int *fds, int n)
{
	int found = 0, top = r->descriptors ? atomic_load(&vr_job->fd_top) : 0;
	for (int fd = vr_job->fd_first; fd < top; fd++) {
		if (atomic_load_explicit(&vr_job->fd_owner[fd], memory_order_relaxed) != r->id + 1)
			continue;
		if (fcntl(fd, F_GETFD) < 0) {
			atomic_store(&vr_job->fd_owner[fd], 0);
			atomic_fetch_sub(&r->descriptors, 1);
		} else if (found++ < n)
			fds[found - 1] = fd;
	}
	return found;
}
