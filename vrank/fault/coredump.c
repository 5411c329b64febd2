/* Core files of workers. The region is address space for far more than there is memory, and the kernel would fault every page of a
 * shared mapping in to write it: so the region is left out of core files (isomalloc: Map), and what this worker's ranks have
 * touched is put back in when one is about to be written. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vrank/core/job.h"
#include "vrank/fault/coredump.h"

#define JOIN (64ul << 10) /* holes up to this size are written as zeroes: each part is a mapping of its own to the kernel */

static int region_fd = -1;
static uint64_t region_base;

void vr_core_setup(int fd, uint64_t base)
{
	region_fd = fd;
	region_base = base;
}

static int writes_to_program(void)
{
	char first = 0;
	int fd = open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, &first, 1);
	close(fd);
	return n == 1 && first == '|';
}

int vr_core_wanted(void)
{
	struct rlimit limit;
	return (!getrlimit(RLIMIT_CORE, &limit) && limit.rlim_cur > 0) || writes_to_program();
}

/* One part with memory in [*at, end) and small holes; 0 when there is none. */
static int next_part(uint64_t *at, uint64_t end, uint64_t *to)
{
	off_t from = lseek(region_fd, (off_t)(*at - region_base), SEEK_DATA);
	if (from < 0 || region_base + (uint64_t)from >= end)
		return 0;
	*at = region_base + (uint64_t)from;
	for (off_t hole, data = from;; from = hole) {
		hole = lseek(region_fd, data, SEEK_HOLE);
		*to = region_base + (uint64_t)hole;
		data = hole < 0 ? -1 : lseek(region_fd, hole, SEEK_DATA);
		if (data < 0 || (uint64_t)(data - hole) > JOIN || *to >= end)
			break;
	}
	*to = *to < end ? *to : end;
	return 1;
}

/* 0 when the kernel has no room for further mappings. */
static int include(uint64_t from, uint64_t end)
{
	for (uint64_t to; next_part(&from, end, &to); from = to)
		if (madvise((void *)from, to - from, MADV_DODUMP))
			return 0;
	return 1;
}

static int include_rank(const struct vr_rank *r)
{
	return include(r->slice, r->slice + vr_job->layout.slice_size);
}

void vr_core_prepare(void)
{
	if (region_fd < 0)
		return;
	int room = include((uint64_t)vr_job, vr_job->slices);
	if (room && vr_current)
		room = include_rank(vr_current);
	for (const struct vr_rank *r = vr_pe->all; r && room; r = r->all_next)
		if (r != vr_current)
			room = include_rank(r);
}
