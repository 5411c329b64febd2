/* Reading files while ranks run, see file_reader.h. */
#include "vrank/core/file_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vrank/core/compat.h"
#include "vrank/core/pe_thread.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static int is_apart; /* the thread is there and has its table */
static sem_t asked, answered;
static struct {
	const char *path;
	void *text;
	size_t size;
	ssize_t result;
} request;

static ssize_t read_here(const char *path, char *text, size_t size)
{
	size_t done = 0;
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (done < size && ((n = read(fd, text + done, size - done)) > 0 || (n < 0 && errno == EINTR)))
		done += n > 0 ? (size_t)n : 0;
	if (n < 0)
		n = -errno;
	close(fd);
	return n < 0 ? n : (ssize_t)done;
}

/* For kernels before 5.9. */
static int close_all(void)
{
	DIR *list = opendir("/proc/thread-self/fd");
	if (!list)
		return -1;
	for (struct dirent *e; (e = readdir(list));)
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(list))
			close(atoi(e->d_name));
	return closedir(list);
}

/* An empty one: a copy would keep pipes open that others close. */
static int unshare_table(void)
{
	return syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE) && (syscall(SYS_unshare, CLONE_FILES) || close_all()) ? -1 : 0;
}

static void *serve(void *unused)
{
	is_apart = !unshare_table();
	sem_post(&answered);
	while (is_apart) {
		while (sem_wait(&asked))
			;
		request.result = read_here(request.path, request.text, request.size);
		sem_post(&answered);
	}
	return unused;
}

static void start(void)
{
	sem_init(&asked, 0, 0);
	sem_init(&answered, 0, 0);
	if (vr_service_thread_start(serve))
		return;
	while (sem_wait(&answered))
		;
}

ssize_t vr_read_file(const char *path, void *text, size_t size)
{
	pthread_once(&once, start);
	if (!is_apart)
		return read_here(path, text, size);
	pthread_mutex_lock(&one_at_a_time);
	request.path = path;
	request.text = text;
	request.size = size;
	sem_post(&asked);
	while (sem_wait(&answered))
		;
	ssize_t result = request.result;
	pthread_mutex_unlock(&one_at_a_time);
	return result;
}
