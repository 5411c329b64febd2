/* Do all point-to-point calls with large counts deliver what they are given, and do their counts come back large? */
#include "check.h"

#define N 100

typedef int sender(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int starter(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static sender *const senders[] = {MPI_Send_c, MPI_Ssend_c, MPI_Rsend_c, MPI_Bsend_c};
static starter *const starters[] = {MPI_Isend_c, MPI_Issend_c, MPI_Irsend_c, MPI_Ibsend_c};
static starter *const inits[] = {MPI_Send_init_c, MPI_Ssend_init_c, MPI_Rsend_init_c, MPI_Bsend_init_c};

static int out[N], in[N], left, right;
static MPI_Datatype half; /* N / 2 ints side by side, each a block of its own */

static void fresh(int salt)
{
	check_fill(out, N, salt + rank);
	check_wipe(in, N);
}

/* What the left neighbour sent, and its status. */
static void arrived(MPI_Status *s, int salt)
{
	MPI_Count n = -1;

	CHECK(check_filled(in, N, salt + left));
	CHECK_INT(s->MPI_SOURCE, left);
	MPI_Get_count_c(s, MPI_INT, &n);
	CHECK_INT(n, N);
	MPI_Get_count_c(s, half, &n);
	CHECK_INT(n, 2);
	MPI_Get_elements_c(s, half, &n);
	CHECK_INT(n, N);
}

/* All are receiving when the sends begin, as ready sends must have it. */
static void sends(void)
{
	MPI_Request r, s;
	MPI_Status status;

	for (int i = 0; i < LEN(senders); i++) {
		fresh(i);
		MPI_Irecv_c(in, N, MPI_INT, left, i, WORLD, &r);
		MPI_Barrier(WORLD);
		CHECK_INT(senders[i](out, N, MPI_INT, right, i, WORLD), MPI_SUCCESS);
		MPI_Wait(&r, &status);
		arrived(&status, i);

		fresh(i + 10);
		MPI_Irecv_c(in, N, MPI_INT, left, i, WORLD, &r);
		MPI_Barrier(WORLD);
		CHECK_INT(starters[i](out, N, MPI_INT, right, i, WORLD, &s), MPI_SUCCESS);
		MPI_Wait(&r, &status);
		MPI_Wait(&s, MPI_STATUS_IGNORE);
		arrived(&status, i + 10);
	}
}

static void persistent(void)
{
	MPI_Request r, s;
	MPI_Status status;

	for (int i = 0; i < LEN(inits); i++) {
		MPI_Recv_init_c(in, N, MPI_INT, left, i, WORLD, &r);
		CHECK_INT(inits[i](out, N, MPI_INT, right, i, WORLD, &s), MPI_SUCCESS);
		for (int turn = 0; turn < 3; turn++) {
			fresh(turn);
			MPI_Start(&r);
			MPI_Barrier(WORLD);
			MPI_Start(&s);
			MPI_Wait(&r, &status);
			MPI_Wait(&s, MPI_STATUS_IGNORE);
			arrived(&status, turn);
		}
		MPI_Request_free(&r);
		MPI_Request_free(&s);
	}
}

static void receives(void)
{
	MPI_Request s, r;
	MPI_Status status;
	MPI_Message m;

	fresh(1);
	MPI_Isend_c(out, 2, half, right, 1, WORLD, &s);
	MPI_Recv_c(in, N, MPI_INT, left, 1, WORLD, &status);
	MPI_Wait(&s, MPI_STATUS_IGNORE);
	arrived(&status, 1);

	fresh(2);
	MPI_Isend_c(out, N, MPI_INT, right, 2, WORLD, &s);
	MPI_Mprobe(left, 2, WORLD, &m, &status);
	MPI_Mrecv_c(in, 2, half, &m, &status);
	CHECK(m == MPI_MESSAGE_NULL);
	MPI_Wait(&s, MPI_STATUS_IGNORE);
	arrived(&status, 2);

	fresh(3);
	MPI_Isend_c(out, N, MPI_INT, right, 3, WORLD, &s);
	MPI_Mprobe(left, 3, WORLD, &m, &status);
	MPI_Imrecv_c(in, N, MPI_INT, &m, &r);
	MPI_Wait(&r, &status);
	MPI_Wait(&s, MPI_STATUS_IGNORE);
	arrived(&status, 3);
}

static void exchanges(void)
{
	MPI_Request r;
	MPI_Status status;

	fresh(1);
	MPI_Sendrecv_c(out, N, MPI_INT, right, 1, in, 2, half, left, 1, WORLD, &status);
	arrived(&status, 1);
	fresh(2);
	memcpy(in, out, sizeof in);
	MPI_Sendrecv_replace_c(in, N, MPI_INT, right, 2, left, 2, WORLD, &status);
	arrived(&status, 2);
	fresh(3);
	MPI_Isendrecv_c(out, N, MPI_INT, right, 3, in, N, MPI_INT, left, 3, WORLD, &r);
	MPI_Wait(&r, &status);
	arrived(&status, 3);
	fresh(4);
	memcpy(in, out, sizeof in);
	MPI_Isendrecv_replace_c(in, N, MPI_INT, right, 4, left, 4, WORLD, &r);
	MPI_Wait(&r, &status);
	arrived(&status, 4);
}

static void packs(void)
{
	char room[4 * N + 200];
	MPI_Count size = -1, at = 0;

	fresh(1);
	MPI_Pack_size_c(N, MPI_INT, WORLD, &size);
	CHECK(size >= 4 * N && size <= LEN(room));
	MPI_Pack_c(out, N / 2, MPI_INT, room, size, &at, WORLD);
	MPI_Pack_c(out + N / 2, 1, half, room, size, &at, WORLD);
	CHECK(at <= size);
	at = 0;
	MPI_Unpack_c(room, size, &at, in, 1, half, WORLD);
	MPI_Unpack_c(room, size, &at, in + N / 2, N / 2, MPI_INT, WORLD);
	CHECK(!memcmp(in, out, sizeof in));

	fresh(2);
	at = 0;
	MPI_Pack_external_size_c("external32", N, MPI_INT, &size);
	CHECK_INT(size, 4 * N);
	MPI_Pack_external_c("external32", out, 2, half, room, size, &at);
	CHECK_INT(at, size);
	CHECK((unsigned char)room[3] == (out[0] & 0xff));
	at = 0;
	MPI_Unpack_external_c("external32", room, size, &at, in, N, MPI_INT);
	CHECK_INT(at, size);
	CHECK(!memcmp(in, out, sizeof in));
}

static void statuses(void)
{
	MPI_Count big = ((MPI_Count)1 << 40) + 1, n;
	MPI_Status s;
	int few;

	memset(&s, 0, sizeof s);
	MPI_Status_set_elements_x(&s, MPI_INT, big);
	MPI_Get_elements_c(&s, MPI_INT, &n);
	CHECK_INT(n, big);
	MPI_Get_count_c(&s, MPI_INT, &n);
	CHECK_INT(n, big);
	MPI_Get_count(&s, MPI_INT, &few);
	CHECK_INT(few, MPI_UNDEFINED);
	MPI_Get_count_c(&s, MPI_DOUBLE, &n);
	CHECK_INT(n, MPI_UNDEFINED);
}

static void make_type(void)
{
	int places[N / 2];

	for (int i = 0; i < N / 2; i++)
		places[i] = i;
	MPI_Type_create_indexed_block(N / 2, 1, places, MPI_INT, &half);
	MPI_Type_commit(&half);
}

int main(int argc, char **argv)
{
	static char buffer[100000], *back;
	MPI_Count attached = 0;

	check_begin(&argc, &argv);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	make_type();
	MPI_Buffer_attach_c(buffer, sizeof buffer);
	sends();
	persistent();
	receives();
	exchanges();
	packs();
	statuses();
	MPI_Buffer_detach_c(&back, &attached);
	CHECK(back == buffer);
	CHECK_INT(attached, sizeof buffer);
	MPI_Type_free(&half);
	return check_end("p2p_large_counts");
}
