/* The other library of twolibs.c: uses the first one, and calls back into the program. */
extern int one_state;
int one_next(int n);
int two_sum(int n);
extern int program_hook(int n);
int *two_pointer = &one_state;

int two_sum(int n) { return one_next(n) + program_hook(n) + *two_pointer; }
