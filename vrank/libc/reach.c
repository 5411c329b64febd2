/* Descriptors that a rank does not reach, see reach.h. */
#include "vrank/libc/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vrank/core/compat.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/file_mapping.h"
#include "vrank/libc/library.h"
#include "vrank/libc/process.h"

#define FIRST 3
#define ARENAS_PER_CORE 8 /* as glibc's malloc has it, which otherwise reads the number of cores from a file, when some thread first needs another */
#define BASE 1024 /* programs choose smaller numbers, and select() knows no larger ones */
#define ROOM (64 + 4 * VR_MAX_PES)

int vr_fd_base = FIRST, vr_fd_room = ROOM;

/* By number: 1 + the rank that has it, VR_FD_RUNTIME, or 0. Where ranks move, numbers in the job's table are looked up there first. */
static _Atomic int32_t owners[VR_FD_LIMIT];

static char fills[BASE]; /* numbers that are taken until vr_reach_begin */

/* ---- the start of a worker ---- */

static int is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* What this process was given, from 3 on without a gap, goes up if there is room for it and more. */
static void move_up(int limit)
{
	int end = FIRST;
	while (end < vr_fd_base && is_open(end))
		end++;
	if (vr_fd_base + 2 * (end - FIRST) > limit || end >= vr_fd_base) {
		vr_fd_base = FIRST;
		return;
	}
	for (int fd = FIRST; fd < end; fd++) {
		dup3(fd, vr_fd_base + fd - FIRST, O_CLOEXEC);
		close(fd);
	}
}

static void fill(void)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), fd = root;
	for (; fd >= 0 && fd < vr_fd_base; fd = fcntl(root, F_DUPFD_CLOEXEC, FIRST))
		fills[fd] = 1;
	if (fd >= 0)
		close(fd);
}

/* Before Go starts, which opens descriptors for itself. */
__attribute__((constructor)) static void begin(int argc, char **argv)
{
	struct rlimit most;
	if (argc < 2 || strcmp(argv[0], "ampirun-worker") || strcmp(argv[1], "worker") || getrlimit(RLIMIT_NOFILE, &most))
		return;
	if (most.rlim_cur < most.rlim_max) { /* as Go does */
		most.rlim_cur = most.rlim_max;
		setrlimit(RLIMIT_NOFILE, &most);
	}
	int limit = most.rlim_cur < VR_FD_LIMIT ? (int)most.rlim_cur : VR_FD_LIMIT;
	if (limit < BASE + ROOM)
		vr_fd_room = ROOM < limit / 2 ? ROOM : limit / 2;
	vr_fd_base = limit < BASE + ROOM ? limit - vr_fd_room : BASE;
	if (vr_fd_base < FIRST)
		vr_fd_base = FIRST;
	move_up(limit);
	if (vr_fd_base > FIRST)
		fill();
	if (!getenv("MALLOC_ARENA_MAX"))
		mallopt(M_ARENA_MAX, ARENAS_PER_CORE * (int)sysconf(_SC_NPROCESSORS_ONLN));
}

/* Kernels before 5.9, and filters that do not know the call, have it done one by one. */
static long close_numbers(unsigned first, unsigned last, unsigned flags)
{
	long bad = syscall(SYS_close_range, first, last, flags);
	if (!bad || (errno != ENOSYS && errno != EPERM) || flags)
		return bad;
	for (unsigned fd = first; fd <= last && fd < VR_FD_LIMIT; fd++)
		close((int)fd);
	return 0;
}

void vr_reach_begin(void)
{
	for (int fd = vr_fd_base; fd < vr_fd_base + vr_fd_room && fd < VR_FD_LIMIT; fd++)
		if (is_open(fd))
			vr_reach_set(fd, VR_FD_RUNTIME);
	for (int fd = FIRST, end; fd < vr_fd_base; fd = end + 1) {
		for (end = fd; end < vr_fd_base && fills[end]; end++)
			;
		if (end > fd)
			close_numbers((unsigned)fd, (unsigned)end - 1, 0);
	}
	memset(fills, 0, sizeof fills);
}

/* ---- owners ---- */

void vr_reach_set(int fd, int owner)
{
	if ((unsigned)fd < VR_FD_LIMIT)
		atomic_store_explicit(&owners[fd], owner, memory_order_relaxed);
}

static int32_t owner_of(int fd)
{
	int32_t owner = 0;
	if (fd >= vr_job->fd_first && fd < vr_job->fd_count)
		owner = atomic_load_explicit(&vr_job->fd_owner[fd], memory_order_relaxed);
	return owner > 0 ? owner : atomic_load_explicit(&owners[fd], memory_order_relaxed);
}

/* Ranks that share their images share what their libraries have open. */
static int shares(const struct vr_rank *r, int32_t owner)
{
	return owner > 0 && vr_library_owner(vr_rank_of(owner - 1)) == vr_library_owner(r);
}

int vr_reach_denies(int fd)
{
	const struct vr_rank *r = vr_current;
	if ((unsigned)fd >= VR_FD_LIMIT || fd < FIRST || !r || vr_is_child())
		return 0;
	int32_t owner = owner_of(fd);
	return vr_unlikely(owner && owner != r->id + 1 && !shares(r, owner));
}

int vr_reach_is_runtimes(int fd)
{
	return owner_of(fd) == VR_FD_RUNTIME;
}

/* Which of the rank's standard descriptors it is in truth; or -1. */
static int standard_of(const struct vr_rank *r, int fd)
{
	for (int i = 0; i < 3; i++)
		if (fd == r->standard_fd[i])
			return i;
	return -1;
}

int vr_reach_hides(int fd)
{
	const struct vr_rank *r = vr_current;
	if (fd < FIRST || !r || vr_is_child())
		return 0;
	int standard = standard_of(r, fd);
	if (standard >= 0)
		return !(r->streams_know >> standard & 1);
	return fd == r->directory || (r->file_mappings && vr_file_mapping_uses(r, fd));
}

int vr_reach_keeps(int fd)
{
	return vr_reach_hides(fd) || (fd >= FIRST && vr_current && !vr_is_child() && standard_of(vr_current, fd) >= 0);
}

void vr_reach_fork(void)
{
	for (int fd = vr_fd_base; fd < vr_fd_base + vr_fd_room && fd < VR_FD_LIMIT; fd++)
		if (atomic_load_explicit(&owners[fd], memory_order_relaxed) == VR_FD_RUNTIME)
			close(fd);
}

/* ---- closing many ---- */

static int leaves(int fd)
{
	return fd < FIRST ? !vr_is_child() : vr_reach_denies(fd) || vr_reach_keeps(fd);
}

static long close_part(unsigned first, unsigned last, unsigned flags)
{
	long bad = close_numbers(first, last, flags);
	for (unsigned fd = first; !bad && !(flags & CLOSE_RANGE_CLOEXEC) && fd <= last && fd < VR_FD_LIMIT; fd++)
		vr_fd_gone((int)fd);
	return bad;
}

#define CLOSE_RANGE_FLAGS (CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC)

/* What is within reach goes, part by part. A table of descriptors of the caller's own (CLOSE_RANGE_UNSHARE) is what ranks seem to have. */
int vr_bind_close_range(unsigned first, unsigned last, int flags)
{
	unsigned how = (unsigned)flags & CLOSE_RANGE_CLOEXEC, end = last < VR_FD_LIMIT ? last + 1 : VR_FD_LIMIT;
	long bad = 0;
	if (first > last || ((unsigned)flags & ~CLOSE_RANGE_FLAGS)) {
		vr_set_errno(EINVAL);
		return -1;
	}
	if (vr_is_child())
		bad = syscall(SYS_close_range, first, last, flags);
	else if (!how)
		for (unsigned fd = first; fd < FIRST && fd <= last; fd++)
			vr_bind_close((int)fd);
	for (unsigned fd = first < FIRST ? FIRST : first; !bad && !vr_is_child() && fd < end;) {
		unsigned from = fd;
		while (fd < end && !leaves((int)fd))
			fd++;
		if (fd > from)
			bad = close_part(from, fd == VR_FD_LIMIT && last >= fd ? last : fd - 1, how);
		while (fd < end && leaves((int)fd))
			fd++;
	}
	if (bad)
		vr_set_errno(errno);
	return bad ? -1 : 0;
}

void vr_bind_closefrom(int low)
{
	vr_bind_close_range(low < 0 ? 0 : (unsigned)low, ~0u, 0);
}
