/* Do sessions open without MPI_Init, several at once, before and after it; give process sets, groups and communicators; and raise
 * errors on their own handlers? */
#include "check.h"

static int caught_session, caught_comm;

static void on_session(MPI_Session *session, int *code, ...)
{
	CHECK(*session != MPI_SESSION_NULL);
	caught_session = check_class(*code);
}

static void on_comm(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	caught_comm = check_class(*code);
}

static MPI_Session open_session(void)
{
	MPI_Session s;

	CHECK_INT(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s), MPI_SUCCESS);
	CHECK(s != MPI_SESSION_NULL);
	return s;
}

static MPI_Comm comm_of(MPI_Session s, const char *pset, const char *tag)
{
	MPI_Group g;
	MPI_Comm c;

	MPI_Group_from_session_pset(s, pset, &g);
	MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
	MPI_Group_free(&g);
	return c;
}

static void psets(MPI_Session s)
{
	int n, length, flag, seen = 0;
	char name[MPI_MAX_PSET_NAME_LEN], value[64];
	MPI_Info info;

	MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n);
	CHECK(n >= 2);
	for (int i = 0; i < n; i++) {
		length = 0;
		MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &length, NULL);
		CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN);
		MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &length, name);
		CHECK_INT(length, strlen(name) + 1);
		int world = !strcmp(name, "mpi://WORLD"), self = !strcmp(name, "mpi://SELF");
		seen |= world | self << 1;
		MPI_Session_get_pset_info(s, name, &info);
		length = sizeof value;
		MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
		CHECK(flag);
		if (world || self)
			CHECK_INT(atoi(value), self ? 1 : size);
		MPI_Info_free(&info);
	}
	CHECK_INT(seen, 3);
	length = 4;
	MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 0, &length, name);
	CHECK_INT(strlen(name), 3);
}

static void info(void)
{
	MPI_Session s;
	MPI_Info in, used;
	char value[MPI_MAX_INFO_VAL];
	int flag, length = sizeof value;

	MPI_Info_create(&in);
	MPI_Info_set(in, "thread_level", "MPI_THREAD_SINGLE");
	MPI_Session_init(in, MPI_ERRORS_RETURN, &s);
	MPI_Info_free(&in);
	MPI_Session_get_info(s, &used);
	MPI_Info_get_string(used, "thread_level", &length, value, &flag);
	CHECK(flag && !strncmp(value, "MPI_THREAD_", 11));
	MPI_Info_free(&used);
	MPI_Session_finalize(&s);
	CHECK(s == MPI_SESSION_NULL);
}

static void errors(MPI_Session s)
{
	MPI_Errhandler h, got;
	MPI_Group g;
	MPI_Info none;
	int n = 0;

	MPI_Session_create_errhandler(on_session, &h);
	MPI_Session_set_errhandler(s, h);
	MPI_Session_get_errhandler(s, &got);
	CHECK(got == h);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&h);
	CHECK_FAILS(MPI_Group_from_session_pset(s, "mpi://nowhere", &g), MPI_ERR_ARG);
	CHECK_INT(caught_session, MPI_ERR_ARG);
	caught_session = 0;
	CHECK_FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 1000, &n, NULL), MPI_ERR_ARG);
	CHECK_INT(caught_session, MPI_ERR_ARG);
	CHECK_FAILS(MPI_Session_get_pset_info(s, "mpi://nowhere", &none), MPI_ERR_ARG);
	caught_session = 0;
	CHECK_INT(MPI_Session_call_errhandler(s, MPI_ERR_OTHER), MPI_SUCCESS);
	CHECK_INT(caught_session, MPI_ERR_OTHER);
	MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN);
}

/* Messages, attributes, sub-communicators, error handler of its own. */
static void use(MPI_Comm c)
{
	int me, n, sum, key, flag, *value;
	MPI_Comm dup, half;

	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &n);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, c);
	CHECK_INT(sum, n * (n - 1) / 2);
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 3, &sum, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, MPI_STATUS_IGNORE);
	CHECK_INT(sum, (me + n - 1) % n);
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(c, key, &me);
	MPI_Comm_dup(c, &dup);
	MPI_Comm_get_attr(dup, key, &value, &flag);
	CHECK(flag && value == &me);
	MPI_Comm_split(dup, me % 2, 0, &half);
	MPI_Barrier(half);
	MPI_Comm_free(&half);
	MPI_Comm_free(&dup);
	MPI_Comm_free_keyval(&key);
	CHECK_FAILS(MPI_Send(&me, 1, MPI_INT, n, 0, c), MPI_ERR_RANK);
}

static void handler_of_comm(MPI_Session s)
{
	MPI_Errhandler h;
	MPI_Group g;
	MPI_Comm c;

	MPI_Comm_create_errhandler(on_comm, &h);
	MPI_Group_from_session_pset(s, "mpi://self", &g);
	MPI_Comm_create_from_group(g, "org.example.one", MPI_INFO_NULL, h, &c);
	caught_comm = 0;
	MPI_Send(NULL, 0, MPI_INT, 7, 0, c);
	CHECK_INT(caught_comm, MPI_ERR_RANK);
	MPI_Comm_free(&c);
	caught_comm = 0;
	MPI_Comm_create_from_group(MPI_GROUP_NULL, "org.example.one", MPI_INFO_NULL, h, &c);
	CHECK_INT(caught_comm, MPI_ERR_GROUP);
	MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "org.example.one", MPI_INFO_NULL, h, &c);
	CHECK(c == MPI_COMM_NULL);
	MPI_Group_free(&g);
	MPI_Errhandler_free(&h);
}

/* Lower and upper half; the leaders are the last of the lower and the first of the upper one. */
static void across(MPI_Session s)
{
	MPI_Group all, low, high;
	MPI_Comm inter, merged;
	int cut = size / 2, n, lows[1][3] = {{0, cut - 1, 1}}, highs[1][3] = {{cut, size - 1, 1}};

	if (size < 2)
		return;
	MPI_Group_from_session_pset(s, "mpi://WORLD", &all);
	MPI_Group_range_incl(all, 1, lows, &low);
	MPI_Group_range_incl(all, 1, highs, &high);
	if (rank < cut)
		MPI_Intercomm_create_from_groups(low, cut - 1, high, 0, "across", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
	else
		MPI_Intercomm_create_from_groups(high, 0, low, cut - 1, "across", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
	MPI_Comm_remote_size(inter, &n);
	CHECK_INT(n, rank < cut ? size - cut : cut);
	MPI_Intercomm_merge(inter, rank >= cut, &merged);
	MPI_Comm_rank(merged, &n);
	CHECK_INT(n, rank);
	use(merged);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
	MPI_Group_free(&all);
	MPI_Group_free(&low);
	MPI_Group_free(&high);
}

static void whole(void)
{
	MPI_Session a = open_session(), b = open_session();
	MPI_Comm one = comm_of(a, "mpi://WORLD", "one"), two = comm_of(b, "mpi://WORLD", "two"), self = comm_of(b, "mpi://SELF", "three");
	int flag;

	MPI_Comm_rank(one, &rank);
	MPI_Comm_size(one, &size);
	MPI_Initialized(&flag);
	if (!flag) {
		MPI_Comm_compare(one, two, &flag);
		CHECK_INT(flag, MPI_CONGRUENT);
	}
	psets(a);
	use(one);
	use(two);
	use(self);
	MPI_Comm_disconnect(&one);
	CHECK(one == MPI_COMM_NULL);
	MPI_Session_finalize(&a);
	CHECK(a == MPI_SESSION_NULL);
	use(two);
	handler_of_comm(b);
	errors(b);
	across(b);
	MPI_Comm_free(&two);
	MPI_Comm_free(&self);
	MPI_Session_finalize(&b);
}

int main(int argc, char **argv)
{
	int flag, last;

	whole();
	info();
	MPI_Initialized(&flag);
	CHECK(!flag);
	check_begin(&argc, &argv);
	MPI_Session s = open_session();
	MPI_Comm c = comm_of(s, "mpi://WORLD", "inside");
	whole();
	use(c);
	MPI_Barrier(WORLD);
	last = rank;
	MPI_Finalize();
	use(c);
	MPI_Comm_free(&c);
	MPI_Session_finalize(&s);
	whole();
	if (last == 0)
		printf("PASS session\n");
	return 0;
}
