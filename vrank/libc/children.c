/* Processes that ranks start, and waiting for them. All ranks of a worker have one process, so the kernel knows only that a child
 * is the worker's: each rank keeps a list of its own, and waits for any of those when a program waits for any. While it waits,
 * other ranks run. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vrank/core/rank_memory.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/process.h"
#include "vrank/libc/wait.h"

struct vr_process *vr_process(void)
{
	struct vr_rank *r = vr_current;
	if (!r->process)
		r->process = vr_rank_calloc(r, 1, sizeof *r->process);
	return r->process;
}

void vr_child_add(pid_t pid, void *stream)
{
	struct vr_process *p = vr_process();
	struct vr_child *c = p ? vr_rank_alloc(vr_current, sizeof *c) : NULL;
	if (!c)
		return; /* it can still be waited for by its number */
	*c = (struct vr_child){.next = p->children, .pid = pid, .stream = stream};
	p->children = c;
	vr_current->children++;
	vr_child_announce(c);
}

static void remove_child(pid_t pid)
{
	struct vr_process *p = vr_current->process;
	for (struct vr_child **c = p ? &p->children : NULL, *gone; c && (gone = *c); c = &gone->next) {
		if (gone->pid != pid)
			continue;
		*c = gone->next;
		vr_current->children--;
		vr_rank_free(vr_current, gone);
		return;
	}
}

void vr_children_forget(void)
{
	struct vr_process *p = vr_current->process;
	for (struct vr_child *c; p && (c = p->children);) {
		p->children = c->next;
		vr_rank_free(vr_current, c);
	}
	vr_current->children = 0;
}

/* ---- standard streams of children ---- */

static int null_fd = -1; /* opened beforehand: the child of a vfork shares this variable, not the descriptors */

void vr_standard_setup(void)
{
	null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* What a child of this rank is to have in place of the worker's descriptor, or -1 for that one. Rank 0 alone reads the job's input. */
static int stand_in(int fd)
{
	const struct vr_rank *r = vr_current;
	if (vr_is_child())
		return -1;
	if (r->standard_fd[fd])
		return r->standard_fd[fd];
	return !fd && r->id ? null_fd : -1;
}

void vr_standard_drain(void)
{
	for (int fd = 0; fd < 3; fd++) {
		const struct vr_rank *r = vr_current;
		int with = r->standard_fd[fd] ? r->standard_fd[fd] : !fd && r->id ? null_fd : -1;
		if (with >= 0)
			dup2(with, fd);
	}
}

void vr_standard_enter(struct vr_standard *s)
{
	for (int fd = 0; fd < 3; fd++) {
		int with = stand_in(fd);
		s->saved[fd] = with >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
		if (s->saved[fd] >= 0)
			dup2(with, fd);
	}
}

void vr_standard_leave(struct vr_standard *s)
{
	for (int fd = 0; fd < 3; fd++) {
		if (s->saved[fd] < 0)
			continue;
		dup2(s->saved[fd], fd);
		close(s->saved[fd]);
	}
}

/* ---- starting ---- */

typedef int spawn(pid_t *, const char *, const void *, const void *, char *const[], char *const[]);

static int start(enum vr_libc fn, pid_t *pid, const char *path, const void *actions, const void *attr, char *const argv[], char *const envp[])
{
	struct vr_standard standard;
	pid_t own;
	vr_standard_enter(&standard);
	int error = ((spawn *)vr_current->entry.libc[fn])(&own, path, actions, attr, argv, envp);
	vr_standard_leave(&standard);
	if (error)
		return error;
	vr_child_add(own, NULL);
	if (pid)
		*pid = own;
	return 0;
}

int vr_bind_posix_spawn(pid_t *pid, const char *path, const void *actions, const void *attr, char *const argv[], char *const envp[])
{
	return start(VR_LIBC_SPAWN, pid, path, actions, attr, argv, envp);
}

int vr_bind_posix_spawnp(pid_t *pid, const char *file, const void *actions, const void *attr, char *const argv[], char *const envp[])
{
	return start(VR_LIBC_SPAWNP, pid, file, actions, attr, argv, envp);
}

static int start_shell(pid_t *pid, const char *command, const void *actions)
{
	char *argv[] = {"sh", "-c", "--", (char *)command, NULL};
	return start(VR_LIBC_SPAWN, pid, "/bin/sh", actions, NULL, argv, vr_environment());
}

/* ---- waiting ---- */

struct question {
	int is_group;
	pid_t pid; /* group or process; -1 for any child */
	int options;
	int *status;
	struct rusage *usage;
};

/* The child pid, if it has anything to tell: its number; 0 when it has not, -1 when it is none. */
static pid_t ask(const struct question *q, pid_t pid)
{
	int status;
	pid_t got = wait4(pid, &status, q->options | WNOHANG, q->usage);
	if (got <= 0)
		return got;
	if (q->status)
		*q->status = status;
	if (WIFEXITED(status) || WIFSIGNALED(status))
		remove_child(pid);
	return got;
}

static pid_t ask_all(const struct question *q)
{
	const struct vr_process *p = vr_current->process;
	int any = 0;
	for (struct vr_child *c = p ? p->children : NULL, *next; c; c = next) {
		next = c->next;
		if (c->stream || (q->is_group && getpgid(c->pid) != q->pid))
			continue;
		pid_t got = ask(q, c->pid);
		if (got > 0)
			return got;
		any |= !got;
		if (got < 0)
			remove_child(c->pid); /* waited for by its number, elsewhere */
	}
	errno = ECHILD;
	return any ? 0 : -1;
}

static pid_t ask_once(const struct question *q)
{
	return q->pid == -1 || q->is_group ? ask_all(q) : ask(q, q->pid);
}

static pid_t wait_for(const struct question *q)
{
	struct vr_pause pause = VR_PAUSE;
	for (;;) {
		pid_t got = ask_once(q);
		if (got || (q->options & WNOHANG))
			return got;
		if ((errno = vr_pause(&pause)))
			return -1;
	}
}

pid_t vr_bind_wait4(pid_t pid, int *status, int options, void *usage)
{
	struct question q = {.pid = pid, .options = options, .status = status, .usage = usage};
	if (pid == 0 || pid < -1) {
		q.is_group = 1;
		q.pid = pid ? -pid : getpgrp();
	}
	pid_t got = wait_for(&q);
	if (got < 0)
		vr_set_errno(errno);
	return got;
}

pid_t vr_bind_waitpid(pid_t pid, int *status, int options)
{
	return vr_bind_wait4(pid, status, options, NULL);
}

pid_t vr_bind_wait(int *status)
{
	return vr_bind_wait4(-1, status, 0, NULL);
}

pid_t vr_bind_wait3(int *status, int options, void *usage)
{
	return vr_bind_wait4(-1, status, options, usage);
}

/* 1 when there is something to tell, 0 when not, -1 when there is no such child. */
static int inform(idtype_t type, id_t id, siginfo_t *info, int options)
{
	info->si_pid = 0;
	if (waitid(type, id, info, options | WNOHANG))
		return -1;
	if (info->si_pid && !(options & WNOWAIT) && info->si_code != CLD_STOPPED && info->si_code != CLD_CONTINUED)
		remove_child(info->si_pid);
	return info->si_pid != 0;
}

static int inform_once(idtype_t type, id_t id, siginfo_t *info, int options)
{
	const struct vr_process *p = vr_current->process;
	int any = 0;
	if (type != P_ALL && type != P_PGID)
		return inform(type, id, info, options);
	for (struct vr_child *c = p ? p->children : NULL, *next; c; c = next) {
		next = c->next;
		if (c->stream || (type == P_PGID && getpgid(c->pid) != (pid_t)(id ? id : (id_t)getpgrp())))
			continue;
		int got = inform(P_PID, c->pid, info, options);
		if (got > 0)
			return 1;
		any |= !got;
	}
	errno = ECHILD;
	return any ? 0 : -1;
}

int vr_bind_waitid(idtype_t type, id_t id, siginfo_t *out, int options)
{
	struct vr_pause pause = VR_PAUSE;
	siginfo_t info = {0};
	int got;
	while (!(got = inform_once(type, id, &info, options)) && !(options & WNOHANG))
		if ((errno = vr_pause(&pause))) {
			got = -1;
			break;
		}
	if (got < 0)
		vr_set_errno(errno);
	else if (out)
		*out = info;
	return got < 0 ? -1 : 0;
}

/* Wait without being interrupted; -1 when the program has waited for it elsewhere. */
static int wait_to_the_end(pid_t pid)
{
	int status;
	pid_t got;
	while ((got = vr_bind_waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	return got < 0 ? -1 : status;
}

/* ---- shell commands ---- */

int vr_bind_system(const char *command)
{
	pid_t pid;
	if (!command)
		return 1;
	int error = start_shell(&pid, command, NULL);
	if (error)
		vr_set_errno(error);
	return error ? -1 : wait_to_the_end(pid);
}

static int start_piped(pid_t *pid, const char *command, int theirs, int as)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawn_file_actions_adddup2(&actions, theirs, as);
	if (!error)
		error = start_shell(pid, command, &actions);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static FILE *open_stream(int fd, const char *mode)
{
	return ((FILE * (*)(int, const char *)) vr_current->entry.libc[VR_LIBC_FDOPEN])(fd, mode);
}

static FILE *open_kept(int fd, const char *mode)
{
	return vr_file_keep(open_stream(fd, mode));
}

static int mode_error(const char *mode)
{
	return (mode[0] != 'r' && mode[0] != 'w') || mode[strspn(mode, "rwe")] || strspn(mode, "rw") != 1;
}

/* Other streams of this kind are not for the child: their descriptors close on exec. */
static int open_pipe(const char *command, const char *mode, int reads, FILE **out)
{
	int ends[2];
	pid_t pid;
	if (pipe2(ends, O_CLOEXEC))
		return errno;
	int error = start_piped(&pid, command, ends[reads], reads);
	close(ends[reads]);
	*out = error ? NULL : open_kept(ends[!reads], mode[0] == 'r' ? "r" : "w");
	if (!*out) {
		close(ends[!reads]);
		return error ? error : ENOMEM;
	}
	if (vr_current->process->children && vr_current->process->children->pid == pid)
		vr_current->process->children->stream = *out;
	return 0;
}

FILE *vr_bind_popen(const char *command, const char *mode)
{
	FILE *f = NULL;
	int error = mode_error(mode) ? EINVAL : open_pipe(command, mode, mode[0] == 'r', &f);
	if (error)
		vr_set_errno(error);
	return f;
}

int vr_bind_pclose(FILE *f)
{
	const struct vr_process *p = vr_current->process;
	struct vr_child *c = p ? p->children : NULL;
	while (c && c->stream != f)
		c = c->next;
	if (!c) {
		vr_set_errno(ECHILD);
		return -1;
	}
	pid_t pid = c->pid;
	vr_bind_fclose(f);
	return wait_to_the_end(pid);
}
