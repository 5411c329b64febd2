/* Is every wrong argument of a point-to-point call found, and has the error its class? */
#include "check.h"

static int buf[8];
static MPI_Request r = MPI_REQUEST_NULL, null = MPI_REQUEST_NULL;

typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static MPI_Datatype uncommitted;
static MPI_Comm freed_comm;

static const struct wrong {
	int count, type, peer, tag, comm, class; /* type: 0 good, 1 null, 2 not committed; comm: 0 good, 1 null, 2 freed */
} wrongs[] = {
	{.count = -1, .class = MPI_ERR_COUNT}, {.type = 1, .class = MPI_ERR_TYPE}, {.type = 2, .class = MPI_ERR_TYPE},
	{.peer = 1000000, .class = MPI_ERR_RANK}, {.peer = -5, .class = MPI_ERR_RANK}, {.tag = -5, .class = MPI_ERR_TAG},
	{.comm = 1, .class = MPI_ERR_COMM}, {.comm = 2, .class = MPI_ERR_COMM},
};

static MPI_Datatype type_of(const struct wrong *w)
{
	return w->type == 1 ? MPI_DATATYPE_NULL : w->type == 2 ? uncommitted : MPI_INT;
}

static MPI_Comm comm_of(const struct wrong *w)
{
	return w->comm == 1 ? MPI_COMM_NULL : w->comm == 2 ? freed_comm : WORLD;
}

static void transfers(void)
{
	static send_function *const sends[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
	static isend_function *const isends[] = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend, MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init,
						 MPI_Rsend_init};

	for (int i = 0; i < LEN(wrongs); i++) {
		const struct wrong *w = &wrongs[i];
		int count = w->count ? w->count : 1, peer = w->peer ? w->peer : rank, tag = w->tag;
		MPI_Datatype type = type_of(w);
		MPI_Comm comm = comm_of(w);
		for (int k = 0; k < LEN(sends); k++)
			CHECK_FAILS(sends[k](buf, count, type, peer, tag, comm), w->class);
		for (int k = 0; k < LEN(isends); k++)
			CHECK_FAILS(isends[k](buf, count, type, peer, tag, comm, &r), w->class);
		CHECK_FAILS(MPI_Recv(buf, count, type, peer, tag, comm, MPI_STATUS_IGNORE), w->class);
		CHECK_FAILS(MPI_Irecv(buf, count, type, peer, tag, comm, &r), w->class);
		CHECK_FAILS(MPI_Recv_init(buf, count, type, peer, tag, comm, &r), w->class);
		CHECK_FAILS(MPI_Sendrecv(buf, count, type, peer, tag, buf + 4, 1, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE), w->class);
		CHECK_FAILS(MPI_Sendrecv(buf, 1, MPI_INT, rank, 0, buf + 4, count, type, peer, tag, comm, MPI_STATUS_IGNORE), w->class);
		CHECK_FAILS(MPI_Sendrecv_replace(buf, count, type, peer, tag, rank, 0, comm, MPI_STATUS_IGNORE), w->class);
		if (w->count || w->type)
			continue;
		CHECK_FAILS(MPI_Probe(peer, tag, comm, MPI_STATUS_IGNORE), w->class);
	}
	CHECK_FAILS(MPI_Send(NULL, 1, MPI_INT, rank, 0, WORLD), MPI_ERR_BUFFER);
	CHECK_FAILS(MPI_Recv(NULL, 1, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
}

static void pointers(void)
{
	int flag;

	CHECK_FAILS(MPI_Isend(buf, 1, MPI_INT, rank, 0, WORLD, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Irecv(buf, 1, MPI_INT, rank, 0, WORLD, NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Wait(NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Test(&null, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Iprobe(rank, 0, WORLD, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Start(NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Cancel(NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Request_free(NULL), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Test_cancelled(MPI_STATUS_IGNORE, &flag), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &flag), MPI_ERR_ARG);
}

static void requests(void)
{
	MPI_Request bad = (MPI_Request)(size_t)0x7ffffff0, twice[2], active;
	int flag, index, indices[2], n;

	CHECK_FAILS(MPI_Wait(&bad, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Test(&bad, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Start(&bad), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Start(&null), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Cancel(&null), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Request_free(&null), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Waitall(-1, &null, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Waitany(-1, &null, &index, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Testsome(-1, &null, &n, indices, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Startall(-1, &null), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST);

	MPI_Irecv(buf, 1, MPI_INT, rank, 3, WORLD, &active);
	CHECK_FAILS(MPI_Start(&active), MPI_ERR_REQUEST);
	twice[0] = twice[1] = active;
	CHECK_FAILS(MPI_Waitall(2, twice, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Pready(0, active), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Parrived(active, 0, &flag), MPI_ERR_REQUEST);
	MPI_Send(buf + 1, 1, MPI_INT, rank, 3, WORLD);
	MPI_Wait(&active, MPI_STATUS_IGNORE);
	CHECK_FAILS(MPI_Wait(&twice[0], MPI_STATUS_IGNORE), MPI_ERR_REQUEST);

	MPI_Send_init(buf, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &active);
	MPI_Start(&active);
	CHECK_FAILS(MPI_Start(&active), MPI_ERR_REQUEST);
	MPI_Wait(&active, MPI_STATUS_IGNORE);
	CHECK_FAILS(MPI_Cancel(&active), MPI_ERR_REQUEST);
	MPI_Request_free(&active);
}

static void messages(void)
{
	MPI_Message m = MPI_MESSAGE_NULL;

	CHECK_FAILS(MPI_Mrecv(buf, 1, MPI_INT, &m, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Imrecv(buf, 1, MPI_INT, &m, &r), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Mprobe(rank, 0, WORLD, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
}

static void partitions(void)
{
	MPI_Request p[2];
	int list[] = {0, 7}, flag;

	CHECK_FAILS(MPI_Psend_init(buf, 0, 1, MPI_INT, rank, 0, WORLD, MPI_INFO_NULL, &r), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Psend_init(buf, 1, -1, MPI_INT, rank, 0, WORLD, MPI_INFO_NULL, &r), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Precv_init(buf, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_INFO_NULL, &r), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Precv_init(buf, 1, 1, MPI_INT, rank, MPI_ANY_TAG, WORLD, MPI_INFO_NULL, &r), MPI_ERR_TAG);
	MPI_Psend_init(buf, 2, 1, MPI_INT, rank, 0, WORLD, MPI_INFO_NULL, &p[0]);
	MPI_Precv_init(buf + 4, 2, 1, MPI_INT, rank, 0, WORLD, MPI_INFO_NULL, &p[1]);
	CHECK_FAILS(MPI_Pready(0, p[0]), MPI_ERR_REQUEST);
	MPI_Startall(2, p);
	CHECK_FAILS(MPI_Pready(2, p[0]), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Pready_range(1, 2, p[0]), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Pready_list(-1, list, p[0]), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Pready_list(2, list, p[0]), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Pready(0, p[0]), MPI_ERR_ARG); /* the list has readied it */
	CHECK_FAILS(MPI_Pready(0, p[1]), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Parrived(p[1], 2, &flag), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Parrived(p[0], 0, &flag), MPI_ERR_REQUEST);
	CHECK_FAILS(MPI_Cancel(&p[0]), MPI_ERR_REQUEST);
	MPI_Pready(1, p[0]);
	MPI_Waitall(2, p, MPI_STATUSES_IGNORE);
	MPI_Request_free(&p[0]);
	MPI_Request_free(&p[1]);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Type_contiguous(2, MPI_INT, &uncommitted);
	MPI_Comm_dup(WORLD, &freed_comm);
	MPI_Comm keep = freed_comm;
	MPI_Comm_free(&keep);
	transfers();
	pointers();
	requests();
	messages();
	partitions();
	MPI_Type_free(&uncommitted);
	return check_end("p2p_arguments");
}
