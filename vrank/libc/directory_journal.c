/* Calls that make and remove directories: a job that goes back finds them as they were (file_journal.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vrank/libc/bind.h"
#include "vrank/libc/file_journal.h"

static int or_errno(int n)
{
	if (n < 0)
		vr_set_errno(errno);
	return n;
}

int vr_bind_mkdirat(int dir, const char *path, mode_t mode)
{
	uint32_t note = vr_journal_will_make(dir, path);
	int bad = or_errno(mkdirat(dir, path, mode));
	if (!bad)
		vr_journal_made(dir, path, note);
	return bad;
}

int vr_bind_mkdir(const char *path, mode_t mode)
{
	return vr_bind_mkdirat(AT_FDCWD, path, mode);
}

char *vr_bind_mkdtemp(char *name)
{
	char *made = mkdtemp(name);
	if (made)
		vr_journal_made(AT_FDCWD, made, vr_journal_new().number);
	else
		vr_set_errno(errno);
	return made;
}

int vr_bind_unlinkat(int dir, const char *path, int flags)
{
	if (flags & AT_REMOVEDIR)
		vr_journal_will_remove(dir, path);
	return or_errno(unlinkat(dir, path, flags));
}

int vr_bind_rmdir(const char *path)
{
	vr_journal_will_remove(AT_FDCWD, path);
	return or_errno(rmdir(path));
}

int vr_bind_remove(const char *path)
{
	vr_journal_will_remove(AT_FDCWD, path);
	return or_errno(remove(path));
}
