/* Memory of ranks: malloc and kin, anonymous mappings, and which memory other workers can see. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isomalloc/heap.h"
#include "vrank/core/output.h"
#include "vrank/core/pin.h"
#include "vrank/libc/allocation.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/brk.h"
#include "vrank/libc/file_mapping.h"
#include "vrank/libc/process.h"
#include "vrank/libc/protect.h"

#define PAGE 4096ul

/* ---- for the runtime ---- */

int vr_stack_allow_code(void *stack, uint64_t size)
{
	return mprotect(stack, size, PROT_READ | PROT_WRITE | PROT_EXEC);
}

/* ---- what goes wrong with heaps; handlers of isomalloc, which may hold the heap's lock ---- */

static struct vr_rank *owner_of(struct iso_heap *h)
{
	uint64_t id = ((uint64_t)h - vr_job->slices) / vr_job->layout.slice_size;
	return vr_rank_of((int32_t)id);
}

static void heap_full(struct iso_heap *h, size_t wanted)
{
	int id = owner_of(h)->id;
	if (wanted >> 47)
		return; /* no slice has so much: the program wants to see how it fails */
	vr_out_printf(id, 2, "ampirun: rank %d: its slice is full, no room for %zu bytes (the program gets NULL): raise +slice, now %llu\n", id,
		      wanted, (unsigned long long)vr_job->layout.slice_size);
}

/* Ends the rank as glibc's malloc does. */
static void heap_corrupted(struct iso_heap *h, const void *block, const char *what)
{
	int id = owner_of(h)->id;
	vr_out_printf(id, 2, "ampirun: rank %d: heap block %p: %s\n", id, block, what);
	raise(SIGABRT);
}

void vr_heap_handlers(void)
{
	iso_heap_on_full(heap_full);
	iso_heap_on_corruption(heap_corrupted);
}

int vr_heap_sound(struct vr_rank *r, char *why, size_t n)
{
	return iso_heap_check(r->heap, why, n);
}

/* ---- for programs ---- */

static void *or_enomem(void *p)
{
	if (vr_unlikely(!p))
		vr_set_errno(ENOMEM);
	return p;
}

void *vr_bind_malloc(size_t n)
{
	return or_enomem(iso_heap_alloc(vr_current->heap, n));
}

void *vr_bind_calloc(size_t n, size_t size)
{
	return or_enomem(iso_heap_calloc(vr_current->heap, n, size));
}

void vr_bind_free(void *p)
{
	if (p)
		iso_heap_free(vr_current->heap, p);
}

/* As glibc has it: realloc(p, 0) frees p. */
void *vr_bind_realloc(void *p, size_t n)
{
	if (p && !n) {
		vr_bind_free(p);
		return NULL;
	}
	return or_enomem(iso_heap_realloc(vr_current->heap, p, n));
}

void *vr_bind_memalign(size_t align, size_t n)
{
	if (align & (align - 1)) {
		vr_set_errno(EINVAL);
		return NULL;
	}
	return or_enomem(iso_heap_memalign(vr_current->heap, align < 16 ? 16 : align, n));
}

int vr_bind_posix_memalign(void **out, size_t align, size_t n)
{
	if (align < sizeof(void *) || (align & (align - 1)))
		return EINVAL;
	void *p = iso_heap_memalign(vr_current->heap, align < 16 ? 16 : align, n);
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void *vr_bind_valloc(size_t n)
{
	return vr_bind_memalign(PAGE, n);
}

void *vr_bind_pvalloc(size_t n)
{
	return vr_bind_memalign(PAGE, (n + PAGE - 1) & -PAGE);
}

/* The rank's own heap; what lies in mappings is the memory that all ranks of the job share for MPI's objects. */
struct mallinfo2 vr_bind_mallinfo2(void)
{
	struct iso_heap_stats s;
	iso_heap_stats(vr_current->heap, &s);
	return (struct mallinfo2){.arena = s.touched, .uordblks = s.used, .fsmblks = s.cached, .hblkhd = vr_job->arena_used + s.mapped - vr_break_idle(vr_current)};
}

struct mallinfo vr_bind_mallinfo(void)
{
	struct mallinfo2 m = vr_bind_mallinfo2();
	return (struct mallinfo){.arena = (int)m.arena, .uordblks = (int)m.uordblks, .fsmblks = (int)m.fsmblks, .hblkhd = (int)m.hblkhd};
}

int vr_bind_malloc_trim(size_t pad)
{
	(void)pad;
	return iso_heap_trim(vr_current->heap) > 0;
}

/* What the C library would print is about a heap that nobody uses. */
int vr_bind_malloc_info(int options, FILE *f)
{
	(void)options, (void)f;
	return vr_refuse("malloc_info", "mallinfo2 and malloc_stats are");
}

void vr_bind_malloc_stats(void)
{
	struct mallinfo2 m = vr_bind_mallinfo2();
	int id = vr_current->id;
	vr_out_printf(id, 2, "rank %d: heap: %zu bytes touched, %zu in use, %zu kept in small free blocks, %zu in mappings\n", id, m.arena, m.uordblks, m.fsmblks, m.hblkhd);
}

size_t vr_bind_malloc_usable_size(void *p)
{
	return iso_heap_usable(vr_current->heap, p);
}

/* A file over memory of the heap. It is noted first: what lies over the heap and is not known would stay there when it is freed. */
static void *overlaid(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	if (vr_file_mapping_add(at, n, prot, flags, fd, offset))
		return errno = ENOMEM, MAP_FAILED;
	void *p = mmap(at, n, prot, flags | MAP_FIXED, fd, offset);
	int error = errno;
	if (p == MAP_FAILED)
		vr_file_mapping_remove(at, n);
	errno = error;
	return p;
}

/* As programs do that reserve addresses first. */
static void *file_over_heap(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
	if (flags & MAP_FIXED_NOREPLACE && !iso_heap_vacant(vr_current->heap, addr, n))
		return errno = EEXIST, MAP_FAILED;
	if (vr_file_mapping_remove(addr, n) || !iso_heap_map_at(vr_current->heap, addr, n))
		return errno = ENOMEM, MAP_FAILED;
	return overlaid(addr, n, prot, flags & ~MAP_FIXED_NOREPLACE, fd, offset);
}

#define USUAL (MAP_SHARED_VALIDATE | MAP_NORESERVE | MAP_POPULATE | MAP_DENYWRITE | MAP_EXECUTABLE | MAP_NONBLOCK)

/* An ordinary file goes where every worker can map it, and where no other rank can be in its way: into the slice. NULL: as ever. */
static void *file_in_slice(size_t n, int prot, int flags, int fd, off_t offset)
{
	struct stat s;
	if (!n || vr_is_child() || vr_thread || flags & ~USUAL || fstat(fd, &s) || !S_ISREG(s.st_mode))
		return NULL;
	void *at = iso_heap_map(vr_current->heap, n);
	if (!at)
		return NULL;
	void *p = overlaid(at, n, prot, flags, fd, offset);
	int error = errno;
	if (p == MAP_FAILED)
		iso_heap_unmap(vr_current->heap, at, n);
	errno = error;
	return p;
}

static void *anonymous(void *addr, size_t n, int prot, int flags)
{
	struct iso_heap *h = vr_current->heap;
	int fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	if (flags & MAP_FIXED_NOREPLACE && !iso_heap_vacant(h, addr, n))
		return errno = EEXIST, MAP_FAILED;
	if (fixed && vr_file_mapping_remove(addr, n))
		return MAP_FAILED;
	void *p = fixed ? iso_heap_map_at(h, addr, n) : iso_heap_map(h, n);
	if (p && prot != (PROT_READ | PROT_WRITE) && mprotect(p, n, prot)) {
		iso_heap_unmap(h, p, n);
		p = NULL;
	}
	if (p)
		vr_protect_note(p, n, prot);
	return p ? p : MAP_FAILED;
}

/* Anonymous memory lies in the slice, so that it moves with the rank, and so do ordinary files. All else is where the kernel likes. */
void *vr_bind_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
	int fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	void *p;
	if ((flags & MAP_ANONYMOUS) && n && (!fixed || iso_heap_owns(vr_current->heap, addr))) {
		errno = ENOMEM;
		p = anonymous(addr, n, prot, flags);
		if (p == MAP_FAILED)
			vr_set_errno(errno);
		else if (flags & MAP_SHARED)
			vr_common_add(p, (n + PAGE - 1) & -PAGE);
		return p;
	}
	if (fixed && n && iso_heap_owns(vr_current->heap, addr))
		p = file_over_heap(addr, n, prot, flags, fd, offset);
	else if (fixed || !(p = file_in_slice(n, prot, flags, fd, offset))) {
		p = mmap(addr, n, prot, flags, fd, offset);
		if (p != MAP_FAILED)
			vr_rank_pin(vr_current, "it has mapped a device, or memory outside of its slice");
	}
	if (p == MAP_FAILED)
		vr_set_errno(errno);
	return p;
}

static int unmap_heap(void *addr, size_t n)
{
	errno = EINVAL;
	if (vr_file_mapping_remove(addr, n) || iso_heap_unmap(vr_current->heap, addr, n))
		return -1;
	vr_protect_note(addr, n, PROT_READ | PROT_WRITE);
	return 0;
}

int vr_bind_munmap(void *addr, size_t n)
{
	if (vr_common_remove(addr, n))
		return 0;
	int bad = iso_heap_owns(vr_current->heap, addr) ? unmap_heap(addr, n) : munmap(addr, n);
	if (bad)
		vr_set_errno(errno);
	return bad;
}

/* Within the heap, to an address of the program's choice. */
static void *remap_to(void *old, size_t old_size, void *to, size_t size)
{
	size_t kept = old_size < size ? old_size : size;
	uint64_t a = (uint64_t)old, b = (uint64_t)to;
	errno = EINVAL;
	if ((a < b + size && b < a + old_size) || !iso_heap_owns(vr_current->heap, to) || vr_file_mapping_remove(to, size))
		return NULL;
	if (!iso_heap_map_at(vr_current->heap, to, size))
		return NULL;
	memcpy(to, old, kept);
	iso_heap_unmap(vr_current->heap, old, old_size);
	vr_protect_note(old, old_size, PROT_READ | PROT_WRITE);
	vr_protect_note(to, size, PROT_READ | PROT_WRITE);
	return to;
}

static void *remap_heap(void *old, size_t old_size, size_t size, int flags, void *to)
{
	if (flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	errno = ENOMEM;
	if (vr_file_mapping_meets(old, old_size)) {
		size_t kept = (size + PAGE - 1) & -PAGE, had = (old_size + PAGE - 1) & -PAGE;
		if (flags & MREMAP_FIXED)
			return MAP_FAILED;
		if (kept <= had)
			return kept < had && vr_bind_munmap((char *)old + kept, had - kept) ? MAP_FAILED : old;
		void *grown = flags & MREMAP_MAYMOVE ? vr_file_mapping_grow(old, old_size, size) : NULL;
		return grown ? grown : MAP_FAILED;
	}
	void *p = flags & MREMAP_FIXED ? remap_to(old, old_size, to, size) : iso_heap_remap(vr_current->heap, old, old_size, size, flags & MREMAP_MAYMOVE);
	if (p && p != old)
		vr_protect_note(old, old_size, PROT_READ | PROT_WRITE);
	else if (p && size < old_size)
		vr_protect_note((char *)old + size, old_size - size, PROT_READ | PROT_WRITE);
	return p ? p : MAP_FAILED;
}

void *vr_bind_mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	void *p = iso_heap_owns(vr_current->heap, old) ? remap_heap(old, old_size, new_size, flags, to) : mremap(old, old_size, new_size, flags, to);
	if (p == MAP_FAILED)
		vr_set_errno(errno);
	return p;
}
