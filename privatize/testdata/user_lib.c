/* A library of the user's, with globals, statics and thread-local variables of all models. */
int lib_global = 5;
static int lib_static = 1;
__thread int lib_local = 9;
static __thread int lib_hidden = 11;
int *lib_pointer = &lib_global;

int lib_step(int rank)
{
	lib_global += rank;
	lib_static++;
	lib_hidden += rank;
	return lib_hidden;
}

int lib_steps(void) { return lib_static; }

int *lib_address(void) { return &lib_global; }
