/* Files that a program maps over memory of its slice. What lies under such a file is the region's, and is put back when the file goes.
 *
 * A rank that moves has its files mapped again, by a descriptor of its own for each. Pages of a private map that it has written to exist in
 * one process only: before the rank goes they are moved into the region, and are ordinary memory from then on. */
#include "vrank/libc/file_mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isomalloc/heap.h"
#include "vrank/core/abort.h"
#include "vrank/core/pin.h"
#include "vrank/core/rank_memory.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/library.h"
#include "vrank/libc/protect.h"

#define PAGE 4096ul

/* The runtime's own descriptor of a file, which no program knows. */
struct file {
	int32_t fd, maps;
	dev_t device;
	ino_t inode;
};

struct vr_file_mapping {
	struct vr_file_mapping *next;
	uint64_t lo, hi;
	struct file *file; /* or NULL: it cannot be taken along */
	int64_t offset;
	int32_t prot, flags;
};

static int region_fd;
static uint64_t region_base;
static pid_t worker_pid;

void vr_file_mapping_setup(int fd, uint64_t base)
{
	region_fd = fd;
	region_base = base;
	worker_pid = getpid();
}

/* In a forked child the slice is the child's own, and the region is none of its business. */
static int restore(uint64_t lo, uint64_t hi)
{
	int shared = getpid() == worker_pid, flags = MAP_FIXED | MAP_NORESERVE;
	void *p = mmap((void *)lo, hi - lo, PROT_READ | PROT_WRITE, flags | (shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS), shared ? region_fd : -1,
		       shared ? (off_t)(lo - region_base) : 0);
	return p == MAP_FAILED ? -1 : 0;
}

int vr_file_mapping_drop(uint64_t lo, uint64_t n)
{
	if (madvise((void *)lo, n, MADV_REMOVE) == 0)
		return 0;
	if (errno == EACCES && getpid() == worker_pid)
		return fallocate(region_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(lo - region_base), (off_t)n);
	return madvise((void *)lo, n, MADV_DONTNEED); /* private in a forked child */
}

/* Whose images a rank uses, its heap it uses. */
static struct vr_rank *owner(void)
{
	return vr_library_owner(vr_current);
}

/* ---- files ---- */

/* What the file's lock and position are about must not depend on whether it is mapped, so it is opened once more where that can be. */
static int open_again(int fd)
{
	char path[32];
	int mode = fcntl(fd, F_GETFL), again = -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (mode >= 0)
		again = open(path, (mode & O_ACCMODE) | O_CLOEXEC | O_NOCTTY);
	return vr_fd_keep(again >= 0 ? again : fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

static int is_writable(int fd)
{
	return (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

static int is_same(const struct file *f, const struct stat *s)
{
	return f && f->device == s->st_dev && f->inode == s->st_ino;
}

static struct file *file_of(struct vr_rank *r, int fd)
{
	struct stat s;
	if (r != vr_current || fstat(fd, &s) || !S_ISREG(s.st_mode))
		return NULL;
	for (struct vr_file_mapping *o = r->file_mappings; o; o = o->next)
		if (is_same(o->file, &s) && is_writable(o->file->fd) == is_writable(fd))
			return o->file;
	struct file *f = vr_rank_alloc(r, sizeof *f);
	int own = f ? open_again(fd) : -1;
	if (own >= 0)
		*f = (struct file){own, 0, s.st_dev, s.st_ino};
	else if (f)
		vr_rank_free(r, f), f = NULL;
	return f;
}

int vr_file_mapping_uses(const struct vr_rank *r, int fd)
{
	for (const struct vr_file_mapping *o = r->file_mappings; o; o = o->next)
		if (o->file && o->file->fd == fd)
			return 1;
	return 0;
}

static void forget(struct vr_rank *r, struct vr_file_mapping *o)
{
	struct file *f = o->file;
	if (f && !--f->maps) {
		close(f->fd);
		vr_fd_gone(f->fd);
		vr_rank_free(r, f);
	}
	vr_rank_free(r, o);
}

/* ---- the list ---- */

static struct vr_file_mapping *add(struct vr_rank *r, const struct vr_file_mapping *like, uint64_t lo, uint64_t hi)
{
	struct vr_file_mapping *o = vr_rank_alloc(r, sizeof *o);
	if (!o)
		return NULL;
	*o = *like;
	o->lo = lo;
	o->hi = hi;
	o->offset += (int64_t)(lo - like->lo);
	o->next = r->file_mappings;
	r->file_mappings = o;
	if (o->file)
		o->file->maps++;
	return o;
}

static void drop_overlay(struct vr_rank *r, struct vr_file_mapping *o)
{
	struct vr_file_mapping **link = &r->file_mappings;
	while (*link != o)
		link = &(*link)->next;
	*link = o->next;
	forget(r, o);
}

int vr_file_mapping_add(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	struct vr_rank *r = owner();
	uint64_t lo = (uint64_t)at;
	struct vr_file_mapping o = {.lo = lo, .offset = offset, .prot = prot, .flags = flags & (MAP_SHARED | MAP_PRIVATE)};
	if (vr_job->fd_count)
		o.file = file_of(r, fd);
	if (!o.file && vr_job->pes > 1)
		vr_rank_pin(r, "it has mapped a file that no other worker can map");
	return add(r, &o, lo, (lo + n + PAGE - 1) & -PAGE) ? 0 : -1;
}

/* Takes [lo, hi) out of one overlay, which may be none of it afterwards. */
static int cut(struct vr_rank *r, struct vr_file_mapping *o, uint64_t lo, uint64_t hi)
{
	uint64_t from = o->lo > lo ? o->lo : lo, to = o->hi < hi ? o->hi : hi, end = o->hi;
	if (from >= to)
		return 0;
	if (to < end && from > o->lo && !add(r, o, to, end))
		return -1;
	if (from > o->lo) {
		o->hi = from;
	} else {
		o->offset += (int64_t)(to - o->lo);
		o->lo = to;
	}
	return restore(from, to);
}

static int cut_all(struct vr_rank *r, uint64_t lo, uint64_t hi)
{
	for (struct vr_file_mapping *o = r->file_mappings, *next; o; o = next) {
		next = o->next; /* what cut adds stands before all of them, and has none of it */
		if (cut(r, o, lo, hi))
			return -1;
		if (o->lo >= o->hi)
			drop_overlay(r, o);
	}
	return 0;
}

int vr_file_mapping_remove(void *at, size_t n)
{
	return cut_all(owner(), (uint64_t)at, ((uint64_t)at + n + PAGE - 1) & -PAGE);
}

static int meets(const struct vr_rank *r, uint64_t lo, uint64_t hi)
{
	for (const struct vr_file_mapping *o = r->file_mappings; o; o = o->next)
		if (lo < o->hi && o->lo < hi)
			return 1;
	return 0;
}

int vr_file_mapping_meets(const void *at, size_t n)
{
	return meets(owner(), (uint64_t)at, (uint64_t)at + n);
}

int vr_file_mapping_of(const struct vr_rank *r, const void *at, size_t n)
{
	return meets(r, (uint64_t)at, (uint64_t)at + n);
}

int vr_file_mapping_first(const struct vr_rank *r, uint64_t lo, uint64_t hi, struct iso_range *part)
{
	const struct vr_file_mapping *first = NULL;
	for (const struct vr_file_mapping *o = r->file_mappings; o; o = o->next)
		if (o->lo < hi && o->hi > lo && (!first || o->lo < first->lo))
			first = o;
	if (!first)
		return -1;
	*part = (struct iso_range){first->lo > lo ? first->lo : lo, first->hi < hi ? first->hi : hi};
	return first->prot;
}

/* At an edge of what changes, one becomes two. */
static int split(struct vr_rank *r, uint64_t at)
{
	for (struct vr_file_mapping *o = r->file_mappings; o; o = o->next)
		if (o->lo < at && at < o->hi) {
			if (!add(r, o, at, o->hi))
				return -1;
			o->hi = at;
		}
	return 0;
}

void vr_file_mapping_protect(void *at, size_t n, int prot)
{
	struct vr_rank *r = owner();
	uint64_t lo = (uint64_t)at & -PAGE, hi = ((uint64_t)at + n + PAGE - 1) & -PAGE;
	if (!meets(r, lo, hi))
		return;
	if (split(r, lo) || split(r, hi))
		vr_rank_pin(r, "its slice is full");
	for (struct vr_file_mapping *o = r->file_mappings; o; o = o->next)
		if (lo <= o->lo && o->hi <= hi)
			o->prot = prot;
}

void *vr_file_mapping_grow(void *at, size_t n, size_t size)
{
	struct vr_rank *r = owner();
	uint64_t lo = (uint64_t)at, hi = (lo + n + PAGE - 1) & -PAGE;
	struct vr_file_mapping *o = r->file_mappings;
	while (o && (o->lo != lo || o->hi != hi))
		o = o->next;
	char *to = o ? iso_heap_map(r->heap, size) : NULL;
	if (!to)
		return NULL;
	if (mremap(at, n, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
		iso_heap_unmap(r->heap, to, size);
		return NULL;
	}
	if (restore(lo, hi))
		vr_job_abort(1, "mremap: memory of the slice cannot be put back where a mapped file was: %s", strerror(errno));
	iso_heap_unmap(r->heap, at, n);
	o->lo = (uint64_t)to;
	o->hi = ((uint64_t)to + size + PAGE - 1) & -PAGE;
	return to;
}

/* ---- going and coming: PE stack ---- */

#define ENTRIES 512
#define PRESENT (3ull << 62) /* in memory, or swapped out */
#define FILE_OR_SHARED (1ull << 61)

/* Each page of n <= ENTRIES from `at`: has the kernel copied it for this process? Where it does not say, it may have. */
static void written_pages(uint64_t at, size_t n, char *written)
{
	uint64_t entries[ENTRIES];
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, entries, n * sizeof *entries, (off_t)(at / PAGE * sizeof *entries));
	for (size_t i = 0; i < n; i++)
		written[i] = got != (ssize_t)(n * sizeof *entries) || (entries[i] & PRESENT && !(entries[i] & FILE_OR_SHARED));
	if (fd >= 0)
		close(fd);
}

/* [lo, hi) of a private map becomes memory of the region. */
static int commit_run(struct vr_rank *r, const struct vr_file_mapping *o, uint64_t lo, uint64_t hi)
{
	int prot = o->prot;
	if (!(prot & PROT_READ) && mprotect((void *)lo, hi - lo, PROT_READ))
		return -1;
	for (uint64_t at = lo; at < hi;) {
		ssize_t n = pwrite(region_fd, (void *)at, hi - at, (off_t)(at - region_base));
		if (n <= 0)
			return -1;
		at += n;
	}
	if (cut_all(r, lo, hi))
		return -1;
	if (prot != (PROT_READ | PROT_WRITE) && mprotect((void *)lo, hi - lo, prot))
		return -1;
	vr_protect_note_of(r, (void *)lo, hi - lo, prot);
	return 0;
}

/* At most so many pages at once; runs that lie close together are one, so that there are few. */
#define GAP 16

static int commit_pages(struct vr_rank *r, const struct vr_file_mapping *o, uint64_t lo, size_t n)
{
	char written[ENTRIES];
	written_pages(lo, n, written);
	for (size_t i = 0; i < n; i++) {
		if (!written[i])
			continue;
		size_t last = i;
		for (size_t k = i + 1; k < n && k - last <= GAP; k++)
			if (written[k])
				last = k;
		if (commit_run(r, o, lo + i * PAGE, lo + (last + 1) * PAGE))
			return -1;
		i = last;
	}
	return 0;
}

/* The overlay changes as its pages go: what it was is looked at. */
static int commit_all(struct vr_rank *r, struct vr_file_mapping was)
{
	for (uint64_t lo = was.lo; lo < was.hi; lo += ENTRIES * PAGE) {
		uint64_t n = (was.hi - lo) / PAGE;
		if (commit_pages(r, &was, lo, n < ENTRIES ? n : ENTRIES))
			return -1;
	}
	return 0;
}

/* The program may have closed all descriptors that it did not know. */
static int is_open(const struct file *f)
{
	struct stat s;
	return f && !fstat(f->fd, &s) && is_same(f, &s);
}

const char *vr_file_mapping_commit(struct vr_rank *r)
{
	for (struct vr_file_mapping *o = r->file_mappings, *next; o; o = next) {
		next = o->next;
		if (!is_open(o->file))
			return "it has closed the descriptor by which a file that it has mapped would be mapped again";
		if (o->flags & MAP_PRIVATE && commit_all(r, *o))
			return "what it has written over a file that it has mapped cannot be moved into its slice";
	}
	return NULL;
}

void vr_file_mapping_leave(struct vr_rank *r)
{
	for (struct vr_file_mapping *o = r->file_mappings; o; o = o->next)
		restore(o->lo, o->hi);
}

/* After a restart a file may be another one with the same bytes. */
static void note_identity(struct file *f)
{
	struct stat s;
	if (!fstat(f->fd, &s))
		f->device = s.st_dev, f->inode = s.st_ino;
}

int vr_file_mapping_enter(struct vr_rank *r)
{
	for (struct vr_file_mapping *o = r->file_mappings; o; o = o->next) {
		note_identity(o->file);
		if (mmap((void *)o->lo, o->hi - o->lo, o->prot, o->flags | MAP_FIXED | MAP_NORESERVE, o->file->fd, o->offset) == MAP_FAILED)
			return -1;
	}
	return 0;
}
