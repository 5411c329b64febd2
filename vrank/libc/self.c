/* A program that looks at itself: /proc/self/exe, the values that the kernel gives to a new program, and opening files by name, where
 * FIFOs wait for their other end. To the kernel all of this is the worker's. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vrank/core/pin.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/file_journal.h"
#include "vrank/libc/objects.h"
#include "vrank/libc/reach.h"
#include "vrank/libc/redirect.h"
#include "vrank/libc/wait.h"

static int or_errno(int n)
{
	if (n < 0)
		vr_set_errno(errno);
	return n;
}

/* ---- /proc/self/exe ---- */

static int is_own_exe(const char *path)
{
	char own[32];
	if (strncmp(path, "/proc/", 6))
		return 0;
	snprintf(own, sizeof own, "/proc/%d/exe", (int)getpid());
	return !strcmp(path, "/proc/self/exe") || !strcmp(path, "/proc/thread-self/exe") || !strcmp(path, own);
}

static const struct vr_object *named_as_exe(const char *path)
{
	const struct vr_object *program = vr_object_program();
	return path && vr_unlikely(path[0] == '/' && path[1] == 'p') && program && is_own_exe(path) ? program : NULL;
}

const char *vr_path(const char *path)
{
	const struct vr_object *program = named_as_exe(path);
	return !program ? path : program->copy ? program->copy : program->name;
}

static ssize_t give_path(const char *path, char *out, size_t n)
{
	size_t length = strlen(path);
	length = length < n ? length : n;
	memcpy(out, path, length);
	return (ssize_t)length;
}

ssize_t vr_bind_readlinkat(int dir, const char *path, char *out, size_t n)
{
	const struct vr_object *program = named_as_exe(path);
	if (vr_unlikely(vr_fd_path_denied(path))) {
		vr_set_errno(ENOENT);
		return -1;
	}
	return program ? give_path(program->name, out, n) : or_errno((int)readlinkat(dir, path, out, n));
}

ssize_t vr_bind_readlink(const char *path, char *out, size_t n)
{
	return vr_bind_readlinkat(AT_FDCWD, path, out, n);
}

ssize_t vr_bind_readlink_chk(const char *path, char *out, size_t n, size_t room)
{
	(void)room;
	return vr_bind_readlink(path, out, n);
}

char *vr_bind_realpath(const char *path, char *out)
{
	char found[PATH_MAX];
	const struct vr_object *program = named_as_exe(path);
	if (program && program->copy)
		snprintf(found, sizeof found, "%s", program->name);
	else if (!path || !realpath(vr_path(path), found)) {
		vr_set_errno(path ? errno : EINVAL);
		return NULL;
	}
	if (out)
		return strcpy(out, found);
	/* for the program to free, with an allocator of its own perhaps: the C library knows which */
	return ((char *(*)(const char *))vr_current->entry.libc[VR_LIBC_STRDUP])(found);
}

char *vr_bind_realpath_chk(const char *path, char *out, size_t room)
{
	(void)room;
	return vr_bind_realpath(path, out);
}

char *vr_bind_canonicalize_file_name(const char *path)
{
	return vr_bind_realpath(path, NULL);
}

/* ---- opening ---- */

static int is_fifo(int dir, const char *path)
{
	struct stat st;
	return !fstatat(dir, path, &st, 0) && S_ISFIFO(st.st_mode);
}

/* Who writes waits for a reader. Who reads need not wait for a writer: that comes with the first read. */
static int open_fifo(int dir, const char *path, int flags)
{
	struct vr_pause pause = VR_PAUSE;
	int fd, error = 0;
	while ((fd = openat(dir, path, flags | O_NONBLOCK)) < 0 && errno == ENXIO)
		if ((error = vr_pause(&pause))) {
			errno = error;
			return -1;
		}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int open_path(int dir, const char *path, int flags, mode_t mode)
{
	path = vr_path(path);
	int waits = !(flags & (O_NONBLOCK | O_PATH | O_CREAT)) && (flags & O_ACCMODE) != O_RDWR;
	if (waits && !vr_may_block() && is_fifo(dir, path))
		return vr_fd_keep(or_errno(open_fifo(dir, path, flags)));
	if (vr_unlikely(vr_fd_path_denied(path))) {
		vr_set_errno(ENOENT);
		return -1;
	}
	struct vr_before before = vr_journal_look(dir, path, (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT);
	int fd = vr_fd_keep(vr_journal_note(or_errno(openat(dir, path, flags, mode)), before));
	if (flags & O_DIRECTORY)
		vr_fd_list_opened(path, fd);
	return fd;
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

int vr_bind_open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = mode_of(flags, args);
	va_end(args);
	return open_path(AT_FDCWD, path, flags, mode);
}

int vr_bind_openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = mode_of(flags, args);
	va_end(args);
	return open_path(dir, path, flags, mode);
}

int vr_bind_open_2(const char *path, int flags)
{
	return open_path(AT_FDCWD, path, flags, 0);
}

int vr_bind_openat_2(int dir, const char *path, int flags)
{
	return open_path(dir, path, flags, 0);
}

static FILE *open_stream(const char *path, const char *mode)
{
	struct vr_before before = vr_journal_look(AT_FDCWD, path, vr_mode_writes(mode));
	FILE *f = ((FILE * (*)(const char *, const char *)) vr_current->entry.libc[VR_LIBC_FOPEN])(path, mode);
	vr_journal_note(f ? f->_fileno : -1, before);
	return vr_file_keep(f);
}

/* A FIFO is opened here first; the stream that the C library then makes finds its other end there. */
FILE *vr_bind_fopen(const char *path, const char *mode)
{
	const struct vr_entry *e = &vr_current->entry;
	const char *own = vr_path(path);
	if (strstr(mode, ",ccs="))
		vr_rank_pin(vr_current, "it has a stream that converts characters");
	else if (strchr(mode, 'm') && vr_redirect())
		vr_rank_pin(vr_current, "it has a stream that maps its file");
	if (vr_may_block() || (mode[0] != 'r' && mode[0] != 'w') || strchr(mode, '+') || !is_fifo(AT_FDCWD, own))
		return open_stream(own, mode);
	int fd = open_path(AT_FDCWD, own, (mode[0] == 'r' ? O_RDONLY : O_WRONLY) | (strchr(mode, 'e') ? O_CLOEXEC : 0), 0);
	return fd < 0 ? NULL : ((FILE * (*)(int, const char *)) e->libc[VR_LIBC_FDOPEN])(fd, mode);
}

/* ---- getauxval ---- */

unsigned long vr_bind_getauxval(unsigned long type)
{
	const struct vr_object *o = vr_object_program();
	uint64_t images = vr_current->images;
	switch (o ? type : AT_NULL) {
	case AT_PHDR:
		return images + o->phdrs;
	case AT_PHNUM:
		return o->nphdrs;
	case AT_ENTRY: {
		const Elf64_Ehdr *h = (const Elf64_Ehdr *)(images + o->offset);
		return images + o->bias + h->e_entry;
	}
	case AT_EXECFN:
		return (unsigned long)vr_current->argv[0];
	}
	errno = 0;
	unsigned long value = getauxval(type);
	if (!value && errno)
		vr_set_errno(errno);
	return value;
}
