/* The thread library of glibc before 2.34 is an object of its own, libpthread.so.0. Its constructor believes to run on the process's first
 * thread and to be the only one: it links the thread's control block into a list of its own, takes signal handlers, and gives ld.so
 * functions to call. Here it runs for every rank, on a thread that the worker's own libpthread.so.0 made. */
#include "privatize/libpthread/init.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define SIGNALS 2 /* the first real-time signals, which the library keeps for itself */

typedef uint64_t word;

struct area {
	word *at;
	size_t words;
	word saved[2 * PAGE / sizeof(word)];
};

static void save(struct area *a, void *at, size_t size)
{
	size_t most = sizeof a->saved / sizeof(word);
	a->at = at;
	a->words = size / sizeof(word) < most ? size / sizeof(word) : most;
	memcpy(a->saved, at, a->words * sizeof(word));
}

static void save_control_block(struct area *a)
{
	char *block;
	__asm__("movq %%fs:0x10, %0" : "=r"(block));
	save(a, block, PAGE - (uint64_t)block % PAGE); /* which ends with the stack that it lies on */
}

static void save_loader(struct area *a)
{
	Dl_info info;
	const ElfW(Sym) *symbol;
	void *loader = dlsym(RTLD_DEFAULT, "_rtld_global");
	a->words = 0;
	if (loader && dladdr1(loader, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol)
		save(a, loader, symbol->st_size);
}

/* The kernel's struct sigaction: the C library's functions refuse these signals. */
struct kernel_action {
	uint64_t handler, flags, restorer, mask;
};

static void action(int signal, const struct kernel_action *new, struct kernel_action *old)
{
	syscall(SYS_rt_sigaction, signal, new, old, sizeof new->mask);
}

/* The head of the list that the control block was linked into is the one place of the copy to which two words in a row lead. */
static void empty_list(const struct area *block, uint64_t copy, uint64_t size)
{
	for (size_t i = 0; i + 1 < block->words; i++)
		if (block->at[i] == block->at[i + 1] && block->at[i] - copy < size && block->at[i] != block->saved[i]) {
			word *head = (word *)block->at[i];
			head[0] = head[1] = (word)head;
			return;
		}
}

static void restore(const struct area *a)
{
	for (size_t i = 0; i < a->words; i++)
		if (a->at[i] != a->saved[i])
			a->at[i] = a->saved[i];
}

/* Others may use ld.so at the same time: only what leads into the copy is put back. */
static void restore_loader(const struct area *a, uint64_t copy, uint64_t size)
{
	for (size_t i = 0; i < a->words; i++)
		if (a->at[i] != a->saved[i] && a->at[i] - copy < size)
			a->at[i] = a->saved[i];
}

void priv_libpthread_init(uint64_t init, int argc, char **argv, char **envp, uint64_t copy, uint64_t size)
{
	struct area block, loader;
	struct kernel_action kept[SIGNALS];
	save_control_block(&block);
	save_loader(&loader);
	for (int i = 0; i < SIGNALS; i++)
		action(__SIGRTMIN + i, NULL, &kept[i]);
	((void (*)(int, char **, char **))init)(argc, argv, envp);
	for (int i = 0; i < SIGNALS; i++)
		action(__SIGRTMIN + i, &kept[i], NULL);
	empty_list(&block, copy, size);
	restore(&block);
	restore_loader(&loader, copy, size);
}
