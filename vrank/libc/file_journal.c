/* Notes of files that ranks open, see file_journal.h. */
#include "vrank/libc/file_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "vrank/libc/fd_table.h"
#include "vrank/libc/process.h"

static char job[64];
static int folder = -1, memory = -1;
static int32_t epoch, own_pe;
static _Atomic int notes = -1; /* the file of this epoch, once there is something to note */
static _Atomic int is_torn; /* its last note */

void vr_journal_setup(int in, const char *of, int to_memory, int32_t first, int32_t pe)
{
	snprintf(job, sizeof job, "%s", of);
	folder = in;
	memory = to_memory;
	epoch = first;
	own_pe = pe;
}

#define ROOM (64 << 10) /* bytes that the notes of an epoch take from the disk when it begins */

/* Nobody else has made it, or reads it, whatever the umask of the ranks is. */
static int is_private(int fd)
{
	struct stat st;
	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 && ((st.st_mode & 0777) == 0600 || !fchmod(fd, 0600));
}

/* Threads of ranks may come here at the same time. */
static int file(void)
{
	char name[sizeof job + 32];
	int fd = atomic_load(&notes), none = -1;
	if (fd >= 0)
		return fd;
	snprintf(name, sizeof name, "%s.%d.%d", job, epoch, own_pe);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd >= 0 && !is_private(fd)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return -1;
	(void)!fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, ROOM); /* where that cannot be, notes find room or not */
	fd = vr_fd_aside(fd);
	if (atomic_compare_exchange_strong(&notes, &none, fd))
		return fd;
	close(fd);
	return none;
}

/* The room for the next notes is taken before the checkpoint is written: it may be what fills the disk. */
int32_t vr_journal_next(void)
{
	int fd = atomic_exchange(&notes, -1);
	struct stat st;
	epoch++;
	atomic_store(&is_torn, 0);
	if (fd >= 0) {
		if (!fstat(fd, &st))
			(void)!ftruncate(fd, st.st_size); /* what is left of its room */
		close(fd);
		file();
	}
	return epoch;
}

#define HEAD 128 /* room for what comes before the path */

static void put_in_memory(const char *text, size_t length)
{
	char where[32];
	int n = snprintf(where, sizeof where, "%d.%d:", epoch, own_pe);
	struct iovec note[2] = {{where, (size_t)n}, {(char *)text, length}};
	ssize_t done = writev(memory, note, 2); /* at the end, and in one piece: another worker writes before or after it */
	(void)done;
}

static void put(const char *text, size_t length)
{
	if (memory >= 0) {
		put_in_memory(text, length);
		return;
	}
	int to = file(), ends_last = atomic_load(&is_torn);
	struct iovec note[2] = {{"", (size_t)ends_last}, {(char *)text, length}}; /* the zero byte that ends a torn one */
	ssize_t all = (ssize_t)length + ends_last, done = to < 0 ? -1 : writev(to, note, 2);
	if (done > 0)
		atomic_store(&is_torn, done < all); /* a full disk, which keeps the next checkpoint from being made, too */
}

/* Where a descriptor, or the directory of calls at AT_FDCWD, is: its length, or -1. */
static ssize_t path_of(int fd, char *out)
{
	char link[32] = "/proc/self/cwd";
	if (fd != AT_FDCWD)
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	return readlink(link, out, PATH_MAX - 1);
}

static void note_before(uint32_t number, int dir, const char *path, const char *what)
{
	char text[HEAD + 2 * PATH_MAX];
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now); /* that of files */
	int n = snprintf(text, HEAD, "%u 0:0 0 %lld.%ld %s ", number, (long long)now.tv_sec, now.tv_nsec, what);
	if (*path != '/') {
		ssize_t length = path_of(dir, text + n);
		if (length < 0)
			return;
		n += (int)length;
		text[n++] = '/';
	}
	n += snprintf(text + n, PATH_MAX, "%s", path);
	put(text, (size_t)n + 1);
}

/* Where a container's filter knows no statx, files have no time of birth. */
static int describe(int fd, struct statx *st)
{
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, st))
		return 0;
	struct stat old;
	if ((errno != EPERM && errno != ENOSYS) || fstat(fd, &old))
		return -1;
	*st = (struct statx){.stx_mode = (uint16_t)old.st_mode, .stx_nlink = (uint32_t)old.st_nlink, .stx_ino = old.st_ino,
			     .stx_dev_major = major(old.st_dev), .stx_dev_minor = minor(old.st_dev)};
	return 0;
}

static void note_after(uint32_t number, int fd, mode_t kind, const char *what)
{
	char text[HEAD + PATH_MAX];
	struct statx st;
	if (describe(fd, &st) || (st.stx_mode & S_IFMT) != kind || !st.stx_nlink)
		return;
	int n = snprintf(text, HEAD, "%u %u:%u %llu %lld.%u %s ", number, st.stx_dev_major, st.stx_dev_minor, (unsigned long long)st.stx_ino,
			 (long long)st.stx_btime.tv_sec, st.stx_btime.tv_nsec, what);
	ssize_t length = path_of(fd, text + n);
	if (length < 0)
		return;
	text[n + length] = 0;
	put(text, (size_t)(n + length + 1));
}

static int is_wanted(void)
{
	return vr_unlikely(folder >= 0 || memory >= 0) && !vr_is_child();
}

static uint32_t next_number(void)
{
	static _Atomic uint32_t last;
	return atomic_fetch_add(&last, 1) + 1;
}

struct vr_before vr_journal_new(void)
{
	return (struct vr_before){-1, is_wanted() ? next_number() : 0};
}

struct vr_before vr_journal_look(int dir, const char *path, int writes)
{
	struct stat st;
	if (!is_wanted() || !writes || !path)
		return (struct vr_before){0, 0};
	uint32_t number = next_number();
	if (!fstatat(dir, path, &st, 0))
		return (struct vr_before){st.st_size, S_ISREG(st.st_mode) ? number : 0};
	note_before(number, dir, path, "-1");
	return (struct vr_before){-1, number};
}

int vr_journal_note(int fd, struct vr_before before)
{
	int saved = errno;
	char size[24];
	if (vr_unlikely(before.number) && fd >= 0) {
		snprintf(size, sizeof size, "%lld", (long long)before.size);
		note_after(before.number, fd, S_IFREG, size);
	}
	errno = saved;
	return fd;
}

/* ---- directories ---- */

#define MADE "dir"

uint32_t vr_journal_will_make(int dir, const char *path)
{
	struct stat st;
	if (!is_wanted() || !path || !fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	uint32_t number = next_number();
	note_before(number, dir, path, MADE);
	return number;
}

static void note_directory(uint32_t number, int dir, const char *path, const char *what)
{
	int fd = openat(dir, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	note_after(number, fd, S_IFDIR, what);
	close(fd);
}

void vr_journal_made(int dir, const char *path, uint32_t number)
{
	int saved = errno;
	if (vr_unlikely(number))
		note_directory(number, dir, path, MADE);
	errno = saved;
}

void vr_journal_will_remove(int dir, const char *path)
{
	struct stat st;
	char what[24];
	if (!is_wanted() || !path || fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
		return;
	snprintf(what, sizeof what, "gone:%o", st.st_mode & 07777);
	note_directory(next_number(), dir, path, what);
}
