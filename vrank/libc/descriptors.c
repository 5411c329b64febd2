/* Calls that wait for descriptors, locks and semaphores: what is waited for may be the work of another rank of this worker, so each
 * asks, and lets others run, until it need not wait any more. Descriptors that do not block, threads and children do as ever. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vrank/core/pin.h"
#include "vrank/core/schedule.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/process.h"
#include "vrank/libc/reach.h"
#include "vrank/libc/signals.h"
#include "vrank/libc/wait.h"

static ssize_t or_errno(ssize_t n)
{
	if (n < 0)
		vr_set_errno(errno);
	return n;
}

static int is_late(int fd, int events)
{
	int error = vr_await_fd(fd, events);
	if (error)
		vr_set_errno(error);
	return error;
}

/* ---- sockets ---- */

ssize_t vr_bind_recvfrom(int fd, void *data, size_t n, int flags, struct sockaddr *from, socklen_t *length)
{
	if (!(flags & MSG_DONTWAIT) && is_late(fd, POLLIN))
		return -1;
	return or_errno(recvfrom(fd, data, n, flags, from, length));
}

ssize_t vr_bind_recv(int fd, void *data, size_t n, int flags)
{
	return vr_bind_recvfrom(fd, data, n, flags, NULL, NULL);
}

/* Descriptors that have come with a message. */
static void keep_rights(struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			for (size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= c->cmsg_len; i++)
				((int *)CMSG_DATA(c))[i] = vr_fd_keep(((int *)CMSG_DATA(c))[i]);
}

ssize_t vr_bind_recvmsg(int fd, struct msghdr *m, int flags)
{
	if (!(flags & MSG_DONTWAIT) && is_late(fd, POLLIN))
		return -1;
	ssize_t n = or_errno(recvmsg(fd, m, flags));
	if (n >= 0 && m->msg_controllen)
		keep_rights(m);
	return n;
}

/* A stream takes what it has room for, again and again. */
ssize_t vr_bind_sendto(int fd, const void *data, size_t n, int flags, const struct sockaddr *to, socklen_t length)
{
	size_t done = 0, piece = flags & MSG_DONTWAIT ? n : vr_piece(fd, n);
	do {
		size_t part = n - done < piece ? n - done : piece;
		if (!(flags & MSG_DONTWAIT) && is_late(fd, POLLOUT))
			return done ? (ssize_t)done : -1;
		ssize_t w = sendto(fd, (const char *)data + done, part, flags, to, length);
		if (w < 0)
			return done ? (ssize_t)done : or_errno(w);
		done += w;
	} while (done < n && piece != n);
	return done;
}

ssize_t vr_bind_send(int fd, const void *data, size_t n, int flags)
{
	return vr_bind_sendto(fd, data, n, flags, NULL, 0);
}

ssize_t vr_bind_sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (!(flags & MSG_DONTWAIT) && is_late(fd, POLLOUT))
		return -1;
	return or_errno(sendmsg(fd, m, flags));
}

int vr_bind_accept4(int fd, struct sockaddr *from, socklen_t *length, int flags)
{
	return is_late(fd, POLLIN) ? -1 : vr_fd_keep((int)or_errno(accept4(fd, from, length, flags)));
}

int vr_bind_accept(int fd, struct sockaddr *from, socklen_t *length)
{
	return vr_bind_accept4(fd, from, length, 0);
}

/* ---- poll and kin ---- */

static int64_t of_ms(int ms)
{
	return ms < 0 ? -1 : ms * 1000000ll;
}

static int64_t of_spec(const struct timespec *t)
{
	return t ? t->tv_sec * 1000000000ll + t->tv_nsec : -1;
}

/* Ask until there is an answer, an error, or no time left; the answer is then 0. */
static int ask_until(int (*ask)(void *), void *arg, int64_t ns)
{
	struct vr_pause pause = vr_pause_for(ns);
	for (;;) {
		int n = ask(arg);
		if (n > 0 || (n < 0 && errno != EINTR) || !ns)
			return n < 0 && errno == EINTR ? 0 : (int)or_errno(n);
		int error = vr_pause(&pause);
		if (error == ETIMEDOUT)
			ns = 0; /* once more */
		else if (error) {
			vr_set_errno(error);
			return -1;
		}
	}
}

/* A mask that holds meanwhile; what it lets in interrupts. */
static void mask_begin(const sigset_t *mask, sigset_t *before)
{
	if (!mask)
		return;
	sigset_t stripped = *mask;
	vr_mask_strip(&stripped);
	vr_mask_begin();
	pthread_sigmask(SIG_SETMASK, &stripped, before);
}

static void mask_end(const sigset_t *mask, const sigset_t *before)
{
	if (!mask)
		return;
	pthread_sigmask(SIG_SETMASK, before, NULL);
	vr_mask_end();
}

struct polled {
	struct pollfd *fds;
	nfds_t n;
};

static int ask_poll(void *arg)
{
	struct polled *p = arg;
	return poll(p->fds, p->n, 0);
}

int vr_bind_poll(struct pollfd *fds, nfds_t n, int ms)
{
	if (vr_may_block())
		return (int)or_errno(poll(fds, n, ms));
	return ask_until(ask_poll, &(struct polled){fds, n}, of_ms(ms));
}

int vr_bind_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	sigset_t before;
	if (vr_may_block())
		return (int)or_errno(ppoll(fds, n, t, mask));
	mask_begin(mask, &before);
	int got = ask_until(ask_poll, &(struct polled){fds, n}, of_spec(t));
	mask_end(mask, &before);
	return got;
}

struct selected {
	int n;
	fd_set *sets[3];
	long asked[3][FD_SETSIZE / (8 * sizeof(long))];
};

static void copy_set(void *to, const void *from, int n)
{
	if (to && from)
		memcpy(to, from, (n + 63) / 64 * 8);
}

static int ask_select(void *arg)
{
	struct selected *s = arg;
	for (int i = 0; i < 3; i++)
		copy_set(s->sets[i], s->asked[i], s->n);
	return select(s->n, s->sets[0], s->sets[1], s->sets[2], &(struct timeval){0, 0});
}

static int select_until(int n, fd_set *r, fd_set *w, fd_set *x, int64_t ns)
{
	struct selected s = {.n = n, .sets = {r, w, x}};
	if (n < 0 || n > FD_SETSIZE) {
		vr_set_errno(EINVAL);
		return -1;
	}
	for (int i = 0; i < 3; i++)
		copy_set(s.asked[i], s.sets[i], n);
	return ask_until(ask_select, &s, ns);
}

int vr_bind_select(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t)
{
	int64_t start = vr_now();
	if (vr_may_block())
		return (int)or_errno(select(n, r, w, x, t));
	int64_t ns = t ? t->tv_sec * 1000000000ll + t->tv_usec * 1000ll : -1;
	int got = select_until(n, r, w, x, ns);
	if (t) { /* as Linux has it: what is left */
		int64_t left = start + ns - vr_now();
		left = left > 0 ? left / 1000 : 0;
		*t = (struct timeval){left / 1000000, left % 1000000};
	}
	return got;
}

int vr_bind_pselect(int n, fd_set *r, fd_set *w, fd_set *x, const struct timespec *t, const sigset_t *mask)
{
	sigset_t before;
	if (vr_may_block())
		return (int)or_errno(pselect(n, r, w, x, t, mask));
	mask_begin(mask, &before);
	int got = select_until(n, r, w, x, of_spec(t));
	mask_end(mask, &before);
	return got;
}

struct epolled {
	int fd, n;
	struct epoll_event *events;
};

static int ask_epoll(void *arg)
{
	struct epolled *e = arg;
	return epoll_wait(e->fd, e->events, e->n, 0);
}

int vr_bind_epoll_pwait(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask)
{
	sigset_t before;
	if (vr_may_block())
		return (int)or_errno(epoll_pwait(fd, events, n, ms, mask));
	mask_begin(mask, &before);
	int got = ask_until(ask_epoll, &(struct epolled){fd, n, events}, of_ms(ms));
	mask_end(mask, &before);
	return got;
}

int vr_bind_epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
	return vr_bind_epoll_pwait(fd, events, n, ms, NULL);
}

/* ---- locks of files ---- */

/* 0 when the lock is there; else an errno. */
static int lock_until(int (*try)(void *), void *arg)
{
	struct vr_pause pause = VR_PAUSE;
	int error;
	while (try(arg)) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return errno;
		if ((error = vr_pause(&pause)))
			return error;
	}
	return 0;
}

static int result(int error)
{
	if (error)
		vr_set_errno(error);
	return error ? -1 : 0;
}

static int try_flock(void *arg)
{
	const int *how = arg;
	return flock(how[0], how[1] | LOCK_NB);
}

int vr_bind_flock(int fd, int how)
{
	if (vr_may_block() || how & (LOCK_NB | LOCK_UN))
		return (int)or_errno(flock(fd, how));
	return result(lock_until(try_flock, (int[]){fd, how}));
}

struct record {
	int fd;
	struct flock *lock;
};

static int try_record(void *arg)
{
	const struct record *r = arg;
	return fcntl(r->fd, F_OFD_SETLK, r->lock);
}

/* A lock of a record belongs to a process, and so to all ranks of a worker. In its place comes one that belongs to the open file, which
 * each rank has opened for itself: so ranks exclude each other as processes do. */
static int lock_record(int fd, int command, struct flock *l)
{
	struct flock lock = *l;
	lock.l_pid = 0;
	if (command == F_SETLKW)
		return result(lock_until(try_record, &(struct record){fd, &lock}));
	int got = fcntl(fd, command == F_SETLK ? F_OFD_SETLK : F_OFD_GETLK, &lock);
	if (!got && command == F_GETLK)
		*l = lock;
	return (int)or_errno(got);
}

int vr_bind_fcntl(int fd, int command, ...)
{
	va_list args;
	va_start(args, command);
	void *arg = va_arg(args, void *);
	va_end(args);
	if (vr_unlikely(vr_reach_denies(fd) || vr_reach_hides(fd))) {
		vr_set_errno(EBADF);
		return -1;
	}
	if (!vr_is_child() && arg && (command == F_SETLK || command == F_SETLKW || command == F_GETLK))
		return lock_record(fd, command, arg);
	if (command == F_SETOWN || command == F_SETOWN_EX || command == F_SETSIG || command == F_NOTIFY || command == F_SETLEASE)
		vr_rank_pin(vr_current, "it has signals from a descriptor");
	int got = (int)or_errno(fcntl(vr_real_fd(fd), command, arg));
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? vr_fd_keep(got) : got;
}

int vr_bind_lockf(int fd, int command, off_t n)
{
	struct flock l = {.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK, .l_whence = SEEK_CUR, .l_len = n};
	if (vr_is_child())
		return (int)or_errno(lockf(fd, command, n));
	if (command != F_TEST)
		return lock_record(fd, command == F_LOCK ? F_SETLKW : F_SETLK, &l);
	if (lock_record(fd, F_GETLK, &l))
		return -1;
	return result(l.l_type == F_UNLCK ? 0 : EACCES);
}

/* ---- System V ---- */

struct operations {
	int id;
	struct sembuf *list;
	size_t n;
};

static int try_operations(void *arg)
{
	struct operations *o = arg;
	return semop(o->id, o->list, o->n);
}

#define OPERATIONS_MAX 64

/* All of the operations or none are carried out, so one that does not wait makes none of them wait. */
int vr_bind_semop(int id, struct sembuf *list, size_t n)
{
	struct sembuf copy[OPERATIONS_MAX];
	int waits = 0;
	if (vr_may_block() || n > OPERATIONS_MAX)
		return (int)or_errno(semop(id, list, n));
	for (size_t i = 0; i < n; i++) {
		copy[i] = list[i];
		waits |= !(list[i].sem_flg & IPC_NOWAIT);
		copy[i].sem_flg |= IPC_NOWAIT;
	}
	return waits ? result(lock_until(try_operations, &(struct operations){id, copy, n})) : (int)or_errno(semop(id, list, n));
}

ssize_t vr_bind_msgrcv(int id, void *data, size_t n, long type, int flags)
{
	struct vr_pause pause = VR_PAUSE;
	ssize_t got;
	int error = 0;
	while ((got = msgrcv(id, data, n, type, vr_may_block() ? flags : flags | IPC_NOWAIT)) < 0 && errno == ENOMSG && !(flags & IPC_NOWAIT))
		if ((error = vr_pause(&pause)))
			return result(error);
	return or_errno(got);
}

int vr_bind_msgsnd(int id, const void *data, size_t n, int flags)
{
	struct vr_pause pause = VR_PAUSE;
	int got, error = 0;
	while ((got = msgsnd(id, data, n, vr_may_block() ? flags : flags | IPC_NOWAIT)) < 0 && errno == EAGAIN && !(flags & IPC_NOWAIT))
		if ((error = vr_pause(&pause)))
			return result(error);
	return (int)or_errno(got);
}
