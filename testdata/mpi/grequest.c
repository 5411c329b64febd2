/* Are the callbacks of generalized requests called at the right moments, with the right status, alone and among other requests? */
#include "check.h"

struct state {
	int queries, frees, cancels, cancel_complete;
	int fail; /* what query returns */
	int cancelled;
};

static int query(void *extra, MPI_Status *status)
{
	struct state *s = extra;

	s->queries++;
	MPI_Status_set_elements(status, MPI_INT, 3);
	MPI_Status_set_cancelled(status, s->cancelled);
	status->MPI_SOURCE = 11;
	status->MPI_TAG = 12;
	return s->fail;
}

static int release(void *extra)
{
	((struct state *)extra)->frees++;
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	struct state *s = extra;

	s->cancels++;
	s->cancel_complete = complete;
	if (!complete)
		s->cancelled = 1;
	return MPI_SUCCESS;
}

static MPI_Request start(struct state *s)
{
	MPI_Request r;

	memset(s, 0, sizeof *s);
	MPI_Grequest_start(query, release, cancel, s, &r);
	return r;
}

static void expect_status(const MPI_Status *status, int cancelled)
{
	int count, flag;

	MPI_Get_count(status, MPI_INT, &count);
	MPI_Test_cancelled(status, &flag);
	CHECK_INT(count, 3);
	CHECK_INT(flag != 0, cancelled);
	CHECK_INT(status->MPI_SOURCE, 11);
	CHECK_INT(status->MPI_TAG, 12);
}

static void one(void)
{
	struct state s;
	MPI_Status status;
	MPI_Request r = start(&s);
	int flag = -1;

	MPI_Test(&r, &flag, &status);
	CHECK_INT(flag, 0);
	CHECK_INT(s.queries, 0);
	MPI_Grequest_complete(r);
	CHECK_INT(s.queries, 0);
	MPI_Request_get_status(r, &flag, &status);
	CHECK_INT(flag, 1);
	CHECK(s.queries >= 1);
	CHECK_INT(s.frees, 0);
	expect_status(&status, 0);
	MPI_Wait(&r, &status);
	CHECK(r == MPI_REQUEST_NULL);
	CHECK_INT(s.frees, 1);
	expect_status(&status, 0);
}

static void ignored_status(void)
{
	struct state s;
	MPI_Request r = start(&s);

	MPI_Grequest_complete(r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK_INT(s.queries, 1);
	CHECK_INT(s.frees, 1);
}

static void cancelled(void)
{
	struct state s;
	MPI_Status status;
	MPI_Request r = start(&s);

	MPI_Cancel(&r);
	CHECK_INT(s.cancels, 1);
	CHECK_INT(s.cancel_complete, 0);
	MPI_Grequest_complete(r);
	MPI_Cancel(&r);
	CHECK_INT(s.cancels, 2);
	CHECK(s.cancel_complete);
	MPI_Wait(&r, &status);
	expect_status(&status, 1);
}

static void freed(void)
{
	struct state before, after;
	MPI_Request r = start(&before), kept;

	MPI_Grequest_complete(r);
	MPI_Request_free(&r);
	CHECK(r == MPI_REQUEST_NULL);
	CHECK_INT(before.frees, 1);
	r = kept = start(&after);
	MPI_Request_free(&r);
	CHECK_INT(after.frees, 0);
	MPI_Grequest_complete(kept);
	CHECK_INT(after.frees, 1);
	CHECK_INT(after.queries, 0);
}

static void mixed(void)
{
	struct state s[2];
	MPI_Request r[5];
	MPI_Status status[5];
	int in = -1, out = 77, index = -1, flag = -1;

	MPI_Irecv(&in, 1, MPI_INT, rank, 5, WORLD, &r[0]);
	r[1] = start(&s[0]);
	r[2] = MPI_REQUEST_NULL;
	MPI_Isend(&out, 1, MPI_INT, rank, 5, WORLD, &r[3]);
	r[4] = start(&s[1]);
	MPI_Testall(5, r, &flag, status);
	CHECK_INT(flag, 0);
	MPI_Grequest_complete(r[4]);
	CHECK_INT(s[1].frees, 0);
	MPI_Grequest_complete(r[1]);
	MPI_Waitall(5, r, status);
	CHECK_INT(in, 77);
	CHECK_INT(s[0].frees, 1);
	CHECK_INT(s[1].frees, 1);
	expect_status(&status[1], 0);
	expect_status(&status[4], 0);
	CHECK_INT(status[0].MPI_SOURCE, rank);

	r[0] = start(&s[0]);
	r[1] = start(&s[1]);
	MPI_Testany(2, r, &index, &flag, status);
	CHECK_INT(flag, 0);
	MPI_Grequest_complete(r[1]);
	MPI_Testany(2, r, &index, &flag, status);
	CHECK_INT(flag, 1);
	CHECK_INT(index, 1);
	CHECK(r[1] == MPI_REQUEST_NULL);
	expect_status(status, 0);
	MPI_Grequest_complete(r[0]);
	MPI_Waitsome(2, r, &out, &index, status);
	CHECK_INT(out, 1);
	CHECK_INT(index, 0);
	CHECK_INT(s[0].frees, 1);
}

static void failing(void)
{
	struct state s;
	MPI_Request r[2] = {start(&s), MPI_REQUEST_NULL};
	MPI_Status status[2];

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	s.fail = MPI_ERR_OTHER;
	MPI_Grequest_complete(r[0]);
	CHECK_FAILS(MPI_Waitall(2, r, status), MPI_ERR_IN_STATUS);
	CHECK_FAILS(status[0].MPI_ERROR, MPI_ERR_OTHER);
	CHECK_INT(s.frees, 1);
	MPI_Irecv(&s, 0, MPI_INT, rank, 5, WORLD, &r[0]);
	CHECK_FAILS(MPI_Grequest_complete(r[0]), MPI_ERR_REQUEST);
	MPI_Send(&s, 0, MPI_INT, rank, 5, WORLD);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	one();
	ignored_status();
	cancelled();
	freed();
	mixed();
	failing();
	return check_end("grequest");
}
