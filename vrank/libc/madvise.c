/* What programs advise the kernel about memory: of the slice it is done otherwise than the kernel would. */
#include <errno.h>
#include <sys/mman.h>

#include "isomalloc/heap.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/file_mapping.h"
#include "vrank/libc/madvise.h"

#define PAGE 4096ul

static int is_for_huge_pages(int advice)
{
	return advice == MADV_HUGEPAGE || advice == 25; /* MADV_COLLAPSE, of Linux 6.1 */
}

int vr_keeps_small_pages;

static int advise(void *at, size_t n, int advice)
{
	if (vr_keeps_small_pages && is_for_huge_pages(advice))
		return 0; /* it is advice */
	uint64_t lo = (uint64_t)at, len = (n + PAGE - 1) & -PAGE;
	if (advice != MADV_DONTNEED && advice != MADV_FREE)
		return madvise(at, n, advice);
	if (!iso_heap_owns(vr_current->heap, at) || vr_file_mapping_meets(at, len))
		return madvise(at, n, advice);
	if (lo % PAGE || len < n || !iso_heap_owns(vr_current->heap, (char *)at + len - (len > 0))) {
		errno = EINVAL;
		return -1;
	}
	return len ? vr_file_mapping_drop(lo, len) : 0;
}

int vr_bind_madvise(void *at, size_t n, int advice)
{
	int bad = advise(at, n, advice);
	if (bad)
		vr_set_errno(errno);
	return bad;
}
