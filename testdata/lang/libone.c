/* One of two libraries with globals (see twolibs.c): its state, a static, thread-local memory, a constructor. */
int one_state = 10;
static int calls;
static __thread int in_thread = 4;

int one_next(int n);
int one_calls(void);
int one_in_thread(int n);

__attribute__((constructor)) static void one_init(void) { one_state += 5; }

int one_next(int n)
{
	calls++;
	one_state += n;
	return one_state;
}

int one_calls(void) { return calls; }

int one_in_thread(int n)
{
	in_thread += n;
	return in_thread;
}
