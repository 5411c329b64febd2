/* Are pointers into the program, linked libraries and opened ones found on other ranks, and refused where they must be?
 * Arguments: libraries made of plugin.c with NUMBER 1 to 5, of which the second has no build ID, a copy of the third, and start.c.
 * Number 9 is linked.
 */
#include <dlfcn.h>

#include "ampi_rpc.h"
#include "../mpi/check.h"

extern int value;
int call(int to, int *out); /* of the linked library */
AMPI_Rpc_reply_fn get_hidden(void);

static int own_data = 5;
static char **libraries;

enum { ONE = 1, TWO, THREE, FOUR, FIVE, TWIN, START };

static void *open_library(int number)
{
	void *handle = dlopen(libraries[number], RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(handle);
	return handle;
}

static AMPI_Rpc_reply_fn hidden_of(void *library)
{
	return ((AMPI_Rpc_reply_fn(*)(void))dlsym(library, "get_hidden"))();
}

static int value_of(AMPI_Rpc_reply_fn fn, int to)
{
	int out = -1;
	size_t n = sizeof out;
	CHECK_INT(AMPI_Rpc(to, fn, NULL, 0, &out, &n, WORLD), 0);
	return out / 100;
}

static size_t bytes_of(const void *pointer)
{
	AMPI_Token k;
	CHECK_INT(AMPI_Token_make(pointer, &k), 0);
	return AMPI_Token_size(&k);
}

/* Where a token leads to on another rank: the difference from where that rank says that it does. */
struct question {
	AMPI_Token token;
	int library; /* 0: the program */
};

static size_t compare(const void *arg, size_t size, void *reply, size_t capacity, int origin, MPI_Comm comm)
{
	const struct question *q = arg;
	void *at = NULL;
	(void)size, (void)capacity, (void)origin, (void)comm;
	int error = AMPI_Token_pointer(&q->token, &at);
	void *library = q->library ? dlopen(libraries[q->library], RTLD_NOW | RTLD_NOLOAD) : NULL;
	*(int *)reply = error ? -error : library ? at == dlsym(library, "value") : at == &own_data;
	if (library)
		dlclose(library);
	return sizeof(int);
}

static int compare_on(int to, const void *pointer, int library)
{
	struct question q = {.library = library};
	int out = -1;
	size_t n = sizeof out;
	CHECK_INT(AMPI_Token_make(pointer, &q.token), 0);
	CHECK_INT(AMPI_Rpc(to, compare, &q, sizeof q, &out, &n, WORLD), 0);
	return out;
}

static void linked(void)
{
	int out;
	for (int to = 0; to < size; to++) {
		CHECK_INT(call(to, &out), 0);
		CHECK_INT(out / 100, 9);
		CHECK_INT(value_of(get_hidden(), to), 9);
		CHECK_INT(compare_on(to, &own_data, 0), 1);
	}
	CHECK_INT(bytes_of((void *)get_hidden), 8);
	CHECK_INT(bytes_of(&value), 8);
	CHECK_INT(bytes_of((void *)compare), 8);
}

static void opened(void *library[2])
{
	library[rank % 2] = open_library(rank % 2 ? TWO : ONE);
	library[1 - rank % 2] = open_library(rank % 2 ? ONE : TWO);
	MPI_Barrier(WORLD);
	for (int to = 0; to < size; to++)
		for (int i = 0; i < 2; i++) {
			CHECK_INT(value_of(hidden_of(library[i]), to), i + 1);
			CHECK_INT(compare_on(to, dlsym(library[i], "value"), i ? TWO : ONE), 1);
		}
	CHECK_INT(bytes_of((void *)hidden_of(library[0])), 32);
	CHECK_INT(bytes_of((void *)hidden_of(library[1])), 32);
	MPI_Barrier(WORLD);
}

static void first_function(void)
{
	void *library = open_library(START);
	AMPI_Rpc_reply_fn first = (AMPI_Rpc_reply_fn)dlsym(library, "first");
	int out = 0;
	size_t n = sizeof out;
	AMPI_Token k;
	MPI_Barrier(WORLD);
	CHECK_INT(AMPI_Token_make((void *)first, &k), 0);
	CHECK_INT(k.word << 16, 0); /* its offset is 0 */
	CHECK_INT(AMPI_Rpc((rank + 1) % size, first, "abc", 3, &out, &n, WORLD), 0);
	CHECK_INT(out, 80);
	MPI_Barrier(WORLD);
}

static void verified(void *library[2])
{
	CHECK_INT(AMPI_Rpc_verify_all(WORLD), 0);
	CHECK_INT(AMPI_Rpc_verify_segment(dlsym(library[0], "value"), WORLD), 0); /* once more does no harm */
	CHECK_INT(bytes_of((void *)hidden_of(library[0])), 8);
	CHECK_INT(bytes_of((void *)hidden_of(library[1])), 8);
	CHECK_INT(value_of(hidden_of(library[0]), (rank + 1) % size), 1);
	MPI_Barrier(WORLD);
}

/* Closed: an error. Opened again: what was made before is an error, what is made now works. */
static void epochs(void *library[2])
{
	AMPI_Token by_index, again;
	void *at;
	AMPI_Rpc_reply_fn fn = hidden_of(library[0]);
	CHECK_INT(AMPI_Token_make((void *)fn, &by_index), 0);
	CHECK_INT(AMPI_Token_pointer(&by_index, &at), 0);
	CHECK(at == (void *)fn);
	MPI_Barrier(WORLD);
	CHECK_INT(dlclose(library[0]), 0);
	CHECK_FAILS(AMPI_Token_make((void *)fn, &again), MPI_ERR_ARG);
	CHECK_FAILS(AMPI_Token_pointer(&by_index, &at), MPI_ERR_ARG);
	library[0] = open_library(ONE);
	CHECK_FAILS(AMPI_Token_pointer(&by_index, &at), MPI_ERR_ARG);
	CHECK_INT(AMPI_Token_make((void *)hidden_of(library[0]), &again), 0);
	CHECK_INT(AMPI_Token_size(&again), 32);
	CHECK_INT(AMPI_Token_pointer(&again, &at), 0);
	MPI_Barrier(WORLD);
	CHECK_INT(value_of(hidden_of(library[0]), (rank + 1) % size), 1);
	MPI_Barrier(WORLD);
	CHECK_INT(AMPI_Rpc_verify_all(WORLD), 0);
	CHECK_INT(bytes_of((void *)hidden_of(library[0])), 8);
	CHECK_FAILS(AMPI_Token_pointer(&by_index, &at), MPI_ERR_ARG);
	MPI_Barrier(WORLD);
	CHECK_INT(value_of(hidden_of(library[0]), (rank + 1) % size), 1);
	MPI_Barrier(WORLD);
}

/* A file under two names, opened by rank 0 alone; one that only rank 0 has; and one that every rank has another of. */
static void asymmetric(void)
{
	int out;
	size_t n = sizeof out;
	if (rank == 0) {
		AMPI_Rpc_reply_fn fn = hidden_of(open_library(THREE));
		if (size > 1)
			CHECK_FAILS(AMPI_Rpc(1, fn, NULL, 0, &out, &n, WORLD), MPI_ERR_ARG);
		AMPI_Rpc_reply_fn twin = hidden_of(open_library(TWIN));
		CHECK_FAILS(AMPI_Rpc(0, twin, NULL, 0, &out, &n, WORLD), MPI_ERR_ARG);
		CHECK_FAILS(AMPI_Rpc(0, fn, NULL, 0, &out, &n, WORLD), MPI_ERR_ARG);
	}
	void *fourth = rank == 0 || size == 1 ? open_library(FOUR) : NULL;
	CHECK_INT(AMPI_Rpc_verify_all(WORLD), 0);
	void *own = fourth ? (void *)hidden_of(fourth) : (void *)get_hidden();
	if (size > 1)
		CHECK_FAILS(AMPI_Rpc_verify_segment(own, WORLD), MPI_ERR_ARG);
	MPI_Barrier(WORLD);
}

static void part(void)
{
	MPI_Comm two;
	int out, before = -1, is = -1;
	size_t n = sizeof out;
	MPI_Comm_split(WORLD, rank < 2, 0, &two);
	MPI_Comm_set_errhandler(two, MPI_ERRORS_RETURN);
	AMPI_Rpc_reply_fn fn = rank < 2 ? hidden_of(open_library(FIVE)) : NULL;
	CHECK_INT(AMPI_Rpc_enforce_verification(1, &before), 0);
	CHECK_INT(before, 0);
	CHECK_INT(AMPI_Rpc_verification_enforced(&is), 0);
	CHECK_INT(is, 1);
	if (rank < 2) {
		int to = (rank + 1) % (size < 2 ? size : 2);
		CHECK_FAILS(AMPI_Rpc(to, fn, NULL, 0, &out, &n, two), MPI_ERR_ARG);
		CHECK_INT(AMPI_Rpc_verify_segment((void *)fn, two), 0);
		CHECK_INT(AMPI_Rpc(to, fn, NULL, 0, &out, &n, two), 0);
		CHECK_INT(out / 100, 5);
		if (size > 2)
			CHECK_FAILS(AMPI_Rpc(2, fn, NULL, 0, &out, &n, WORLD), MPI_ERR_ARG); /* it has none */
	}
	CHECK_INT(AMPI_Rpc_enforce_verification(0, NULL), 0);
	MPI_Barrier(WORLD);
	if (rank == 1)
		CHECK_INT(AMPI_Rpc(0, fn, NULL, 0, &out, &n, WORLD), 0);
	MPI_Barrier(WORLD);
	MPI_Comm_free(&two);
}

static void texts(void)
{
	char text[1 << 16];
	size_t n = 0;
	CHECK_INT(AMPI_Rpc_debug_text(AMPI_RPC_POINTER, (void *)compare, 0, text, sizeof text, &n), 0);
	CHECK(n == strlen(text) && strstr(text, "symbol compare+0") && strstr(text, "] *") && strstr(text, "libc.so"));
	CHECK_INT(AMPI_Rpc_debug_text(AMPI_RPC_TABLE, NULL, 1, text, sizeof text, &n), 0);
	CHECK(n == strlen(text) && strstr(text, "\x1b[36m") && !strstr(text, "] *"));
	CHECK_INT(AMPI_Rpc_debug_text(AMPI_RPC_CACHE, NULL, 0, text, sizeof text, &n), 0);
	CHECK(n == strlen(text) && strstr(text, "segments"));
	CHECK_INT(AMPI_Rpc_debug_text(AMPI_RPC_TABLE, NULL, 0, NULL, 0, &n), 0);
	CHECK(n > 100);
	CHECK_FAILS(AMPI_Rpc_debug_text(9, NULL, 0, text, sizeof text, &n), MPI_ERR_ARG);
	if (rank == 0)
		CHECK_INT(AMPI_Rpc_debug_write_ptr((void *)compare, 1, 0), 0);
}

int main(int argc, char **argv)
{
	void *library[2];
	check_begin(&argc, &argv);
	libraries = argv;
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	linked();
	opened(library);
	first_function();
	verified(library);
	epochs(library);
	asymmetric();
	part();
	texts();
	return check_end("segments");
}
