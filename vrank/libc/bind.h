/* The runtime's versions of C library functions, listed in bind.c. They run on rank stacks, with the contracts of the
 * functions whose place they take; errno is set in the rank's own C library. */
#ifndef VRANK_BIND_H
#define VRANK_BIND_H

#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "vrank/core/compat.h"

/* atexit.c */
int vr_bind_cxa_atexit(void (*fn)(void *), void *arg, void *dso);
int vr_bind_on_exit(void (*fn)(int, void *), void *arg);
int vr_bind_cxa_at_quick_exit(void (*fn)(void *), void *dso);
int vr_bind_cxa_thread_atexit(void (*fn)(void *), void *arg, void *dso);
void vr_bind_cxa_finalize(void *dso);
void vr_bind_quick_exit(int code) __attribute__((noreturn));

/* allocation.c */
void *vr_bind_malloc(size_t n);
void *vr_bind_calloc(size_t n, size_t size);
void *vr_bind_realloc(void *p, size_t n);
void vr_bind_free(void *p);
void *vr_bind_memalign(size_t align, size_t n);
int vr_bind_posix_memalign(void **out, size_t align, size_t n);
void *vr_bind_valloc(size_t n);
void *vr_bind_pvalloc(size_t n);
size_t vr_bind_malloc_usable_size(void *p);
int vr_bind_malloc_trim(size_t pad);
struct mallinfo2 vr_bind_mallinfo2(void);
struct mallinfo vr_bind_mallinfo(void);
int vr_bind_malloc_info(int options, FILE *f);
void vr_bind_malloc_stats(void);
void *vr_bind_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset);
int vr_bind_munmap(void *addr, size_t n);
void *vr_bind_mremap(void *old, size_t old_size, size_t new_size, int flags, ...);

/* protect.c */
int vr_bind_mprotect(void *at, size_t n, int prot);

/* file_mapping.c */
int vr_bind_madvise(void *at, size_t n, int advice);

/* brk.c */
int vr_bind_brk(void *to);
void *vr_bind_sbrk(intptr_t by);
long vr_bind_syscall(long number, ...);
long vr_bind_arch_prctl(int code, unsigned long arg);

/* objects.c */
void *vr_bind_tls_get_addr(void *index);
int vr_bind_dl_find_object(void *pc, void *result);
int vr_bind_dl_iterate_phdr(int (*callback)(void *info, size_t size, void *data), void *data);

/* dl.c */
void *vr_bind_dlopen(const char *name, int mode);
int vr_bind_dladdr(const void *addr, void *info);
void *vr_bind_dlmopen(long space, const char *name, int mode);
int vr_bind_dlinfo(void *handle, int request, void *out);
int vr_bind_dlclose(void *handle);
char *vr_bind_dlerror(void);
void *vr_bind_dlsym(void *handle, const char *name);
void *vr_bind_dlvsym(void *handle, const char *name, const char *version);

/* time.c */
unsigned vr_bind_sleep(unsigned seconds);
int vr_bind_usleep(useconds_t us);
int vr_bind_nanosleep(const struct timespec *t, struct timespec *left);
int vr_bind_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left);
int vr_bind_sched_yield(void);
time_t vr_bind_time(time_t *out);
int vr_bind_gettimeofday(void *out, void *zone);

/* stdio.c */
ssize_t vr_bind_write(int fd, const void *data, size_t n);
ssize_t vr_bind_writev(int fd, const struct iovec *v, int n);
ssize_t vr_bind_read(int fd, void *data, size_t n);
int vr_bind_close(int fd);
int vr_bind_dup(int old);
int vr_bind_dup2(int old, int new);
int vr_bind_dup3(int old, int new, int flags);
FILE *vr_bind_freopen(const char *path, const char *mode, FILE *f);
void vr_stdio_patch(uint64_t jumps, int words, uint64_t read, uint64_t write, uint64_t close);

/* reach.c */
int vr_bind_close_range(unsigned first, unsigned last, int flags);
void vr_bind_closefrom(int low);

/* descriptor_list.c */
struct dirent64;
ssize_t vr_bind_getdents64(int fd, void *data, size_t size);
void *vr_bind_readdir(void *d);
int vr_bind_readdir_r(void *d, void *entry, void **result);
int vr_bind_scandir(const char *path, void *list, int (*filter)(const struct dirent64 *), void *compare);

/* rank_threads.c */
int vr_bind_pthread_create(void *thread, const void *attr, void *(*fn)(void *), void *arg);
int vr_bind_pthread_join(uint64_t thread, void **result);
int vr_bind_pthread_detach(uint64_t thread);
void vr_bind_pthread_exit(void *result) __attribute__((noreturn));

/* c11_threads.c */
int vr_bind_thrd_create(void *thread, void *fn, void *arg);
int vr_bind_thrd_join(uint64_t thread, int *result);
void vr_bind_thrd_exit(int result) __attribute__((noreturn));
int vr_bind_thrd_sleep(const struct timespec *t, struct timespec *left);
void vr_bind_thrd_yield(void);
int vr_bind_mtx_lock(void *m);
int vr_bind_tss_create(unsigned *key, void (*destructor)(void *));
void vr_bind_tss_delete(unsigned key);
int vr_bind_tss_set(unsigned key, void *value);

/* affinity.c */
int vr_bind_sched_setaffinity(int thread, size_t size, const void *mask);
int vr_bind_sched_getaffinity(int thread, size_t size, void *mask);
int vr_bind_pthread_setaffinity_np(uint64_t thread, size_t size, const void *mask);
int vr_bind_pthread_getaffinity_np(uint64_t thread, size_t size, void *mask);

/* stack.c */
int vr_bind_pthread_getattr_np(uint64_t thread, void *attr);
int vr_bind_getrlimit(int what, void *out);
int vr_bind_setrlimit(int what, const void *new);
int vr_bind_prlimit(int pid, int what, const void *new, void *old);

/* sync.c */
int vr_bind_pthread_mutex_lock(void *m);
int vr_bind_pthread_mutex_trylock(void *m);
int vr_bind_pthread_rwlock_rdlock(void *l);
int vr_bind_pthread_rwlock_wrlock(void *l);
int vr_bind_pthread_spin_lock(void *l);
int vr_bind_sem_wait(void *s);
int vr_bind_sem_timedwait(void *s, const struct timespec *t);

/* keys.c */
int vr_bind_pthread_key_create(unsigned *key, void (*destructor)(void *));
int vr_bind_pthread_key_delete(unsigned key);
void *vr_bind_pthread_getspecific(unsigned key);
int vr_bind_pthread_setspecific(unsigned key, const void *value);

/* strings.c */
char *vr_bind_strerror(int error);
char *vr_bind_strerror_l(int error, void *locale);
char *vr_bind_strsignal(int signal);
const char *vr_signal_name(int signal); /* without "SIG"; "RT" for those that have no name */

/* signal_calls.c */
int vr_bind_sigaction(int signal, const void *new, void *old);
void *vr_bind_signal(int signal, void *handler);
void *vr_bind_sysv_signal(int signal, void *handler);
int vr_bind_siginterrupt(int signal, int interrupts);
int vr_bind_sigaltstack(const void *new, void *old);
int vr_bind_raise(int signal);
int vr_bind_kill(pid_t pid, int signal);
int vr_bind_sigqueue(pid_t pid, int signal, const union sigval value);
int vr_bind_pthread_kill(uint64_t thread, int signal);
int vr_bind_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int vr_bind_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int vr_bind_sigpending(sigset_t *set);
int vr_bind_pause(void);
int vr_bind_sigsuspend(const sigset_t *set);
int vr_bind_sigtimedwait(const sigset_t *wanted, siginfo_t *info, const struct timespec *t);
int vr_bind_sigwaitinfo(const sigset_t *set, siginfo_t *info);
int vr_bind_sigwait(const sigset_t *set, int *signal);

/* cwd.c */
int vr_bind_chdir(const char *path);
int vr_bind_fchdir(int fd);

/* exec.c */
int vr_bind_execve(const char *path, char *const argv[], char *const envp[]);
int vr_bind_execv(const char *path, char *const argv[]);
int vr_bind_execvpe(const char *file, char *const argv[], char *const envp[]);
int vr_bind_execvp(const char *file, char *const argv[]);
int vr_bind_execl(const char *path, const char *first, ...);
int vr_bind_execlp(const char *file, const char *first, ...);
int vr_bind_execle(const char *path, const char *first, ...);

/* process.c */
int vr_bind_daemon(int stays, int keeps);
int vr_bind_forkpty(int *terminal, char *name, const void *modes, const void *size);

/* fork.c, vfork_amd64.S */
int vr_bind_fork(void);
int vr_bind_vfork(void);
int vr_bind_register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

/* children.c */
int vr_bind_posix_spawn(pid_t *pid, const char *path, const void *actions, const void *attr, char *const argv[], char *const envp[]);
int vr_bind_posix_spawnp(pid_t *pid, const char *file, const void *actions, const void *attr, char *const argv[], char *const envp[]);
int vr_bind_system(const char *command);
FILE *vr_bind_popen(const char *command, const char *mode);
int vr_bind_pclose(FILE *f);
pid_t vr_bind_wait(int *status);
pid_t vr_bind_waitpid(pid_t pid, int *status, int options);
pid_t vr_bind_wait3(int *status, int options, void *usage);
pid_t vr_bind_wait4(pid_t pid, int *status, int options, void *usage);
int vr_bind_waitid(idtype_t type, id_t id, siginfo_t *out, int options);

/* descriptors.c */
struct sockaddr;
struct msghdr;
struct pollfd;
struct epoll_event;
struct sembuf;
ssize_t vr_bind_recv(int fd, void *data, size_t n, int flags);
ssize_t vr_bind_recvfrom(int fd, void *data, size_t n, int flags, struct sockaddr *from, unsigned *length);
ssize_t vr_bind_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t vr_bind_send(int fd, const void *data, size_t n, int flags);
ssize_t vr_bind_sendto(int fd, const void *data, size_t n, int flags, const struct sockaddr *to, unsigned length);
ssize_t vr_bind_sendmsg(int fd, const struct msghdr *m, int flags);
int vr_bind_accept(int fd, struct sockaddr *from, unsigned *length);
int vr_bind_accept4(int fd, struct sockaddr *from, unsigned *length, int flags);
int vr_bind_poll(struct pollfd *fds, unsigned long n, int ms);
int vr_bind_ppoll(struct pollfd *fds, unsigned long n, const struct timespec *t, const sigset_t *mask);
int vr_bind_select(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t);
int vr_bind_pselect(int n, fd_set *r, fd_set *w, fd_set *x, const struct timespec *t, const sigset_t *mask);
int vr_bind_epoll_wait(int fd, struct epoll_event *events, int n, int ms);
int vr_bind_epoll_pwait(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask);
int vr_bind_flock(int fd, int how);
int vr_bind_fcntl(int fd, int command, ...);
int vr_bind_lockf(int fd, int command, off_t n);
int vr_bind_semop(int id, struct sembuf *list, size_t n);
ssize_t vr_bind_msgrcv(int id, void *data, size_t n, long type, int flags);
int vr_bind_msgsnd(int id, const void *data, size_t n, int flags);

/* new_descriptors.c */
int vr_bind_creat(const char *path, mode_t mode);
int vr_bind_pipe(int *ends);
int vr_bind_pipe2(int *ends, int flags);
int vr_bind_socket(int domain, int type, int protocol);
int vr_bind_socketpair(int domain, int type, int protocol, int *ends);
int vr_bind_eventfd(unsigned value, int flags);
int vr_bind_timerfd_create(clockid_t clock, int flags);
int vr_bind_epoll_create(int size);
int vr_bind_epoll_create1(int flags);
int vr_bind_inotify_init(void);
int vr_bind_inotify_init1(int flags);
int vr_bind_signalfd(int fd, const sigset_t *mask, int flags);
int vr_bind_memfd_create(const char *name, unsigned flags);
int vr_bind_shm_open(const char *name, int flags, mode_t mode);
int vr_bind_mkdir(const char *path, mode_t mode);
int vr_bind_mkdirat(int dir, const char *path, mode_t mode);
char *vr_bind_mkdtemp(char *name);
int vr_bind_unlinkat(int dir, const char *path, int flags);
int vr_bind_rmdir(const char *path);
int vr_bind_remove(const char *path);
int vr_bind_mkstemp(char *name);
int vr_bind_mkstemps(char *name, int suffix);
int vr_bind_mkostemp(char *name, int flags);
int vr_bind_mkostemps(char *name, int suffix, int flags);
int vr_bind_posix_openpt(int flags);
int vr_bind_openpty(int *terminal, int *other, char *name, const void *modes, const void *size);
int vr_bind_pidfd_open(pid_t pid, unsigned flags);
void *vr_bind_opendir(const char *path);
int vr_bind_closedir(void *d);
FILE *vr_bind_tmpfile(void);
FILE *vr_bind_setmntent(const char *path, const char *mode);
int vr_bind_fclose(FILE *f);

/* self.c */
ssize_t vr_bind_readlink(const char *path, char *out, size_t n);
ssize_t vr_bind_readlink_chk(const char *path, char *out, size_t n, size_t room);
ssize_t vr_bind_readlinkat(int dir, const char *path, char *out, size_t n);
char *vr_bind_realpath(const char *path, char *out);
char *vr_bind_realpath_chk(const char *path, char *out, size_t room);
char *vr_bind_canonicalize_file_name(const char *path);
int vr_bind_open(const char *path, int flags, ...);
int vr_bind_openat(int dir, const char *path, int flags, ...);
int vr_bind_open_2(const char *path, int flags);
int vr_bind_openat_2(int dir, const char *path, int flags);
FILE *vr_bind_fopen(const char *path, const char *mode);
unsigned long vr_bind_getauxval(unsigned long type);

ssize_t vr_bind_getrandom(void *out, size_t n, unsigned flags);
int vr_bind_getentropy(void *out, size_t n);
uint32_t vr_bind_arc4random(void);
void vr_bind_arc4random_buf(void *out, size_t n);
uint32_t vr_bind_arc4random_uniform(uint32_t bound);


/* A path as the kernel shall see it: the rank's own /proc/self/exe is its program. */
const char *vr_path(const char *path);

/* stdio.c. The descriptor that a rank means. */
int vr_real_fd(int fd);

/* timers.c */
int vr_bind_setitimer(int which, const void *new, void *old);
int vr_bind_getitimer(int which, void *out);
unsigned vr_bind_alarm(unsigned seconds);
useconds_t vr_bind_ualarm(useconds_t value, useconds_t interval);
int vr_bind_timer_create(clockid_t clock, const void *event, void *out);
int vr_bind_timer_settime(void *timer, int flags, const struct itimerspec *new, struct itimerspec *old);
int vr_bind_timer_gettime(void *timer, struct itimerspec *now);
int vr_bind_timer_getoverrun(void *timer);
int vr_bind_timer_delete(void *timer);

/* Say that a function is not served, and what is; sets errno to ENOSYS, returns -1. */
int vr_refuse(const char *function, const char *others);

/* Set errno where the rank's C library keeps it. */
void vr_set_errno(int error);

#endif
