/* Replacing the program. In a rank that would replace the worker with all its ranks; in the child of a vfork, whose memory
 * is the rank's, it is what the child is there for. */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "vrank/libc/bind.h"
#include "vrank/libc/process.h"

#define ARGS 1024

static int refuse(void)
{
	if (vr_is_child())
		return 0;
	vr_refuse("exec", "fork, posix_spawn, popen and system are");
	return 1;
}

static int result(int r)
{
	vr_set_errno(errno);
	return r;
}

int vr_bind_execve(const char *path, char *const argv[], char *const envp[])
{
	return refuse() ? -1 : result(execve(vr_path(path), argv, envp));
}

int vr_bind_execv(const char *path, char *const argv[])
{
	return vr_bind_execve(path, argv, vr_environment());
}

/* Looks into PATH of the rank's environment. */
static int search(const char *file, char *const argv[], char *const envp[])
{
	typedef int execvpe_function(const char *, char *const[], char *const[]);
	int r = ((execvpe_function *)vr_current->entry.libc[VR_LIBC_EXECVPE])(file, argv, envp);
	errno = *((int *(*)(void))vr_current->entry.errno_location)();
	return r;
}

int vr_bind_execvpe(const char *file, char *const argv[], char *const envp[])
{
	return refuse() ? -1 : result(search(file, argv, envp));
}

int vr_bind_execvp(const char *file, char *const argv[])
{
	return vr_bind_execvpe(file, argv, vr_environment());
}

/* The arguments of the forms with a list: up to and with the NULL. */
static int collect(const char **argv, const char *first, va_list *rest)
{
	int n = 0;
	for (const char *a = first; a && n < ARGS - 1; a = va_arg(*rest, const char *))
		argv[n++] = a;
	argv[n] = NULL;
	return n;
}

int vr_bind_execl(const char *path, const char *first, ...)
{
	const char *argv[ARGS];
	va_list rest;
	va_start(rest, first);
	collect(argv, first, &rest);
	va_end(rest);
	return vr_bind_execv(path, (char *const *)argv);
}

int vr_bind_execlp(const char *file, const char *first, ...)
{
	const char *argv[ARGS];
	va_list rest;
	va_start(rest, first);
	collect(argv, first, &rest);
	va_end(rest);
	return vr_bind_execvp(file, (char *const *)argv);
}

int vr_bind_execle(const char *path, const char *first, ...)
{
	const char *argv[ARGS];
	va_list rest;
	va_start(rest, first);
	collect(argv, first, &rest);
	char *const *envp = va_arg(rest, char *const *);
	va_end(rest);
	return vr_bind_execve(path, (char *const *)argv, envp);
}
