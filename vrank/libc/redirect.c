/* Files that a rank's C library maps for itself: locales, catalogues, semaphores, streams that map. It calls its own mmap and munmap, past
 * all symbols, so in a rank that may move the first instructions of these two go on in the runtime's. That is done when the rank first
 * calls something that needs it, in the one page of its library that this concerns, and again in each worker that it comes to. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isomalloc/heap.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/ldso.h"
#include "vrank/libc/process.h"
#include "vrank/libc/redirect.h"

#define PAGE 4096ul
#define COPIED_MAX 65536 /* a small file that is only read is copied: it needs no descriptor then */

static void *copy_of(int fd, size_t n, off_t offset)
{
	char *p = iso_heap_map(vr_current->heap, n);
	size_t have = 0;
	for (ssize_t got = 1; p && have < n && got; have += got)
		if ((got = pread(fd, p + have, n - have, offset + (off_t)have)) < 0) {
			iso_heap_unmap(vr_current->heap, p, n);
			return NULL;
		}
	return p;
}

static void *map_for_library(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
	void *p = !addr && prot == PROT_READ && flags == MAP_PRIVATE && n && n <= COPIED_MAX ? copy_of(fd, n, offset) : NULL;
	return p ? p : vr_bind_mmap(addr, n, prot, flags, fd, offset);
}

/* movabs $to, %rax; jmp *%rax */
struct jump {
	uint8_t movabs[2];
	uint64_t to;
	uint8_t jmp[2];
} __attribute__((packed));

static int redirect(uint64_t at, void *to)
{
	struct jump jump = {{0x48, 0xb8}, (uint64_t)to, {0xff, 0xe0}};
	uint64_t page = at & -PAGE, size = (at + sizeof jump - page + PAGE - 1) & -PAGE;
	if (!at)
		return ENOSYS;
	if (!memcmp((void *)at, &jump, sizeof jump))
		return 0;
	if (mprotect((void *)page, size, PROT_READ | PROT_WRITE | PROT_EXEC))
		return errno;
	memcpy((void *)at, &jump, sizeof jump);
	return mprotect((void *)page, size, PROT_READ | PROT_EXEC) ? errno : 0;
}

int vr_redirect_enter(struct vr_rank *r)
{
	const uint64_t *libc = r->entry.libc;
	if (!r->is_redirected)
		return 0;
	int error = redirect(libc[VR_LIBC_MUNMAP], vr_bind_munmap);
	return error ? error : redirect(libc[VR_LIBC_MMAP], map_for_library);
}

int vr_redirect(void)
{
	struct vr_rank *r = vr_current;
	if (vr_job->pes < 2 || vr_is_child() || atomic_load(&r->is_pinned))
		return 0;
	if (vr_ldso || r->images != vr_images_of(r->id))
		return ENOTSUP;
	r->is_redirected = 1;
	return vr_redirect_enter(r);
}
