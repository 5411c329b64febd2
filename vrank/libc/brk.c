/* The break, and system calls by number: ways around the C library's functions that some allocators take.
 *
 * The process has one break, and every rank's C library would believe it to be its own. So a rank has one of its own: a part
 * of its slice, reserved when it is first asked for, which like all of a slice costs memory where it is touched. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "isomalloc/heap.h"
#include "vrank/core/compat.h"
#include "vrank/core/pin.h"
#include "vrank/core/xcomp.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/brk.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/library.h"
#include "vrank/libc/life.h"

#define PAGE 4096ul
#define SHARE 4 /* of the heap's area: one part in so many is the most that the break can reach */

static uint64_t page_up(uint64_t a)
{
	return (a + PAGE - 1) & -PAGE;
}

/* The break of the rank, made on first use; NULL when there is no room for it. */
static struct vr_break *own(void)
{
	struct vr_rank *r = vr_library_owner(vr_current); /* an allocator that ranks share has one break */
	if (vr_likely(r->brk.lo))
		return &r->brk;
	uint64_t room = vr_job->layout.heap_size / SHARE & -PAGE;
	uint64_t lo = room ? (uint64_t)iso_heap_map(r->heap, room) : 0;
	if (!lo)
		return NULL;
	r->brk = (struct vr_break){lo, lo, lo + room};
	return &r->brk;
}

/* Memory above the break is zero when the break passes it again. */
static int move(uint64_t to)
{
	struct vr_break *b = own();
	if (!b || to < b->lo || to > b->hi)
		return -1;
	if (page_up(to) < page_up(b->now))
		vr_bind_madvise((void *)page_up(to), page_up(b->now) - page_up(to), MADV_DONTNEED);
	b->now = to;
	return 0;
}

uint64_t vr_break_idle(const struct vr_rank *r)
{
	return r->brk.hi - page_up(r->brk.now);
}

int vr_bind_brk(void *to)
{
	if (move((uint64_t)to)) {
		vr_set_errno(ENOMEM);
		return -1;
	}
	return 0;
}

void *vr_bind_sbrk(intptr_t by)
{
	struct vr_break *b = own();
	uint64_t was = b ? b->now : 0;
	if (!b || (by && move(was + (uint64_t)by))) {
		vr_set_errno(ENOMEM);
		return (void *)-1;
	}
	return (void *)was;
}

/* As the kernel has it: the break as it is then. */
static long raw_brk(uint64_t to)
{
	struct vr_break *b = own();
	move(to);
	return b ? (long)b->now : 0;
}

static long raw(long number, const long *a)
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	if ((unsigned long)result < -4095ul)
		return result;
	vr_set_errno((int)-result);
	return -1;
}

/* Memory of the slice, by the functions for it. */
static long memory(long number, const long *a)
{
	switch (number) {
	case SYS_mmap:
		return (long)vr_bind_mmap((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], a[5]);
	case SYS_munmap:
		return vr_bind_munmap((void *)a[0], (size_t)a[1]);
	case SYS_mremap:
		return (long)vr_bind_mremap((void *)a[0], (size_t)a[1], (size_t)a[2], (int)a[3], (void *)a[4]);
	case SYS_mprotect:
		return vr_bind_mprotect((void *)a[0], (size_t)a[1], (int)a[2]);
	default:
		return vr_bind_madvise((void *)a[0], (size_t)a[1], (int)a[2]);
	}
}

/* Calls that leave in this process what their functions in the C library would have taken along. */
static void note_stay(long number)
{
	switch (number) {
	case SYS_pipe:
	case SYS_pipe2:
	case SYS_socketpair:
	case SYS_shmat:
	case SYS_mq_open:
	case SYS_io_uring_setup:
	case SYS_timer_create:
	case SYS_chdir:
	case SYS_fchdir:
	case SYS_rt_sigprocmask:
	case SYS_mlock:
		vr_rank_pin(vr_current, "it has made system call %ld itself", number);
	}
}

/* The kernel reads the flags from the first word. A copy of the process is made by fork, which a program does where there is no clone3. */
static long raw_clone3(const long *a)
{
	if (a[0] && !(*(const uint64_t *)a[0] & CLONE_VM)) {
		vr_set_errno(ENOSYS);
		return -1;
	}
	return raw(SYS_clone3, a);
}

long vr_bind_arch_prctl(int code, unsigned long arg)
{
	long result = vr_xcomp_ask(code, arg);
	if (result < 0)
		vr_set_errno(errno);
	return result;
}

static int makes_descriptor(long number)
{
	switch (number) {
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
	case SYS_creat:
	case SYS_socket:
	case SYS_eventfd2:
	case SYS_epoll_create1:
	case SYS_timerfd_create:
	case SYS_inotify_init1:
	case SYS_memfd_create:
	case SYS_perf_event_open:
	case SYS_userfaultfd:
	case SYS_pidfd_open:
		return 1;
	}
	return 0;
}

long vr_bind_syscall(long number, ...)
{
	long a[6];
	va_list args;
	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	switch (number) {
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mremap:
	case SYS_madvise:
	case SYS_mprotect:
		return vr_host_heap ? raw(number, a) : memory(number, a);
	case SYS_brk:
		return raw_brk((uint64_t)a[0]);
	case SYS_fork:
	case SYS_vfork:
		return vr_bind_fork();
	case SYS_clone: /* with a stack of its own it could not come back through here */
		return a[1] || a[0] & CLONE_VM ? raw(number, a) : vr_bind_fork();
	case SYS_clone3:
		return raw_clone3(a);
	case SYS_arch_prctl:
		return vr_bind_arch_prctl((int)a[0], (unsigned long)a[1]);
	case SYS_exit_group:
		vr_rank_exit((int)a[0]);
	}
	switch (number) {
	case SYS_close:
		return vr_bind_close((int)a[0]);
	case SYS_close_range:
		return vr_bind_close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]);
	case SYS_dup:
		return vr_bind_dup((int)a[0]);
	case SYS_dup2:
		return vr_bind_dup2((int)a[0], (int)a[1]);
	case SYS_dup3:
		return vr_bind_dup3((int)a[0], (int)a[1], (int)a[2]);
	case SYS_fcntl:
		return vr_bind_fcntl((int)a[0], (int)a[1], a[2]);
	case SYS_getdents64:
		return vr_bind_getdents64((int)a[0], (void *)a[1], (size_t)a[2]);
	}
	if (makes_descriptor(number))
		return vr_fd_keep((int)raw(number, a));
	note_stay(number);
	return raw(number, a);
}
