/* The runtime's versions of C library functions, listed in bind.c. They run on rank stacks, with the contracts of the
 * functions whose place they take; errno is set in the rank's own C library. */
#ifndef VRANK_BIND_H
#define VRANK_BIND_H

#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

/* atexit.c */
int vr_bind_cxa_atexit(void (*fn)(void *), void *arg, void *dso);
int vr_bind_on_exit(void (*fn)(int, void *), void *arg);
int vr_bind_cxa_at_quick_exit(void (*fn)(void *), void *dso);
int vr_bind_cxa_thread_atexit(void (*fn)(void *), void *arg, void *dso);
void vr_bind_cxa_finalize(void *dso);
void vr_bind_quick_exit(int code) __attribute__((noreturn));

/* memory.c */
void *vr_bind_malloc(size_t n);
void *vr_bind_calloc(size_t n, size_t size);
void *vr_bind_realloc(void *p, size_t n);
void *vr_bind_reallocarray(void *p, size_t n, size_t size);
void vr_bind_free(void *p);
void *vr_bind_memalign(size_t align, size_t n);
int vr_bind_posix_memalign(void **out, size_t align, size_t n);
void *vr_bind_valloc(size_t n);
void *vr_bind_pvalloc(size_t n);
size_t vr_bind_malloc_usable_size(void *p);
struct mallinfo2 vr_bind_mallinfo2(void);
void *vr_bind_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset);
int vr_bind_munmap(void *addr, size_t n);
void *vr_bind_mremap(void *old, size_t old_size, size_t new_size, int flags, ...);

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
int vr_bind_dup2(int old, int new);
int vr_bind_dup3(int old, int new, int flags);
FILE *vr_bind_freopen(const char *path, const char *mode, FILE *f);
void vr_stdio_patch(uint64_t images);

/* threads.c */
int vr_bind_pthread_create(void *thread, const void *attr, void *(*fn)(void *), void *arg);
int vr_bind_pthread_join(uint64_t thread, void **result);
int vr_bind_pthread_detach(uint64_t thread);
void vr_bind_pthread_exit(void *result) __attribute__((noreturn));

/* sync.c */
int vr_bind_pthread_mutex_lock(void *m);
int vr_bind_pthread_mutex_trylock(void *m);
int vr_bind_pthread_rwlock_rdlock(void *l);
int vr_bind_pthread_rwlock_wrlock(void *l);
int vr_bind_pthread_spin_lock(void *l);
int vr_bind_sem_wait(void *s);

/* keys.c */
int vr_bind_pthread_key_create(unsigned *key, void (*destructor)(void *));
int vr_bind_pthread_key_delete(unsigned key);
void *vr_bind_pthread_getspecific(unsigned key);
int vr_bind_pthread_setspecific(unsigned key, const void *value);

/* strings.c */
char *vr_bind_strerror(int error);
char *vr_bind_strerror_l(int error, void *locale);
char *vr_bind_strsignal(int signal);

/* signals.c */
int vr_bind_sigaction(int signal, const void *new, void *old);
void *vr_bind_signal(int signal, void *handler);
void *vr_bind_sysv_signal(int signal, void *handler);

/* directory.c */
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
int vr_bind_fork(void);
int vr_bind_setitimer(int which, const void *new, void *old);
unsigned vr_bind_alarm(unsigned seconds);

/* Say that a function is not served, and what is; sets errno to ENOSYS, returns -1. */
int vr_refuse(const char *function, const char *others);

/* Set errno where the rank's C library keeps it. */
void vr_set_errno(int error);

#endif
