/* Does Comm_idup give communicators that work once its request is complete, many at once, on any communicator, with attributes
 * copied in the call? */
#include "check.h"

static int copied;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)comm, (void)key, (void)extra;
	copied++;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static int refuse(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)comm, (void)key, (void)extra, (void)in, (void)out;
	*flag = 0;
	return MPI_ERR_OTHER;
}

static void ring(MPI_Comm comm)
{
	int me, n, got, sum;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 1, &got, 1, MPI_INT, (me + n - 1) % n, 1, comm, MPI_STATUS_IGNORE);
	CHECK_INT(got, (me + n - 1) % n);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK_INT(sum, n * (n - 1) / 2);
}

static void one(MPI_Comm comm)
{
	MPI_Comm dup;
	MPI_Request req;
	int result;

	MPI_Comm_idup(comm, &dup, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Comm_compare(comm, dup, &result);
	CHECK_INT(result, MPI_CONGRUENT);
	ring(dup);
	MPI_Comm_free(&dup);
}

/* Those of one communicator start in the same order everywhere and are waited for in any. */
static void many(void)
{
	enum { N = 20 };
	MPI_Comm dup[N], half, halves[N];
	MPI_Request req[2 * N];

	MPI_Comm_split(WORLD, rank % 2, rank, &half);
	for (int i = 0; i < N; i++) {
		MPI_Comm_idup(WORLD, &dup[i], &req[2 * i]);
		MPI_Comm_idup(half, &halves[i], &req[2 * i + 1]);
	}
	MPI_Comm_free(&half);
	MPI_Barrier(WORLD);
	for (int i = 2 * N - 1; i >= 0; i--)
		MPI_Wait(&req[i], MPI_STATUS_IGNORE);
	for (int i = 0; i < N; i++) {
		ring(dup[i]);
		ring(halves[i]);
		MPI_Comm_free(&dup[i]);
		MPI_Comm_free(&halves[i]);
	}
}

static void attributes(void)
{
	int key, flag, value = 5, *got;
	MPI_Comm comm, dup;
	MPI_Request req;

	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(comm, key, &value);
	copied = 0;
	MPI_Comm_idup(comm, &dup, &req);
	CHECK_INT(copied, 1);
	MPI_Comm_delete_attr(comm, key);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Comm_get_attr(dup, key, &got, &flag);
	CHECK(flag && got == &value);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&comm);
	MPI_Comm_free_keyval(&key);
}

static void refused(void)
{
	int key;
	MPI_Comm comm, dup;
	MPI_Request req;

	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(comm, key, NULL);
	CHECK_FAILS(MPI_Comm_idup(comm, &dup, &req), MPI_ERR_OTHER);
	CHECK_FAILS(MPI_Comm_dup(comm, &dup), MPI_ERR_OTHER);
	CHECK(dup == MPI_COMM_NULL);
	MPI_Comm_free(&comm);
	MPI_Comm_free_keyval(&key);
}

static void with_info(void)
{
	MPI_Info info, got;
	MPI_Comm dup;
	MPI_Request req;
	char value[MPI_MAX_INFO_VAL];
	int flag;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
	MPI_Comm_idup_with_info(WORLD, info, &dup, &req);
	MPI_Info_free(&info);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Comm_get_info(dup, &got);
	MPI_Info_get(got, "mpi_assert_no_any_tag", MPI_MAX_INFO_VAL - 1, value, &flag);
	CHECK(!flag || !strcmp(value, "true"));
	MPI_Info_free(&got);
	ring(dup);
	MPI_Comm_free(&dup);
}

static void across(void)
{
	MPI_Comm half, inter, dup, merged;
	MPI_Request req;
	int high = rank >= size / 2, n, result;

	MPI_Comm_split(WORLD, high, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, high ? 0 : size / 2, 0, &inter);
	MPI_Comm_idup(inter, &dup, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Comm_compare(inter, dup, &result);
	CHECK_INT(result, MPI_CONGRUENT);
	MPI_Comm_free(&inter);
	MPI_Comm_remote_size(dup, &n);
	CHECK_INT(n, high ? size / 2 : size - size / 2);
	MPI_Intercomm_merge(dup, high, &merged);
	ring(merged);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	one(WORLD);
	one(MPI_COMM_SELF);
	many();
	attributes();
	refused();
	with_info();
	if (size > 1)
		across();
	return check_end("comm_idup");
}
