/* Descriptors that go from worker to worker, see fd_passing.h. */
#include "vrank/migrate/fd_passing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "vrank/libc/fd_table.h"

/* The descriptors of one rank. What is sent of it ends with the last item. */
struct fd_message {
	struct fd_message *next;
	int32_t rank, n;
	int32_t item[VR_FDPASS_MAX]; /* twice the number, and 1 if it is closed on exec */
	int32_t fd[VR_FDPASS_MAX]; /* where they are before they have their numbers; the sender's own numbers mean nothing here */
};

static int number_of(int32_t item)
{
	return item >> 1;
}

/* One message with at most VR_FDPASS_LOAD descriptors. */
union rights {
	struct cmsghdr header;
	char room[CMSG_SPACE(VR_FDPASS_LOAD * sizeof(int))];
};

static int receives = -1, first_sends, nsends;
static struct fd_message sent, *waiting; /* what came for ranks that are not there yet */

void vr_fdpass_setup(int fd, int pes)
{
	receives = fd;
	first_sends = fd + 1;
	nsends = fd > 0 ? pes : 0;
}

/* ---- away ---- */

static int post(int socket, void *data, size_t size, const int *fds, int n)
{
	union rights rights = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(n * sizeof(int))}};
	struct iovec iov = {data, size};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = CMSG_SPACE(n * sizeof(int))};
	memcpy(CMSG_DATA(&rights.header), fds, n * sizeof(int));
	return sendmsg(socket, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* More than one message has room for: they lie in a socket, and that is sent. Nothing is left behind if it fails. */
static int wrap(const int *fds, int n)
{
	int pair[2], bad = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	for (int i = 0; i < n && !bad; i += VR_FDPASS_LOAD)
		bad = post(pair[0], &i, sizeof i, fds + i, n - i < VR_FDPASS_LOAD ? n - i : VR_FDPASS_LOAD);
	close(pair[0]);
	if (!bad)
		return pair[1];
	close(pair[1]);
	return -1;
}

static int send_all(struct vr_rank *r, int to)
{
	int wrapped = -1;
	sent.rank = r->id;
	for (int i = 0; i < sent.n; i++)
		sent.item[i] = 2 * sent.fd[i] + !!(fcntl(sent.fd[i], F_GETFD) & FD_CLOEXEC);
	if (sent.n > VR_FDPASS_LOAD && (wrapped = wrap(sent.fd, sent.n)) < 0)
		return -1;
	size_t size = offsetof(struct fd_message, item) - offsetof(struct fd_message, rank) + sent.n * sizeof sent.item[0];
	int bad = wrapped < 0 ? post(first_sends + to, &sent.rank, size, sent.fd, sent.n) : post(first_sends + to, &sent.rank, size, &wrapped, 1);
	if (wrapped >= 0)
		close(wrapped);
	return bad;
}

const char *vr_fdpass_send(struct vr_rank *r, int to, int *never)
{
	sent.n = vr_fds_of(r, sent.fd, VR_FDPASS_MAX);
	*never = sent.n > VR_FDPASS_MAX || !nsends;
	r->fds_in_flight = 0;
	if (!sent.n)
		return NULL;
	if (*never) {
		sent.n = 0;
		return "it has more descriptors than can be passed on";
	}
	r->fds_in_flight = 1;
	if (!send_all(r, to))
		return NULL;
	sent.n = r->fds_in_flight = 0;
	return "its descriptors cannot be passed on now";
}

void vr_fdpass_close(void)
{
	for (int i = 0; i < sent.n; i++)
		close(sent.fd[i]);
	sent.n = 0;
}

/* ---- and here ---- */

/* How many descriptors came; -1: none. */
static int receive(int socket, void *data, size_t size, int *fds)
{
	union rights rights;
	struct iovec iov = {data, size};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
	ssize_t n;
	while ((n = recvmsg(socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	struct cmsghdr *c = n > 0 && !(m.msg_flags & MSG_CTRUNC) ? CMSG_FIRSTHDR(&m) : NULL;
	if (!c)
		return -1;
	memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	return (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
}

static int unwrap(struct fd_message *c, int socket)
{
	int have = 0, at;
	for (int got; have < c->n && (got = receive(socket, &at, sizeof at, c->fd + have)) > 0; have += got)
		;
	close(socket);
	return have;
}

/* The next message, or NULL. */
static struct fd_message *next_fd_message(void)
{
	struct fd_message *c = malloc(sizeof *c);
	int fds[VR_FDPASS_LOAD];
	int n = c ? receive(receives, &c->rank, offsetof(struct fd_message, fd) - offsetof(struct fd_message, rank), fds) : -1;
	if (n > 0 && c->n > VR_FDPASS_LOAD)
		n = unwrap(c, fds[0]);
	else if (n > 0)
		memcpy(c->fd, fds, n * sizeof(int));
	if (n > 0 && n == c->n)
		return c;
	free(c);
	return NULL;
}

/* One that waits for its number lies where another one belongs. */
static void clear(struct fd_message *c, int from, int number)
{
	for (int i = from; i < c->n; i++)
		if (c->fd[i] == number)
			c->fd[i] = vr_fd_aside(c->fd[i]);
}

/* Not in the way of the runtime's own, which have low numbers. */
static void keep(struct fd_message *c)
{
	for (int i = 0; i < c->n; i++)
		c->fd[i] = vr_fd_aside(c->fd[i]);
	c->next = waiting;
	waiting = c;
}

static struct fd_message *find_message(int rank)
{
	struct fd_message **link = &waiting, *c;
	for (; (c = *link); link = &c->next)
		if (c->rank == rank) {
			*link = c->next;
			return c;
		}
	while ((c = next_fd_message()) && c->rank != rank)
		keep(c);
	return c;
}

/* Other threads of this worker have descriptors for a moment, wherever there is a number. */
#define PATIENCE 10000
#define MOMENT 100000 /* nanoseconds */

static const char *place(struct fd_message *c, int i)
{
	int number = number_of(c->item[i]);
	clear(c, i, number);
	for (struct fd_message *other = waiting; other; other = other->next)
		clear(other, 0, number);
	for (int tries = 0; tries < PATIENCE; tries++) {
		int fd = fcntl(c->fd[i], c->item[i] & 1 ? F_DUPFD_CLOEXEC : F_DUPFD, number);
		if (fd < 0)
			return strerror(errno);
		if (fd == number) {
			close(c->fd[i]);
			return NULL;
		}
		close(fd);
		nanosleep(&(struct timespec){.tv_nsec = MOMENT}, NULL);
	}
	return "the number of one of its descriptors is in use here";
}

const char *vr_fdpass_receive(struct vr_rank *r)
{
	const char *why = NULL;
	if (!r->fds_in_flight)
		return NULL;
	struct fd_message *c = find_message(r->id);
	if (!c)
		return "its descriptors have not come";
	for (int i = 0; i < c->n && !why; i++)
		why = place(c, i);
	free(c);
	r->fds_in_flight = 0;
	return why;
}
