/* Do stacks of every kind work: 32 MB automatic arrays, coroutines of ucontext.h that call MPI, longjmp out of them, stacks of threads? */
// build: $CC -pthread stacks.c
#define _GNU_SOURCE
#include "check.h"
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <ucontext.h>

#define LARGE (32 << 20)

static MPI_Comm first_two;

static int large_array(void)
{
	char a[LARGE];

	if (rank > 1)
		return 1; /* all at once need not have so much memory */
	memset(a, rank + 1, sizeof a);
	MPI_Barrier(first_two);
	for (int i = 0; i < LARGE; i += 4096)
		if (a[i] != (char)(rank + 1))
			return 0;
	return a[LARGE - 1] == (char)(rank + 1);
}

/* Touches its ends only: what lies between costs nothing. */
static int untouched_array(void)
{
	volatile char a[LARGE];

	a[0] = 1;
	a[LARGE - 1] = (char)rank;
	check_others_run();
	return a[0] == 1 && a[LARGE - 1] == (char)rank;
}

static int allocas(void)
{
	struct link { struct link *next; int value; } *list = NULL;
	for (int i = 0; i < 2000; i++) {
		struct link *l = alloca(sizeof *l + (size_t)(i % 50) * 16);
		*l = (struct link){list, i ^ rank};
		list = l;
	}
	check_others_run();
	for (int i = 1999; i >= 0; i--, list = list->next)
		if (list->value != (i ^ rank))
			return 0;
	return list == NULL;
}

#define COROUTINES 3
static ucontext_t mains, contexts[COROUTINES];
static int steps[COROUTINES];
static jmp_buf from_coroutine;

static void coroutine(int n)
{
	volatile double x = rank + n;
	for (int i = 0; i < 4; i++) {
		int in = -1, tag = 10 + n;
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		steps[n] += in == (rank + size - 1) % size && x == rank + n;
		if (i == 2) { /* a jump that stays on this stack */
			jmp_buf here;
			if (!setjmp(here))
				longjmp(here, 1);
		}
		swapcontext(&contexts[n], &mains);
	}
}

static void coroutines(void)
{
	char *stacks[COROUTINES];
	for (int n = 0; n < COROUTINES; n++) {
		stacks[n] = malloc(64 << 10);
		getcontext(&contexts[n]);
		contexts[n].uc_stack.ss_sp = stacks[n];
		contexts[n].uc_stack.ss_size = 64 << 10;
		contexts[n].uc_link = &mains;
		makecontext(&contexts[n], (void (*)(void))coroutine, 1, n);
	}
	for (int i = 0; i < 5; i++)
		for (int n = 0; n < COROUTINES; n++)
			swapcontext(&mains, &contexts[n]);
	for (int n = 0; n < COROUTINES; n++) {
		CHECK(steps[n] == 4);
		free(stacks[n]);
	}
}

static void leaves(void)
{
	check_others_run();
	longjmp(from_coroutine, 5);
}

static void jump_out(void)
{
	static char stack[64 << 10];
	ucontext_t c;
	int code = setjmp(from_coroutine);
	if (!code) {
		getcontext(&c);
		c.uc_stack.ss_sp = stack;
		c.uc_stack.ss_size = sizeof stack;
		c.uc_link = NULL;
		makecontext(&c, leaves, 0);
		setcontext(&c);
	}
	CHECK(code == 5);
	check_others_run();
}

static void *deep_thread(void *unused)
{
	volatile char a[20 << 20];
	(void)unused;
	a[0] = 1, a[sizeof a - 1] = 2;
	return a[0] + a[sizeof a - 1] == 3 ? (void *)a : NULL;
}

static void threads(void)
{
	pthread_attr_t attr;
	pthread_t t;
	void *back = NULL;
	pthread_attr_init(&attr);
	CHECK(!pthread_attr_setstacksize(&attr, 24 << 20));
	CHECK(!pthread_create(&t, &attr, deep_thread, NULL) && !pthread_join(t, &back) && back);
	pthread_attr_destroy(&attr);
}

/* What a program may ask about its stack: libraries for garbage collection do. */
static void questions(void)
{
	pthread_attr_t attr;
	void *low = NULL;
	size_t bytes = 0;
	char here;
	struct rlimit limit;
	CHECK(!pthread_getattr_np(pthread_self(), &attr) && !pthread_attr_getstack(&attr, &low, &bytes));
	CHECK(&here > (char *)low && &here < (char *)low + bytes);
	CHECK(!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur >= LARGE);
	pthread_attr_destroy(&attr);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_split(MPI_COMM_WORLD, rank > 1, 0, &first_two);
	CHECK(large_array());
	CHECK(untouched_array());
	CHECK(allocas());
	coroutines();
	jump_out();
	MPI_Comm_free(&first_two);
	threads();
	questions();
	return check_end("stacks");
}
