#include "vrank/libc/trial.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "privatize/libpthread/init.h"

/* A function of the copy, by its type. */
#define OWN(t, name, result, ...) ((result(*)(__VA_ARGS__))(t)->name)

static uint64_t *block(void)
{
	uint64_t *b;
	__asm__("movq %%fs:0x10, %0" : "=r"(b));
	return b;
}

static uint64_t pointer_guard(void)
{
	uint64_t v;
	__asm__ volatile("movq %%fs:0x30, %0" : "=r"(v));
	return v;
}

/* Where the kernel writes into the block as it likes. */
static int is_rseq(uint64_t at)
{
	const int64_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
	return offset && at - (uint64_t)*offset < 64;
}

static const char *try_block(const struct vr_trial *t)
{
	(void)t;
	return block() == (uint64_t *)pthread_self() ? NULL : "pthread_self() is not what is 16 bytes behind the thread pointer";
}

/* One of the words that setjmp stores is the stack pointer, mixed with the guard. */
static const char *try_guard(const struct vr_trial *t)
{
	uint64_t words[32] = {0}, here = (uint64_t)words;
	OWN(t, setjmp, int, void *)(words);
	for (int i = 0; i < 8; i++) {
		uint64_t v = words[i];
		__asm__("rorq $17, %0" : "+r"(v));
		if ((v ^ pointer_guard()) - (here - 4096) < 8192)
			return NULL;
	}
	return "the guard of pointers is not what is 48 bytes behind the thread pointer";
}

static const char *try_start(const struct vr_trial *t)
{
	static char *arguments[] = {"trial", NULL}, *environment[] = {"AMPIRUN_TRIAL=yes", NULL};
	if (t->environ_var)
		*(char ***)t->environ_var = environment;
	if (t->early_init)
		OWN(t, early_init, void, int)(0);
	if (t->single_threaded)
		*(char *)t->single_threaded = 1;
	OWN(t, ctype_init, void, void)();
	for (uint64_t i = 0; i < t->ninits; i++)
		if (t->inits[i] - t->threads < t->threads_size)
			priv_libpthread_init(t->inits[i], 1, arguments, environment, t->images, t->images_size);
		else
			((void (*)(int, char **, char **))t->inits[i])(1, arguments, environment);
	return NULL;
}

static const char *try_errno(const struct vr_trial *t)
{
	int *own = OWN(t, errno_location, int *, void)();
	*own = errno = 0;
	int result = OWN(t, close, int, int)(-1), foreign = errno;
	return result == -1 && *own == EBADF && !foreign ? NULL : "errno is not the copy's own";
}

static const char *try_numbers(const struct vr_trial *t)
{
	char text[64];
	double d = OWN(t, strtod, double, const char *, char **)("2.5e3", NULL);
	OWN(t, snprintf, int, char *, size_t, const char *, ...)(text, sizeof text, "%.1f %d %s", d, -7, "x");
	return strcmp(text, "2500.0 -7 x") ? "numbers are read or written wrong" : NULL;
}

static const char *try_characters(const struct vr_trial *t)
{
	const unsigned short *table = *OWN(t, ctype_table, const unsigned short **, void)();
	return table['a'] & (unsigned short)_ISalpha && !(table['1'] & (unsigned short)_ISalpha) ? NULL : "the tables of characters are wrong";
}

static const char *try_memory(const struct vr_trial *t)
{
	void *end = sbrk(0);
	for (size_t n = 1; n <= 1 << 24; n *= 8) {
		char *p = OWN(t, malloc, void *, size_t)(n);
		if (!p)
			return "malloc gives nothing";
		memset(p, 1, n);
		OWN(t, free, void, void *)(p);
	}
	return sbrk(0) == end ? NULL : "malloc takes memory from the break";
}

static char caught[64];

static ssize_t catch_write(void *file, const void *data, ssize_t n)
{
	(void)file;
	memcpy(caught, data, (size_t)n < sizeof caught ? (size_t)n : sizeof caught - 1);
	return n;
}

static const char *try_streams(const struct vr_trial *t)
{
	uint64_t *jump = (uint64_t *)t->jumps;
	int replaced = 0;
	for (uint64_t i = 0; i < t->words; i++)
		if (jump[i] == t->file_write)
			jump[i] = (uint64_t)catch_write, replaced++;
	if (!replaced)
		return "the table of file operations is another one";
	void *out = *(void **)t->out;
	OWN(t, fputs, int, const char *, void *)("written", out);
	OWN(t, fflush, int, void *)(out);
	return strcmp(caught, "written") ? "what a stream writes does not come through the table of file operations" : NULL;
}

static const char *try_time(const struct vr_trial *t)
{
	struct timespec own = {0}, host;
	OWN(t, clock_gettime, int, clockid_t, struct timespec *)(CLOCK_REALTIME, &own);
	clock_gettime(CLOCK_REALTIME, &host);
	time_t seconds = OWN(t, time, time_t, time_t *)(NULL);
	return labs(own.tv_sec - host.tv_sec) <= 2 && labs(seconds - host.tv_sec) <= 2 ? NULL : "the time is wrong";
}

static const char *try_environment(const struct vr_trial *t)
{
	const char *value = OWN(t, getenv, char *, const char *)("AMPIRUN_TRIAL");
	return t->environ_var && (!value || strcmp(value, "yes")) ? "the environment is not what was set" : NULL;
}

static const char *try_processor(const struct vr_trial *t)
{
	int n = OWN(t, cpu, int, void)();
	return n >= 0 && n < sysconf(_SC_NPROCESSORS_CONF) ? NULL : "the number of the processor is wrong";
}

/* How much of the control block is compared: where its size is not known, what can be read for sure. */
static uint64_t block_words(const struct vr_trial *t)
{
	uint64_t size = t->block_size ? t->block_size : 4096 - (uint64_t)block() % 4096;
	return size / 8 < 1024 ? size / 8 : 1024;
}

/* Nothing of a rank may stay in the thread's control block. */
static const char *try_random(const struct vr_trial *t)
{
	static uint64_t before[1024];
	uint64_t words = block_words(t), *b = block();
	char bytes[16];
	memcpy(before, b, 8 * words);
	if (t->random && OWN(t, random, ssize_t, void *, size_t, unsigned)(bytes, sizeof bytes, 0) != sizeof bytes)
		return "getrandom gives nothing";
	for (uint64_t i = 0; i < words; i++)
		if (b[i] != before[i] && !is_rseq(8 * i))
			return "getrandom leaves something in the thread's control block";
	return NULL;
}

void vr_trial_run(const struct vr_trial *t)
{
	static const struct {
		const char *name;
		const char *(*run)(const struct vr_trial *t);
	} steps[] = {
		{"control block", try_block}, {"pointer guard", try_guard}, {"start", try_start}, {"errno", try_errno}, {"numbers", try_numbers},
		{"characters", try_characters}, {"memory", try_memory}, {"streams", try_streams}, {"time", try_time}, {"environment", try_environment},
		{"processor", try_processor}, {"random bytes", try_random},
	};
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		dprintf(1, "%s\n", steps[i].name);
		const char *why = steps[i].run(t);
		if (why) {
			dprintf(1, "bad\n%s\n", why);
			return;
		}
	}
	dprintf(1, "ok\n");
}
