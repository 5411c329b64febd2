/* What C libraries before glibc 2.35 and kernel headers before Linux 5.11 do not declare, by their stable ABI. A binary that is built
 * there runs with newer ones, too: so what is newer than glibc 2.28 is called by number or looked up, never linked to. */
#ifndef VR_COMPAT_H
#define VR_COMPAT_H

#include <features.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1u << 1)
#endif
#ifndef CLOSE_RANGE_CLOEXEC /* Linux 5.11 */
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static inline pid_t vr_gettid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static inline int vr_tgkill(pid_t process, pid_t thread, int signal)
{
	return (int)syscall(SYS_tgkill, process, thread, signal);
}

#if !__GLIBC_PREREQ(2, 33)
struct mallinfo2 {
	size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};
#endif

#if !__GLIBC_PREREQ(2, 35)
struct link_map;
struct dl_find_object {
	unsigned long long dlfo_flags;
	void *dlfo_map_start, *dlfo_map_end;
	struct link_map *dlfo_link_map;
	void *dlfo_eh_frame;
	unsigned long long dlfo_reserved[7];
};
int _dl_find_object(void *pc, struct dl_find_object *result);
#endif

#endif
