/* Descriptors that go from worker to worker, see ferry.h. */
#include "ferry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "numbers.h"

/* The descriptors of one rank, in the order of the message's rights. */
struct cargo {
	struct cargo *next;
	int32_t rank, n;
	int32_t number[VR_FERRY_MAX];
	int32_t is_closed_on_exec[VR_FERRY_MAX];
	int32_t fd[VR_FERRY_MAX]; /* where they are before they have their numbers; the sender's own numbers mean nothing here */
};

static int receives = -1, first_sends, nsends;
static struct cargo sent, *waiting; /* what came for ranks that are not there yet */

void vr_ferry_setup(int fd, int pes)
{
	receives = fd;
	first_sends = fd + 1;
	nsends = fd > 0 ? pes : 0;
}

/* ---- away ---- */

static void load(struct vr_rank *r)
{
	sent.rank = r->id;
	for (int i = 0; i < sent.n; i++)
		sent.is_closed_on_exec[i] = fcntl(sent.number[i], F_GETFD) & FD_CLOEXEC;
}

static int post(int to)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof sent.number)];
	} rights = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sent.n * sizeof(int))}};
	struct iovec data = {&sent, offsetof(struct cargo, fd)};
	struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = CMSG_SPACE(sent.n * sizeof(int))};
	memcpy(CMSG_DATA(&rights.header), sent.number, sent.n * sizeof(int));
	return sendmsg(first_sends + to, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

const char *vr_ferry_send(struct vr_rank *r, int to, int *never)
{
	sent.n = vr_fds_of(r, sent.number, VR_FERRY_MAX);
	*never = sent.n > VR_FERRY_MAX || !nsends;
	r->cargo = 0;
	if (!sent.n)
		return NULL;
	if (*never)
		return "it has more descriptors than can be passed on";
	load(r);
	r->cargo = 1;
	return post(to) ? "its descriptors cannot be passed on now" : NULL;
}

void vr_ferry_close(void)
{
	for (int i = 0; i < sent.n; i++)
		close(sent.number[i]);
	sent.n = 0;
}

/* ---- and here ---- */

/* The next message, or NULL. */
static struct cargo *next_cargo(void)
{
	struct cargo *c = malloc(sizeof *c);
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof c->fd)];
	} rights;
	struct iovec data = {c, offsetof(struct cargo, fd)};
	struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
	ssize_t n = -1;
	while (c && (n = recvmsg(receives, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	if (n <= 0 || (m.msg_flags & MSG_CTRUNC)) {
		free(c);
		return NULL;
	}
	memcpy(c->fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), c->n * sizeof(int));
	return c;
}

/* To where ranks get numbers last. */
static void put_away(struct cargo *c, int i)
{
	int top = atomic_load(&vr_job->fd_top), last = vr_job->fd_count - vr_job->fd_count / 4;
	int fd = fcntl(c->fd[i], F_DUPFD_CLOEXEC, top > last ? top : last);
	if (fd < 0)
		return; /* there is none; it may do where it is */
	close(c->fd[i]);
	c->fd[i] = fd;
}

/* One that waits for its number lies where another one belongs. */
static void clear(struct cargo *c, int from, int number)
{
	for (int i = from; i < c->n; i++)
		if (c->fd[i] == number)
			put_away(c, i);
}

/* Not in the way of the runtime's own, which have low numbers. */
static void keep(struct cargo *c)
{
	for (int i = 0; i < c->n; i++)
		put_away(c, i);
	c->next = waiting;
	waiting = c;
}

static struct cargo *find(int rank)
{
	struct cargo **link = &waiting, *c;
	for (; (c = *link); link = &c->next)
		if (c->rank == rank) {
			*link = c->next;
			return c;
		}
	while ((c = next_cargo()) && c->rank != rank)
		keep(c);
	return c;
}

static const char *place(struct cargo *c, int i)
{
	clear(c, i, c->number[i]);
	for (struct cargo *other = waiting; other; other = other->next)
		clear(other, 0, c->number[i]);
	int fd = fcntl(c->fd[i], c->is_closed_on_exec[i] ? F_DUPFD_CLOEXEC : F_DUPFD, c->number[i]);
	if (fd == c->number[i]) {
		close(c->fd[i]);
		return NULL;
	}
	return fd < 0 ? strerror(errno) : "the number of one of its descriptors is in use here";
}

const char *vr_ferry_receive(struct vr_rank *r)
{
	const char *why = NULL;
	if (!r->cargo)
		return NULL;
	struct cargo *c = find(r->id);
	if (!c)
		return "its descriptors have not come";
	for (int i = 0; i < c->n && !why; i++)
		why = place(c, i);
	free(c);
	r->cargo = 0;
	return why;
}
