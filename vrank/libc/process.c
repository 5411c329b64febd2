/* Being a child process of a rank, and errno. */
#include "vrank/libc/process.h"

#include <errno.h>
#include <unistd.h>

#include "vrank/core/output.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/library.h"

void vr_set_errno(int error)
{
	uint64_t location = vr_current->entry.errno_location;
	if (location)
		*((int *(*)(void))location)() = error;
}

int vr_refuse(const char *function, const char *others)
{
	int id = vr_current->id;
	vr_out_printf(id, 2, "ampirun: rank %d: %s() is not served; %s\n", id, function, others);
	vr_set_errno(ENOSYS);
	return -1;
}

void vr_child_refuse(const char *what)
{
	int id = vr_current->id;
	vr_out_printf(id, 2, "ampirun: rank %d: a process that it started by fork() calls %s, which only the rank itself can\n", id, what);
	_exit(1);
}

/* Ranks that share images share their environment. */
char **vr_environment(void)
{
	const struct vr_rank *r = vr_current;
	uint64_t at = r->entry.environ_var ? r->entry.environ_var : vr_library_owner(r)->entry.environ_var;
	return at ? *(char ***)at : r->envp;
}

/* As a rank that would end the rank; a child of one is there for that. */
int vr_bind_daemon(int stays, int keeps)
{
	return vr_is_child() ? daemon(stays, keeps) : vr_refuse("daemon", "fork is, and the child may call daemon");
}

int vr_bind_forkpty(int *terminal, char *name, const void *modes, const void *size)
{
	(void)terminal, (void)name, (void)modes, (void)size;
	return vr_refuse("forkpty", "openpty and fork are");
}
