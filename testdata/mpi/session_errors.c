/* Do calls that are given an error handler, or a session, raise what is wrong with their other arguments there, and not on MPI_COMM_SELF? */
#include "check.h"

static void opening(void)
{
	MPI_Session s = MPI_SESSION_NULL;
	MPI_Info info;

	CHECK_FAILS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
	MPI_Info_create(&info);
	MPI_Info_set(info, "thread_level", "MPI_THREAD_SOME");
	CHECK_FAILS(MPI_Session_init(info, MPI_ERRORS_RETURN, &s), MPI_ERR_INFO_VALUE);
	CHECK(s == MPI_SESSION_NULL);
	MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
	CHECK_INT(MPI_Session_init(info, MPI_ERRORS_RETURN, &s), MPI_SUCCESS);
	MPI_Info_free(&info);
	MPI_Session_finalize(&s);
}

static void asking(void)
{
	MPI_Session s;
	MPI_Info info, freed;
	MPI_Group g;
	int n;

	MPI_Info_create(&info);
	freed = info;
	MPI_Info_free(&info);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	CHECK_FAILS(MPI_Session_get_num_psets(s, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Session_get_num_psets(s, freed, &n), MPI_ERR_INFO);
	CHECK_FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 0, NULL, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Session_get_nth_pset(s, freed, 0, &n, NULL), MPI_ERR_INFO);
	CHECK_FAILS(MPI_Session_get_pset_info(s, NULL, &info), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Session_get_info(s, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Session_get_errhandler(s, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Session_detach_buffer(s, NULL, &n), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Session_iflush_buffer(s, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Group_from_session_pset(s, NULL, &g), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Group_from_session_pset(s, "mpi://WORLD", NULL), MPI_ERR_ARG);
	MPI_Session_finalize(&s);
}

static void making(void)
{
	MPI_Group self;
	MPI_Info info, freed;
	MPI_Comm c;

	MPI_Info_create(&info);
	freed = info;
	MPI_Info_free(&info);
	MPI_Comm_group(MPI_COMM_SELF, &self);
	CHECK_FAILS(MPI_Comm_create_from_group(self, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Comm_create_from_group(self, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Comm_create_from_group(self, "tag", freed, MPI_ERRORS_RETURN, &c), MPI_ERR_INFO);
	CHECK_FAILS(MPI_Comm_create_from_group(MPI_GROUP_NULL, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c), MPI_ERR_GROUP);
	CHECK(c == MPI_COMM_NULL);
	CHECK_FAILS(MPI_Intercomm_create_from_groups(self, 0, self, 0, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Intercomm_create_from_groups(self, 0, self, 0, "tag", freed, MPI_ERRORS_RETURN, &c), MPI_ERR_INFO);
	MPI_Group_free(&self);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	opening();
	asking();
	making();
	return check_end("session_errors");
}
