/* Memory by other calls than malloc and mmap: madvise, brk and sbrk, system calls by number, mappings at chosen addresses, a
 * file over reserved memory; and the less common functions of malloc's family. */
#define _GNU_SOURCE
#include "../mpi/heap_use.h"
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define MEG (1ul << 20)

static char *map(size_t n, int prot)
{
	char *p = mmap(NULL, n, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(p != MAP_FAILED);
	return p;
}

static int is_all(const char *p, size_t n, char c)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != c)
			return 0;
	return 1;
}

/* What is given back with DONTNEED reads as zeroes, whatever its protection is; the rest is kept. */
static void advice(void)
{
	char *p = map(MEG, PROT_READ | PROT_WRITE);
	memset(p, 7, MEG);
	CHECK(madvise(p + PAGE, 8 * PAGE, MADV_DONTNEED) == 0);
	CHECK(is_all(p, PAGE, 7) && is_all(p + PAGE, 8 * PAGE, 0) && is_all(p + 9 * PAGE, PAGE, 7));
	mprotect(p + 16 * PAGE, 4 * PAGE, PROT_NONE);
	mprotect(p + 20 * PAGE, 4 * PAGE, PROT_READ);
	CHECK(madvise(p + 16 * PAGE, 8 * PAGE, MADV_DONTNEED) == 0);
	mprotect(p + 16 * PAGE, 8 * PAGE, PROT_READ | PROT_WRITE);
	CHECK(is_all(p + 16 * PAGE, 8 * PAGE, 0));
	CHECK(madvise(p, PAGE, MADV_FREE) == 0);
	memset(p, 9, PAGE);
	CHECK(is_all(p, PAGE, 9));
	CHECK(madvise(p + 1, PAGE, MADV_DONTNEED) == -1 && errno == EINVAL);
	munmap(p, MEG);
}

/* A huge reservation, of which parts are committed, is trimmed to an alignment as allocators do it. */
static void reservation(void)
{
	size_t n = 256 * MEG, unit = 32 * MEG;
	char *p = map(n, PROT_NONE), *start = (char *)(((unsigned long)p + unit - 1) / unit * unit);
	if (start > p)
		munmap(p, start - p);
	munmap(start + unit, p + n - (start + unit));
	CHECK(mprotect(start, MEG, PROT_READ | PROT_WRITE) == 0);
	CHECK(is_all(start, MEG, 0));
	memset(start, 1, MEG);
	char *again = mmap(start, MEG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(again == start && is_all(start, MEG, 0));
	again = mmap(start, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	CHECK(again == MAP_FAILED && errno == EEXIST);
	memset(start, 2, PAGE);
	CHECK(mremap(start, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, start + 2 * MEG) == start + 2 * MEG);
	CHECK(is_all(start + 2 * MEG, PAGE, 2));
	munmap(start, unit);
}

static void breaks(void)
{
	char *p = sbrk(0);
	CHECK(p != (char *)-1);
	CHECK(sbrk(3 * MEG) == p && sbrk(0) == p + 3 * MEG);
	CHECK(is_all(p, 3 * MEG, 0));
	memset(p, 'a' + rank % 20, 3 * MEG);
	check_others_run();
	CHECK(is_all(p, 3 * MEG, 'a' + rank % 20));
	CHECK(brk(p + MEG) == 0 && sbrk(2 * MEG) == p + MEG);
	CHECK(is_all(p + MEG, 2 * MEG, 0) && is_all(p, MEG, 'a' + rank % 20));
	CHECK(sbrk(1l << 46) == (void *)-1 && errno == ENOMEM);
	CHECK(syscall(SYS_brk, 0) == (long)(p + 3 * MEG));
	brk(p);
}

static void by_number(void)
{
	char *p = (char *)syscall(SYS_mmap, 0, MEG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED);
	memset(p, 5, MEG);
	p = (char *)syscall(SYS_mremap, p, MEG, 2 * MEG, MREMAP_MAYMOVE);
	CHECK(is_all(p, MEG, 5) && is_all(p + MEG, MEG, 0));
	CHECK(syscall(SYS_madvise, p, MEG, MADV_DONTNEED) == 0 && is_all(p, MEG, 0));
	CHECK(syscall(SYS_munmap, p, 2 * MEG) == 0);
	CHECK(syscall(SYS_getpid) == getpid());
	CHECK(syscall(SYS_close, -1) == -1 && errno == EBADF);
}

/* The file is neither seen where memory is again, nor does it suffer when that memory is dropped. */
static void file_over_memory(void)
{
	char name[] = "memory_calls.XXXXXX", text[4 * PAGE];
	int fd = mkstemp(name);
	unlink(name);
	memset(text, 'f', sizeof text);
	CHECK(write(fd, text, sizeof text) == sizeof text);
	char *p = map(MEG, PROT_READ | PROT_WRITE);
	memset(p, 1, MEG);
	char *f = mmap(p + 4 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	CHECK(f == p + 4 * PAGE && is_all(f, 4 * PAGE, 'f'));
	CHECK(madvise(f, 2 * PAGE, MADV_DONTNEED) == 0 && is_all(f, 4 * PAGE, 'f'));
	f = mmap(p + 5 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(is_all(f, PAGE, 0));
	memset(f, 2, PAGE);
	CHECK(madvise(f, PAGE, MADV_DONTNEED) == 0 && is_all(f, PAGE, 0));
	CHECK(is_all(p + 4 * PAGE, PAGE, 'f') && is_all(p + 6 * PAGE, 2 * PAGE, 'f'));
	munmap(p, MEG);
	p = map(MEG, PROT_READ | PROT_WRITE);
	CHECK(is_all(p, MEG, 0));
	munmap(p, MEG);
	memset(text, 0, sizeof text);
	CHECK(pread(fd, text, sizeof text, 0) == sizeof text && is_all(text, sizeof text, 'f'));
	close(fd);
}

static size_t in_use(void)
{
	struct heap_use u = heap_use();
	return (size_t)(u.heap + u.mapped);
}

static void family(void)
{
	char *p = aligned_alloc(64, 640), *line = NULL, *text;
	size_t n = 0;
	volatile size_t half = ~0ul / 2;
	void *q;
	CHECK((unsigned long)p % 64 == 0 && malloc_usable_size(p) >= 640);
	p = realloc(p, 100000);
	p = reallocarray(p, 300, 1000);
	CHECK(malloc_usable_size(p) >= 300000);
	free(p);
	CHECK(reallocarray(NULL, half, 3) == NULL && errno == ENOMEM);
	CHECK(posix_memalign(&q, 8192, 100) == 0 && (unsigned long)q % 8192 == 0);
	free(q);
	CHECK(asprintf(&text, "%d", 12345) == 5);
	FILE *f = fmemopen(text, 5, "r");
	CHECK(getline(&line, &n, f) == 5 && !strcmp(line, "12345"));
	line = realloc(line, 4000);
	fclose(f);
	free(line);
	free(text);
	free(strdup("x"));
	free(realpath("/", NULL));
	size_t before = in_use();
	p = malloc(10 * MEG);
	CHECK(in_use() >= before + 10 * MEG);
	free(p);
	malloc_trim(0);
	CHECK(mallopt(M_TRIM_THRESHOLD, 1 << 20) == 1);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	advice();
	reservation();
	breaks();
	by_number();
	file_over_memory();
	family();
	return check_end("memory_calls");
}
