/* Do the calls of old programs that MPI still has work: keyvals and attributes by their first names, and calls for what is not there? */
#include "check.h"

static int copies, deletes;

static int on_copy(MPI_Comm c, int key, void *extra, void *value, void *out, int *flag)
{
	CHECK(c == WORLD && key != MPI_KEYVAL_INVALID && extra == &copies);
	copies++;
	*(void **)out = (char *)value + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static int on_delete(MPI_Comm c, int key, void *value, void *extra)
{
	(void)key;
	CHECK(c != MPI_COMM_NULL && value && extra == &copies);
	deletes++;
	return MPI_SUCCESS;
}

static void attributes(void)
{
	static char data[4];
	void *value = NULL;
	int key = MPI_KEYVAL_INVALID, flag = -1;
	MPI_Comm dup;

	MPI_Keyval_create(on_copy, on_delete, &key, &copies);
	CHECK(key != MPI_KEYVAL_INVALID);
	MPI_Attr_get(WORLD, key, &value, &flag);
	CHECK_INT(flag, 0);
	MPI_Attr_put(WORLD, key, data);
	MPI_Comm_get_attr(WORLD, key, &value, &flag);
	CHECK(flag && value == data);
	MPI_Comm_dup(WORLD, &dup);
	CHECK_INT(copies, 1);
	MPI_Attr_get(dup, key, &value, &flag);
	CHECK(flag && value == data + 1);
	MPI_Attr_delete(dup, key);
	CHECK_INT(deletes, 1);
	MPI_Attr_get(dup, key, &value, &flag);
	CHECK_INT(flag, 0);
	MPI_Comm_free(&dup);
	CHECK_INT(deletes, 1);
	MPI_Attr_delete(WORLD, key);
	CHECK_INT(deletes, 2);
	MPI_Keyval_free(&key);
	CHECK(key == MPI_KEYVAL_INVALID);
	MPI_Attr_get(WORLD, MPI_TAG_UB, &value, &flag);
	CHECK(flag && *(int *)value >= 32767);
}

/* Predefined functions, by the old names. */
static void predefined_functions(void)
{
	int keep, drop, flag, data;
	void *value;
	MPI_Comm dup;

	MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keep, NULL);
	MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &drop, NULL);
	MPI_Attr_put(WORLD, keep, &data);
	MPI_Attr_put(WORLD, drop, &data);
	MPI_Comm_dup(WORLD, &dup);
	MPI_Attr_get(dup, keep, &value, &flag);
	CHECK(flag && value == &data);
	MPI_Attr_get(dup, drop, &value, &flag);
	CHECK_INT(flag, 0);
	MPI_Comm_free(&dup);
	MPI_Attr_delete(WORLD, keep);
	MPI_Attr_delete(WORLD, drop);
	MPI_Keyval_free(&keep);
	MPI_Keyval_free(&drop);
}

/* Types by decimal precision and range: the same arguments give the same type, which is named and cannot be freed. */
static void fortran_types(void)
{
	static const struct { int range, bytes; } integers[] = {{2, 1}, {4, 2}, {9, 4}, {18, 8}};
	MPI_Datatype t, again;
	int size;

	for (int i = 0; i < LEN(integers); i++) {
		MPI_Type_create_f90_integer(integers[i].range, &t);
		MPI_Type_create_f90_integer(integers[i].range, &again);
		CHECK(t == again);
		MPI_Type_size(t, &size);
		CHECK_INT(size, integers[i].bytes);
	}
	MPI_Type_create_f90_complex(15, 307, &t);
	MPI_Type_size(t, &size);
	CHECK_INT(size, 16);
	MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &t);
	MPI_Type_size(t, &size);
	CHECK_INT(size, 8);
	MPI_Type_create_f90_real(MPI_UNDEFINED, 100, &t);
	MPI_Type_size(t, &size);
	CHECK_INT(size, 8);
}

static void not_there(void)
{
	MPI_Comm parent = WORLD;
	MPI_Errhandler h;

	MPI_Comm_get_parent(&parent);
	CHECK(parent == MPI_COMM_NULL);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	CHECK_FAILS(MPI_Win_set_errhandler(MPI_WIN_NULL, MPI_ERRORS_RETURN), MPI_ERR_WIN);
	CHECK_FAILS(MPI_Win_get_errhandler(MPI_WIN_NULL, &h), MPI_ERR_WIN);
	CHECK_FAILS(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_OTHER), MPI_ERR_WIN);
	CHECK(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL);
	CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	attributes();
	predefined_functions();
	fortran_types();
	not_there();
	return check_end("deprecated");
}
