/* Are attributes cached per communicator, copied at dup and deleted at free by the callbacks, with the right arguments? */
#include "check.h"

static int copies, deletes;
static long extra = 4711;

static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
	(void)comm, (void)key;
	CHECK(*(long *)state == 4711);
	*(void **)out = (char *)in + 1;
	*flag = (long)in < 1000;
	copies++;
	return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *state)
{
	(void)comm, (void)key, (void)value;
	CHECK(state == &extra);
	deletes++;
	return MPI_SUCCESS;
}

static int refuse(MPI_Comm comm, int key, void *value, void *state)
{
	(void)comm, (void)key, (void)value, (void)state;
	return MPI_ERR_OTHER;
}

static void expect(MPI_Comm comm, int key, long want)
{
	void *value = NULL;
	int flag;

	MPI_Comm_get_attr(comm, key, &value, &flag);
	CHECK_INT(flag, want != 0);
	CHECK(!flag || (long)value == want);
}

static void with_callbacks(void)
{
	MPI_Comm a, b;
	int key;

	MPI_Comm_create_keyval(copy, delete, &key, &extra);
	MPI_Comm_dup(WORLD, &a);
	expect(a, key, 0);
	MPI_Comm_set_attr(a, key, (void *)10L);
	expect(a, key, 10);
	expect(WORLD, key, 0);
	MPI_Comm_dup(a, &b);
	expect(b, key, 11);
	CHECK_INT(copies, 1);
	MPI_Comm_set_attr(b, key, (void *)2000L); /* deletes the old value */
	CHECK_INT(deletes, 1);
	MPI_Comm_free(&a);
	CHECK_INT(deletes, 2);
	MPI_Comm_dup(b, &a); /* the callback says no */
	expect(a, key, 0);
	MPI_Comm_delete_attr(b, key);
	CHECK_INT(deletes, 3);
	expect(b, key, 0);
	MPI_Comm_set_attr(b, key, (void *)5L);
	MPI_Comm_free_keyval(&key); /* stays in use until b is gone */
	CHECK_INT(key, MPI_KEYVAL_INVALID);
	MPI_Comm_free(&b);
	CHECK_INT(deletes, 4);
	MPI_Comm_free(&a);
}

static void predefined_functions(void)
{
	MPI_Comm a;
	int no_copy, same;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &no_copy, NULL);
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &same, NULL);
	MPI_Comm_set_attr(WORLD, no_copy, (void *)1L);
	MPI_Comm_set_attr(WORLD, same, (void *)2L);
	MPI_Comm_dup(WORLD, &a);
	expect(a, no_copy, 0);
	expect(a, same, 2);
	MPI_Comm_free(&a);
	MPI_Comm_split(WORLD, 0, 0, &a); /* split copies nothing */
	expect(a, same, 0);
	MPI_Comm_free(&a);
	MPI_Comm_delete_attr(WORLD, no_copy);
	MPI_Comm_delete_attr(WORLD, same);
	MPI_Comm_free_keyval(&no_copy);
	MPI_Comm_free_keyval(&same);
}

/* A delete callback that fails keeps the communicator. */
static void refused(void)
{
	MPI_Comm a;
	int key;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
	MPI_Comm_dup(MPI_COMM_SELF, &a);
	MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN);
	MPI_Comm_set_attr(a, key, (void *)1L);
	CHECK(MPI_Comm_delete_attr(a, key) != MPI_SUCCESS);
	MPI_Comm_free_keyval(&key);
}

/* Attributes of MPI_COMM_SELF are deleted at Finalize. */
static int at_finalize(MPI_Comm comm, int key, void *value, void *state)
{
	int flag = 1;

	(void)comm, (void)key, (void)state;
	MPI_Finalized(&flag);
	CHECK(!flag);
	*(int *)value = 1;
	return MPI_SUCCESS;
}

static void types(void)
{
	MPI_Datatype t, dup;
	int key, flag;
	void *value;

	MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Type_set_attr(t, key, (void *)77L);
	MPI_Type_dup(t, &dup);
	MPI_Type_get_attr(dup, key, &value, &flag);
	CHECK(flag && (long)value == 77);
	MPI_Type_delete_attr(dup, key);
	MPI_Type_get_attr(dup, key, &value, &flag);
	CHECK(!flag);
	MPI_Type_free(&t);
	MPI_Type_free(&dup);
	MPI_Type_free_keyval(&key);
}

int main(int argc, char **argv)
{
	static int finalized;
	int key;

	check_begin(&argc, &argv);
	with_callbacks();
	predefined_functions();
	refused();
	types();
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, &finalized);
	MPI_Barrier(WORLD);
	MPI_Finalize();
	if (!finalized)
		return 1;
	if (rank == 0)
		puts("PASS attributes");
	return 0;
}
