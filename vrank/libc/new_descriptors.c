/* Calls that make descriptors: each gets a number that it can keep wherever its rank goes (fd_table.h). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "vrank/libc/bind.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/file_journal.h"
#include "vrank/libc/reach.h"

static int kept(int fd)
{
	if (fd < 0)
		vr_set_errno(errno);
	return vr_fd_keep(fd);
}

static int kept_pair(int bad, int *ends)
{
	if (bad)
		vr_set_errno(errno);
	for (int i = 0; i < 2 && !bad; i++)
		ends[i] = vr_fd_keep(ends[i]);
	return bad;
}

int vr_bind_creat(const char *path, mode_t mode)
{
	return vr_bind_open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int vr_bind_pipe2(int *ends, int flags)
{
	return kept_pair(pipe2(ends, flags), ends);
}

int vr_bind_pipe(int *ends)
{
	return vr_bind_pipe2(ends, 0);
}

int vr_bind_socket(int domain, int type, int protocol)
{
	return kept(socket(domain, type, protocol));
}

int vr_bind_socketpair(int domain, int type, int protocol, int *ends)
{
	return kept_pair(socketpair(domain, type, protocol, ends), ends);
}

int vr_bind_eventfd(unsigned value, int flags)
{
	return kept(eventfd(value, flags));
}

int vr_bind_timerfd_create(clockid_t clock, int flags)
{
	return kept(timerfd_create(clock, flags));
}

int vr_bind_epoll_create(int size)
{
	return kept(epoll_create(size));
}

int vr_bind_epoll_create1(int flags)
{
	return kept(epoll_create1(flags));
}

int vr_bind_inotify_init(void)
{
	return kept(inotify_init());
}

int vr_bind_inotify_init1(int flags)
{
	return kept(inotify_init1(flags));
}

int vr_bind_signalfd(int fd, const sigset_t *mask, int flags)
{
	int got = signalfd(fd, mask, flags);
	return fd < 0 ? kept(got) : got;
}

int vr_bind_memfd_create(const char *name, unsigned flags)
{
	return kept(memfd_create(name, flags));
}

int vr_bind_shm_open(const char *name, int flags, mode_t mode)
{
	char path[NAME_MAX + 16];
	snprintf(path, sizeof path, "/dev/shm/%s", name + (*name == '/'));
	struct vr_before before = vr_journal_look(AT_FDCWD, path, flags & (O_RDWR | O_CREAT));
	return kept(vr_journal_note(shm_open(name, flags, mode), before));
}

int vr_bind_mkostemps(char *name, int suffix, int flags)
{
	return kept(vr_journal_note(mkostemps(name, suffix, flags), vr_journal_new()));
}

int vr_bind_mkstemps(char *name, int suffix)
{
	return vr_bind_mkostemps(name, suffix, 0);
}

int vr_bind_mkostemp(char *name, int flags)
{
	return vr_bind_mkostemps(name, 0, flags);
}

int vr_bind_mkstemp(char *name)
{
	return vr_bind_mkostemps(name, 0, 0);
}

int vr_bind_posix_openpt(int flags)
{
	return kept(posix_openpt(flags));
}

int vr_bind_openpty(int *terminal, int *other, char *name, const void *modes, const void *size)
{
	int ends[2], bad = kept_pair(openpty(&ends[0], &ends[1], name, modes, size), ends);
	if (!bad)
		*terminal = ends[0], *other = ends[1];
	return bad;
}

int vr_bind_pidfd_open(pid_t pid, unsigned flags)
{
	return kept((int)syscall(SYS_pidfd_open, pid, flags));
}

/* ---- those that the rank's C library has inside of its own structures ---- */

/* The first word of glibc's struct __dirstream is its descriptor. */
void *vr_bind_opendir(const char *path)
{
	int *d = ((void *(*)(const char *))vr_current->entry.libc[VR_LIBC_OPENDIR])(path);
	if (d) {
		*d = vr_fd_keep(*d);
		vr_fd_list_opened(path, *d);
	}
	return d;
}

int vr_bind_closedir(void *d)
{
	int fd = d ? *(int *)d : -1, bad = ((int (*)(void *))vr_current->entry.libc[VR_LIBC_CLOSEDIR])(d);
	vr_fd_gone(fd);
	return bad;
}

FILE *vr_bind_tmpfile(void)
{
	return vr_file_keep(((FILE * (*)(void)) vr_current->entry.libc[VR_LIBC_TMPFILE])());
}

FILE *vr_bind_setmntent(const char *path, const char *mode)
{
	return vr_file_keep(((FILE * (*)(const char *, const char *)) vr_current->entry.libc[VR_LIBC_SETMNTENT])(path, mode));
}

int vr_bind_fclose(FILE *f)
{
	int fd = f->_fileno, bad = ((int (*)(FILE *))vr_current->entry.libc[VR_LIBC_FCLOSE])(f);
	vr_fd_gone(fd);
	return bad;
}
