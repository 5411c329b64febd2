/* fork() in a rank. The rank's memory is shared between processes, so a bare child would write into it. The child copies what
 * there is of the rank's slice into memory of its own while the parent waits, and then both go on: see docs/rationale.md.
 *
 * That happens on a stack which is private to the process, since the rank's own is among what is replaced. Other ranks' slices
 * are out of reach in the child, the memory that MPI shares is read-only, and the runtime's descriptors are closed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vrank/core/rank_memory.h"
#include "vrank/core/switch.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/library.h"
#include "vrank/libc/process.h"
#include "vrank/libc/rank_threads.h"
#include "vrank/libc/reach.h"

VR_THREAD_LOCAL int64_t vr_apart;

#define STACK (256 << 10)
#define HUGE (2ul << 20)
#define RANGES_MAX 8192

static char stack[STACK] __attribute__((aligned(64)));
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static int region_fd = -1;
static ino_t region_inode;
static uint64_t region;

void vr_fork_setup(int fd, uint64_t base)
{
	struct stat s;
	region_fd = fd;
	if (!fstat(fd, &s))
		region_inode = s.st_ino;
	region = base;
	vr_standard_setup();
}

/* ---- memory of the child ---- */

static struct range {
	uint64_t lo, hi;
	int prot;
} ranges[RANGES_MAX];
static int nranges;

static int protection(const char *p)
{
	return (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) | (p[2] == 'x' ? PROT_EXEC : 0);
}

/* One line of the kernel's list: the parts of [lo, hi) that are the region's. Those without access are guards, and stay; files that the
 * program has mapped to share them are shared with its children. */
static int note_range(const char *line, uint64_t lo, uint64_t hi)
{
	unsigned long from, to, inode;
	char prot[8];
	if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &from, &to, prot, &inode) != 4 || prot[3] != 's' || inode != region_inode || !protection(prot))
		return 0;
	from = from < lo ? lo : from;
	to = to > hi ? hi : to;
	if (from >= to)
		return 0;
	if (nranges == RANGES_MAX)
		return ENOMEM;
	ranges[nranges++] = (struct range){from, to, protection(prot)};
	return 0;
}

static int list_ranges(uint64_t lo, uint64_t hi)
{
	static char text[32768];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), error = fd < 0 ? errno : 0;
	size_t have = 0;
	nranges = 0;
	for (ssize_t n; !error && (n = read(fd, text + have, sizeof text - 1 - have)) != 0;) {
		if (n < 0)
			error = errno;
		text[have += n > 0 ? n : 0] = 0;
		char *line = text;
		for (char *end; !error && (end = strchr(line, '\n')); line = end + 1)
			error = note_range(line, lo, hi);
		have -= line - text;
		memmove(text, line, have);
	}
	close(fd);
	return error;
}

static int copy_extent(char *to, uint64_t at, uint64_t n)
{
	while (n) {
		ssize_t got = pread(region_fd, to, n, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? errno : EIO;
		to += got, at += got, n -= got;
	}
	return 0;
}

/* The pages that exist of n bytes at offset `at` of the region. */
static int copy_pages(char *to, uint64_t at, uint64_t n)
{
	int error = 0;
	for (off_t data = at, end = at + n, hole; !error; data = hole) {
		data = lseek(region_fd, data, SEEK_DATA);
		if (data < 0 || data >= end)
			return data < 0 && errno != ENXIO ? errno : 0;
		hole = lseek(region_fd, data, SEEK_HOLE);
		if (hole < 0)
			return errno;
		uint64_t size = (hole < end ? hole : end) - data;
		if (size >= 2 * HUGE)
			madvise(to + (data - at), size, MADV_HUGEPAGE);
		error = copy_extent(to + (data - at), data, size);
	}
	return error;
}

/* Address space for n bytes that are to be at lo: there and here, huge pages begin at the same places. */
static char *room_for(uint64_t lo, uint64_t n)
{
	char *room = mmap(NULL, n + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return room;
	uint64_t before = (lo - (uint64_t)room) % HUGE;
	if (before)
		munmap(room, before);
	if (HUGE - before)
		munmap(room + before + n, HUGE - before);
	return mprotect(room + before, n, PROT_READ | PROT_WRITE) ? MAP_FAILED : room + before;
}

/* Put a private copy in place of [lo, hi). */
static int privatise(uint64_t lo, uint64_t hi, int prot)
{
	uint64_t n = hi - lo;
	char *copy = room_for(lo, n);
	if (copy == MAP_FAILED)
		return errno;
	int error = copy_pages(copy, lo - region, n);
	if (!error && prot != (PROT_READ | PROT_WRITE) && mprotect(copy, n, prot))
		error = errno;
	if (!error && mremap(copy, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, lo) == MAP_FAILED)
		error = errno;
	return error;
}

/* All of [lo, hi) but what the program shares with its children on purpose. */
static int privatise_but(const struct vr_common *c, uint64_t lo, uint64_t hi, int prot)
{
	for (; c; c = c->next) {
		if (c->hi <= lo || c->lo >= hi)
			continue;
		int error = c->lo > lo ? privatise_but(c->next, lo, c->lo, prot) : 0;
		return error || c->hi >= hi ? error : privatise_but(c->next, c->hi, hi, prot);
	}
	return privatise(lo, hi, prot);
}

static int privatise_all(const struct vr_common *common, uint64_t lo, uint64_t hi)
{
	int error = list_ranges(lo, hi);
	for (int i = 0; !error && i < nranges; i++)
		error = privatise_but(common, ranges[i].lo, ranges[i].hi, ranges[i].prot);
	return error;
}

static int forbid(uint64_t lo, uint64_t hi)
{
	if (lo < hi && mmap((void *)lo, hi - lo, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		return errno;
	return 0;
}

/* The slices of a rank, and of the one whose images and heap it uses, are all that the child keeps. */
static int keep_slices(const struct vr_rank *a, const struct vr_rank *b, const struct vr_common *common)
{
	uint64_t size = vr_job->layout.slice_size, first = vr_job->slices, end = first + vr_job->ranks * size;
	if (a->slice > b->slice) {
		const struct vr_rank *c = a;
		a = b, b = c;
	}
	uint64_t low = a->slice, high = b->slice;
	int error = forbid(first, low);
	if (!error)
		error = forbid(high + size, end);
	if (!error && high > low)
		error = forbid(low + size, high);
	if (!error)
		error = privatise_all(common, low, low + size);
	return error || high == low ? error : privatise_all(common, high, high + size);
}

static int own_memory(void)
{
	struct vr_rank *r = vr_current;
	uint64_t job = (uint64_t)vr_job, header = vr_job_header();
	const struct vr_process *p = vr_process();
	int error = keep_slices(r, vr_library_owner(r), p ? p->common : NULL);
	if (!error)
		error = privatise(job, job + header, PROT_READ | PROT_WRITE);
	if (!error && mprotect((char *)job + header, vr_job->slices - job - header, PROT_READ))
		error = errno;
	return error;
}

/* ---- both processes ---- */

static struct {
	int pid, error;
	void *back; /* the caller's stack pointer */
} call;

static void become_child(int tell)
{
	int error = vr_forked ? 0 : own_memory();
	if (error)
		_exit(write(tell, &error, sizeof error) != sizeof error);
	vr_signals_drain(); /* as long as it can be told from the worker's other ranks */
	if (!vr_forked) {
		vr_standard_drain();
		vr_reach_fork();
	}
	close(tell);
	vr_forked = 1;
	vr_apart = 1;
	vr_guard_calls(vr_current);
}

/* 0 when the child has its memory, or why it has not. */
static int await_child(int pid, int listen)
{
	int error = 0;
	ssize_t n;
	do
		n = read(listen, &error, sizeof error);
	while (n < 0 && errno == EINTR);
	if (n == sizeof error)
		waitpid(pid, NULL, 0);
	return n == sizeof error ? error : 0;
}

static void fork_now(void)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC)) {
		call.pid = -1;
		call.error = errno;
		return;
	}
	call.pid = fork();
	call.error = call.pid < 0 ? errno : 0;
	if (!call.pid) {
		close(ends[0]);
		become_child(ends[1]);
		return;
	}
	close(ends[1]);
	if (call.pid > 0 && (call.error = await_child(call.pid, ends[0])))
		call.pid = -1;
	close(ends[0]);
}

static void on_private_stack(void *unused)
{
	void *never;
	(void)unused;
	fork_now();
	vr_switch(&never, call.back);
}

/* Runs nothing of the program in between, neither its code nor handlers of its signals. */
static int fork_rank(int *error)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_mutex_lock(&one_at_a_time);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	vr_switch(&call.back, vr_switch_prepare(stack + STACK, on_private_stack, NULL));
	int pid = call.pid;
	*error = call.error;
	if (!pid)
		vr_children_forget();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_mutex_unlock(&one_at_a_time);
	return pid;
}

/* ---- what the program calls ---- */

static int register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	struct vr_process *p = vr_process();
	struct vr_atfork *a = p ? vr_rank_calloc(vr_current, 1, sizeof *a) : NULL;
	if (!a)
		return ENOMEM;
	*a = (struct vr_atfork){.before = p->last_atfork, .prepare = prepare, .parent = parent, .child = child};
	*(p->last_atfork ? &p->last_atfork->next : &p->atfork) = a;
	p->last_atfork = a;
	return 0;
}

int vr_bind_register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso)
{
	(void)dso;
	return register_atfork(prepare, parent, child);
}

int vr_bind_fork(void)
{
	struct vr_process *p = vr_process();
	int pid, error = 0;
	if (vr_vforked)
		vr_child_refuse("fork() after vfork()");
	for (struct vr_atfork *a = p ? p->last_atfork : NULL; a; a = a->before)
		if (a->prepare)
			a->prepare();
	pid = p ? fork_rank(&error) : -1;
	for (struct vr_atfork *a = p ? p->atfork : NULL; a; a = a->next)
		if (pid ? a->parent : a->child)
			(pid ? a->parent : a->child)();
	if (pid > 0) {
		p->forks += p->common != NULL;
		vr_child_add(pid, NULL);
	}
	if (pid < 0)
		vr_set_errno(p ? error : ENOMEM);
	return pid;
}

/* ---- vfork: vfork_amd64.S ---- */

int vr_vfork_after(int pid);
int vr_vfork_after(int pid)
{
	vr_vforked = !pid;
	vr_apart = !pid || vr_thread;
	if (!pid)
		vr_standard_drain();
	else if (pid > 0)
		vr_child_add(pid, NULL);
	else
		vr_set_errno(-pid);
	return pid < 0 ? -1 : pid;
}

/* ---- memory shared with children ---- */

void vr_common_add(void *at, size_t n)
{
	struct vr_process *p = vr_process();
	struct vr_common *c = p ? vr_rank_alloc(vr_current, sizeof *c) : NULL;
	if (!c)
		return;
	*c = (struct vr_common){p->common, (uint64_t)at, (uint64_t)at + n};
	p->common = c;
}

/* Take [lo, hi) out of one; what is left of it on the right gets an entry of its own. */
static void cut(struct vr_common **at, uint64_t lo, uint64_t hi)
{
	struct vr_common *c = *at;
	if (c->hi > hi && c->lo < lo)
		vr_common_add((void *)hi, c->hi - hi);
	if (c->lo < lo) {
		c->hi = lo;
	} else if (c->hi > hi) {
		c->lo = hi;
	} else {
		*at = c->next;
		vr_rank_free(vr_current, c);
	}
}

int vr_common_remove(void *at, size_t n)
{
	struct vr_process *p = vr_current->process;
	uint64_t lo = (uint64_t)at, hi = (lo + n + 4095) & ~4095ull;
	if (vr_likely(!p || !p->common))
		return 0;
	for (struct vr_common **c = &p->common, *now; (now = *c);) {
		if (now->lo >= hi || now->hi <= lo) {
			c = &now->next;
			continue;
		}
		if (p->forks)
			return 1;
		cut(c, lo, hi);
		if (*c == now)
			c = &now->next;
	}
	return 0;
}
