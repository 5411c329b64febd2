/* The current directory of ranks. It belongs to the process, so from the first chdir of a rank on, a switch to a rank with
 * another directory changes it. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "vrank/core/schedule.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/directory.h"
#include "vrank/libc/fd_table.h"

static int start_fd; /* where all ranks begin */
static int here; /* the descriptor of the directory that the process is in */

/* Ranks without one of their own are where the worker began. */
static int directory_of(const struct vr_rank *r)
{
	return r->directory ? r->directory : start_fd;
}

void vr_directory_enter(const struct vr_rank *r)
{
	int fd = directory_of(r);
	if (fd != here && !fchdir(fd))
		here = fd;
}

static int open_here(void)
{
	return open(".", O_PATH | O_CLOEXEC);
}

static int begin(void)
{
	if (!vr_directories)
		here = start_fd = vr_fd_aside(open_here());
	vr_directories = start_fd > 0;
	return vr_directories;
}

/* The process is where the rank wants to be. */
static int keep_directory(void)
{
	struct vr_rank *r = vr_current;
	int old = r->directory, fd = vr_fd_keep(open_here());
	if (fd < 0)
		return -1;
	here = r->directory = fd;
	if (old) {
		close(old);
		vr_fd_gone(old);
	}
	return 0;
}

void vr_directory_leave(const struct vr_rank *r)
{
	if (r->directory && here == r->directory)
		here = -1; /* the process is there still, but the number will mean something else */
}

int vr_directory_adopt(const struct vr_rank *r)
{
	return !r->directory || begin() ? 0 : -1;
}

static int result(int failed)
{
	if (failed)
		vr_set_errno(errno);
	return failed ? -1 : 0;
}

int vr_bind_chdir(const char *path)
{
	return result(!begin() || chdir(path) || keep_directory());
}

int vr_bind_fchdir(int fd)
{
	return result(!begin() || fchdir(fd) || keep_directory());
}
