/* Have datatypes attributes of their own, predefined ones too, copied at dup, deleted at free, and do keys keep to their kind of object? */
#include "check.h"

static int copies, deletes;
static MPI_Datatype type_seen;
static void *value_seen;

static int copy(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
	(void)keyval;
	copies++;
	type_seen = type;
	*(void **)out = (char *)in + *(int *)extra;
	*flag = *(int *)extra >= 0;
	return *(int *)extra == 99 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int delete(MPI_Datatype type, int keyval, void *value, void *extra)
{
	(void)keyval, (void)extra;
	deletes++;
	type_seen = type;
	value_seen = value;
	return MPI_SUCCESS;
}

static void *get(MPI_Datatype type, int key)
{
	void *value = NULL;
	int flag;

	MPI_Type_get_attr(type, key, &value, &flag);
	return flag ? value : NULL;
}

static char place[128];

static void dup_and_free(MPI_Datatype type)
{
	static int step = 3;
	MPI_Datatype dup;
	int key, dup_key, null_key;

	copies = deletes = 0;
	MPI_Type_create_keyval(copy, delete, &key, &step);
	MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &dup_key, NULL);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &null_key, NULL);
	CHECK(!get(type, key));
	MPI_Type_set_attr(type, key, place);
	MPI_Type_set_attr(type, dup_key, place + 1);
	MPI_Type_set_attr(type, null_key, place + 2);
	CHECK(get(type, key) == place);
	MPI_Type_dup(type, &dup);
	CHECK(copies == 1 && type_seen == type);
	CHECK(get(dup, key) == place + 3 && get(dup, dup_key) == place + 1 && !get(dup, null_key));
	MPI_Type_set_attr(dup, key, place + 9);
	CHECK(deletes == 1 && value_seen == place + 3 && type_seen == dup);
	MPI_Type_free(&dup);
	CHECK(deletes == 2 && value_seen == place + 9);
	MPI_Type_delete_attr(type, key);
	CHECK(deletes == 3 && value_seen == place && !get(type, key));
	MPI_Type_delete_attr(type, dup_key);
	MPI_Type_delete_attr(type, null_key);
	MPI_Type_free_keyval(&key);
	MPI_Type_free_keyval(&dup_key);
	MPI_Type_free_keyval(&null_key);
	CHECK(key == MPI_KEYVAL_INVALID);
}

/* A copy function that fails makes dup fail. */
static void failing(MPI_Datatype type)
{
	static int fail = 99;
	MPI_Datatype dup = MPI_DATATYPE_NULL;
	int key;

	MPI_Type_create_keyval(copy, MPI_TYPE_NULL_DELETE_FN, &key, &fail);
	MPI_Type_set_attr(type, key, place);
	CHECK(MPI_Type_dup(type, &dup) != MPI_SUCCESS);
	CHECK(dup == MPI_DATATYPE_NULL);
	MPI_Type_delete_attr(type, key);
	MPI_Type_free_keyval(&key);
}

static void kinds(MPI_Datatype type)
{
	int comm_key, type_key, win_key, flag;
	void *value;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, NULL);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &win_key, NULL);
	CHECK(MPI_Type_set_attr(type, comm_key, place) != MPI_SUCCESS);
	CHECK(MPI_Comm_set_attr(WORLD, type_key, place) != MPI_SUCCESS);
	CHECK(MPI_Comm_get_attr(WORLD, win_key, &value, &flag) != MPI_SUCCESS);
	CHECK(MPI_Type_set_attr(MPI_DATATYPE_NULL, type_key, place) != MPI_SUCCESS);
	MPI_Comm_free_keyval(&comm_key);
	MPI_Type_free_keyval(&type_key);
	MPI_Win_free_keyval(&win_key);
}

int main(int argc, char **argv)
{
	MPI_Datatype mine;

	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Type_vector(2, 1, 2, MPI_INT, &mine);
	dup_and_free(mine);
	dup_and_free(MPI_INT);
	failing(mine);
	kinds(mine);
	MPI_Type_free(&mine);
	return check_end("attributes_types");
}
