/* /proc/self/fd and its other names, as a rank sees them: the list of its descriptors. To the kernel it is the worker's. Directories are known by
 * the name that they were opened by. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vrank/libc/bind.h"
#include "vrank/libc/process.h"
#include "vrank/libc/reach.h"

#define LISTS 64

static _Atomic int32_t lists[LISTS]; /* descriptors that are such directories, or 0 */
static _Atomic int32_t nlists;

/* What of a path is behind the name of the list: "" or "/4", say; or NULL. */
static const char *behind(const char *path)
{
	static const char *const names[] = {"/proc/self/fd", "/proc/thread-self/fd", "/proc/self/fdinfo", "/proc/thread-self/fdinfo", "/dev/fd"};
	char own[2][48];
	if (strncmp(path, "/proc/", 6) && strncmp(path, "/dev/fd", 7))
		return NULL;
	snprintf(own[0], sizeof own[0], "/proc/%d/fd", (int)getpid());
	snprintf(own[1], sizeof own[1], "/proc/%d/fdinfo", (int)getpid());
	for (size_t i = 0; i < sizeof names / sizeof *names + 2; i++) {
		const char *name = i < 2 ? own[i] : names[i - 2];
		size_t n = strlen(name);
		if (!strncmp(path, name, n) && (!path[n] || path[n] == '/'))
			return path + n;
	}
	return NULL;
}

/* The number that a name is, or -1. */
static int number_of(const char *name)
{
	char *end;
	if (!isdigit((unsigned char)*name))
		return -1;
	long n = strtol(name, &end, 10);
	return *end || n >= VR_FD_LIMIT ? -1 : (int)n;
}

static int is_hidden(const char *name)
{
	int fd = number_of(name);
	return fd >= 0 && (vr_reach_denies(fd) || vr_reach_keeps(fd));
}

int vr_fd_path_denied(const char *path)
{
	const char *rest = path && path[0] == '/' && (path[1] == 'p' || path[1] == 'd') ? behind(path) : NULL;
	return rest && rest[0] == '/' && is_hidden(rest + 1);
}

int vr_fd_lists(void)
{
	return atomic_load_explicit(&nlists, memory_order_relaxed);
}

int vr_fd_list_is(const char *path)
{
	const char *rest = path && path[0] == '/' && (path[1] == 'p' || path[1] == 'd') ? behind(path) : NULL;
	return rest && !rest[strspn(rest, "/.")];
}

void vr_fd_list_opened(const char *path, int fd)
{
	if (vr_is_child() || fd <= 0 || !vr_fd_list_is(path))
		return;
	for (int i = 0; i < LISTS; i++) {
		int32_t none = 0;
		if (atomic_compare_exchange_strong(&lists[i], &none, fd)) {
			atomic_fetch_add(&nlists, 1);
			return;
		}
	}
}

static _Atomic int32_t *find_list(int fd)
{
	for (int i = 0; i < LISTS && vr_fd_lists(); i++)
		if (atomic_load(&lists[i]) == fd)
			return &lists[i];
	return NULL;
}

void vr_fd_list_closed(int fd)
{
	_Atomic int32_t *list = vr_fd_lists() ? find_list(fd) : NULL;
	if (list && atomic_exchange(list, 0) == fd)
		atomic_fetch_sub(&nlists, 1);
}

long vr_fd_list_filter(int fd, void *data, long n)
{
	char *to = data, *end = to + (n > 0 ? n : 0);
	if (n <= 0 || !vr_fd_lists() || !find_list(fd))
		return n;
	for (char *p = data; p < end;) {
		struct dirent64 *e = (struct dirent64 *)p;
		unsigned short length = e->d_reclen;
		if (!is_hidden(e->d_name)) {
			memmove(to, p, length);
			to += length;
		}
		p += length;
	}
	return to - (char *)data;
}

/* ---- what programs call ---- */

/* All entries of one call may be hidden; that is not the end. */
ssize_t vr_bind_getdents64(int fd, void *data, size_t size)
{
	ssize_t n, left;
	do {
		n = syscall(SYS_getdents64, fd, data, size); /* the function is of glibc 2.30 */
		if (n < 0)
			vr_set_errno(errno);
		left = vr_fd_list_filter(fd, data, n);
	} while (n > 0 && !left);
	return left;
}

/* The first word of glibc's struct __dirstream is its descriptor. */
static int is_list(void *d)
{
	return vr_unlikely(vr_fd_lists()) && !vr_is_child() && d && find_list(*(int *)d);
}

void *vr_bind_readdir(void *d)
{
	void *(*next)(void *) = (void *(*)(void *))vr_current->entry.libc[VR_LIBC_READDIR];
	struct dirent64 *e = next(d);
	while (e && is_list(d) && is_hidden(e->d_name))
		e = next(d);
	return e;
}

int vr_bind_readdir_r(void *d, void *entry, void **result)
{
	int (*next)(void *, void *, void **) = (int (*)(void *, void *, void **))vr_current->entry.libc[VR_LIBC_READDIR_R];
	int error = next(d, entry, result);
	while (!error && *result && is_list(d) && is_hidden(((struct dirent64 *)*result)->d_name))
		error = next(d, entry, result);
	return error;
}

static VR_THREAD_LOCAL int (*chosen_by)(const struct dirent64 *);

static int is_chosen(const struct dirent64 *e)
{
	return !is_hidden(e->d_name) && (!chosen_by || chosen_by(e));
}

int vr_bind_scandir(const char *path, void *list, int (*filter)(const struct dirent64 *), void *compare)
{
	typedef int scandir_function(const char *, void *, int (*)(const struct dirent64 *), void *);
	scandir_function *scan = (scandir_function *)vr_current->entry.libc[VR_LIBC_SCANDIR];
	if (vr_is_child() || !vr_fd_list_is(path))
		return scan(path, list, filter, compare);
	chosen_by = filter;
	return scan(path, list, is_chosen, compare);
}
