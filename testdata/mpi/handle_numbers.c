/* Are handles of every kind numbers that go to int and back, as Fortran has them, null handles too (MPI 5.0)? */
#include "check.h"

/* Live and null handles; a predefined one has a number that is not 0. */
#define ROUND(Kind, Type, ...)                                                                                                          \
	do {                                                                                                                            \
		Type all[] = {__VA_ARGS__};                                                                                             \
		for (int i = 0; i < LEN(all); i++) {                                                                                    \
			int number = MPI_##Kind##_toint(all[i]);                                                                        \
			CHECK(MPI_##Kind##_fromint(number) == all[i]);                                                                  \
			CHECK_INT(number, MPI_##Kind##_c2f(all[i]));                                                                    \
			CHECK(MPI_##Kind##_f2c(number) == all[i]);                                                                      \
			for (int j = 0; j < i; j++)                                                                                     \
				CHECK(MPI_##Kind##_toint(all[j]) != number);                                                            \
		}                                                                                                                       \
	} while (0)

static int on_error_calls;

static void on_error(MPI_Comm *c, int *code, ...)
{
	(void)c;
	(void)code;
	on_error_calls++;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* What comes back from a number is the object itself. */
static void objects(void)
{
	int one = 1, two = 0, n, flag;
	MPI_Comm dup;
	MPI_Group group;
	MPI_Datatype type;
	MPI_Op op;
	MPI_Info info;
	MPI_Errhandler handler;
	MPI_Request r;
	MPI_Message m;
	MPI_Session s;

	MPI_Comm_dup(WORLD, &dup);
	MPI_Comm_group(dup, &group);
	MPI_Type_contiguous(3, MPI_INT, &type);
	MPI_Op_create(add, 1, &op);
	MPI_Info_create(&info);
	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	MPI_Isend(&one, 1, MPI_INT, rank, 1, dup, &r);
	MPI_Mprobe(rank, 1, dup, &m, MPI_STATUS_IGNORE);
	ROUND(Comm, MPI_Comm, dup, WORLD, MPI_COMM_SELF, MPI_COMM_NULL);
	ROUND(Group, MPI_Group, group, MPI_GROUP_EMPTY, MPI_GROUP_NULL);
	ROUND(Type, MPI_Datatype, type, MPI_INT, MPI_DOUBLE_INT, MPI_INTEGER, MPI_DATATYPE_NULL);
	ROUND(Op, MPI_Op, op, MPI_SUM, MPI_REPLACE, MPI_OP_NULL);
	ROUND(Info, MPI_Info, info, MPI_INFO_ENV, MPI_INFO_NULL);
	ROUND(Errhandler, MPI_Errhandler, handler, MPI_ERRORS_RETURN, MPI_ERRORS_ABORT, MPI_ERRORS_ARE_FATAL, MPI_ERRHANDLER_NULL);
	ROUND(Request, MPI_Request, r, MPI_REQUEST_NULL);
	ROUND(Message, MPI_Message, m, MPI_MESSAGE_NO_PROC, MPI_MESSAGE_NULL);
	ROUND(Session, MPI_Session, s, MPI_SESSION_NULL);
	ROUND(Win, MPI_Win, MPI_WIN_NULL);
	ROUND(File, MPI_File, MPI_FILE_NULL);

	m = MPI_Message_fromint(MPI_Message_toint(m));
	MPI_Mrecv(&two, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	CHECK_INT(two, 1);
	r = MPI_Request_fromint(MPI_Request_toint(r));
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK(r == MPI_REQUEST_NULL);
	MPI_Allreduce(&one, &two, 1, MPI_INT, MPI_Op_fromint(MPI_Op_toint(op)), MPI_Comm_fromint(MPI_Comm_toint(dup)));
	CHECK_INT(two, size);
	MPI_Group_size(MPI_Group_fromint(MPI_Group_toint(group)), &n);
	CHECK_INT(n, size);
	MPI_Type_size(MPI_Type_fromint(MPI_Type_toint(type)), &n);
	CHECK_INT(n, 12);
	MPI_Info_set(MPI_Info_fromint(MPI_Info_toint(info)), "key", "value");
	MPI_Info_get_valuelen(info, "key", &n, &flag);
	CHECK(flag && n == 5);
	MPI_Comm_set_errhandler(dup, MPI_Errhandler_fromint(MPI_Errhandler_toint(handler)));
	MPI_Comm_call_errhandler(dup, MPI_ERR_OTHER);
	CHECK_INT(on_error_calls, 1);

	MPI_Session_finalize(&s);
	MPI_Errhandler_free(&handler);
	MPI_Info_free(&info);
	MPI_Op_free(&op);
	MPI_Type_free(&type);
	MPI_Group_free(&group);
	MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	objects();
	return check_end("handle_numbers");
}
