/* Do collectives on an intercommunicator, blocking, non-blocking and persistent, move and combine the data of the other group? */
#include "check.h"

#define N 37

static MPI_Comm inter;
static int low, mine, others, me; /* group, sizes of the groups, rank in the own one */
static int *in, *out;

/* Each collective three times: blocking, in the background, and twice from a persistent request. */
enum { BLOCKING, BACKGROUND, PERSISTENT, WAYS };
static int way;
static MPI_Request r;

static void done(void)
{
	if (way == BLOCKING)
		return;
	if (way == PERSISTENT) {
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Start(&r);
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (way == PERSISTENT)
		MPI_Request_free(&r);
	CHECK(r == MPI_REQUEST_NULL);
}

#define CALL(blocking, background, persistent, ...)                                                                                 \
	do {                                                                                                                          \
		if (way == BLOCKING)                                                                                                  \
			blocking(__VA_ARGS__, inter);                                                                                 \
		else if (way == BACKGROUND)                                                                                           \
			background(__VA_ARGS__, inter, &r);                                                                           \
		else                                                                                                                  \
			persistent(__VA_ARGS__, inter, MPI_INFO_NULL, &r);                                                            \
		done();                                                                                                               \
	} while (0)

/* The value of element i of a member's contribution, by its group and rank there. */
static int value(int group, int member, int i)
{
	return group * 100000 + member * 1000 + i;
}

static void fresh(void)
{
	int most = mine > others ? mine : others;
	for (int i = 0; i < N * most; i++)
		in[i] = value(low, me, i);
	check_wipe(out, N * most);
}

static int root_for(int group, int root)
{
	return low != group ? root : me == root ? MPI_ROOT : MPI_PROC_NULL;
}

/* A root in one group; the data goes to or comes from the other one. */
static void rooted(int group, int root)
{
	int r_ = root_for(group, root), is_root = r_ == MPI_ROOT, is_member = low != group;

	fresh();
	CALL(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, is_root ? in : out, N, MPI_INT, r_);
	for (int i = 0; is_member && i < N; i++)
		CHECK_INT(out[i], value(group, root, i));
	CHECK(is_member || out[0] == -1);
	fresh();
	CALL(MPI_Gather, MPI_Igather, MPI_Gather_init, in, N, MPI_INT, out, N, MPI_INT, r_);
	for (int i = 0; is_root && i < N * others; i++)
		CHECK_INT(out[i], value(!group, i / N, i % N));
	CHECK(is_root || out[0] == -1);
	fresh();
	CALL(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, in, N, MPI_INT, out, N, MPI_INT, r_);
	for (int i = 0; is_member && i < N; i++)
		CHECK_INT(out[i], value(group, root, me * N + i));
	fresh();
	CALL(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, in, out, N, MPI_INT, MPI_SUM, r_);
	for (int i = 0; is_root && i < N; i++)
		CHECK_INT(out[i], others * value(!group, 0, i) + 1000 * others * (others - 1) / 2);
}

/* Member k of a group sends or gets k % 4 + 1 elements. */
static void rooted_vectors(int group, int root)
{
	int counts[64], displs[64], r_ = root_for(group, root), n = me % 4 + 1;

	for (int k = 0; k < others; k++) {
		counts[k] = k % 4 + 1;
		displs[k] = (others - 1 - k) * N;
	}
	fresh();
	CALL(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, in, n, MPI_INT, out, counts, displs, MPI_INT, r_);
	for (int k = 0; r_ == MPI_ROOT && k < others; k++)
		for (int i = 0; i <= counts[k]; i++)
			CHECK_INT(out[displs[k] + i], i == counts[k] ? -1 : value(!group, k, i));
	fresh();
	CALL(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, in, counts, displs, MPI_INT, out, n, MPI_INT, r_);
	for (int i = 0; low != group && i <= n; i++)
		CHECK_INT(out[i], i == n ? -1 : value(group, root, (mine - 1 - me) * N + i));
}

static void unrooted(void)
{
	int counts[64], displs[64], n = me % 4 + 1;

	fresh();
	CALL(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, in, N, MPI_INT, out, N, MPI_INT);
	for (int i = 0; i < N * others; i++)
		CHECK_INT(out[i], value(!low, i / N, i % N));
	for (int k = 0; k < others; k++) {
		counts[k] = k % 4 + 1;
		displs[k] = (others - 1 - k) * N;
	}
	fresh();
	CALL(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, in, n, MPI_INT, out, counts, displs, MPI_INT);
	for (int k = 0; k < others; k++)
		for (int i = 0; i <= counts[k]; i++)
			CHECK_INT(out[displs[k] + i], i == counts[k] ? -1 : value(!low, k, i));
	/* only one group sends */
	fresh();
	CALL(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, in, low ? N : 0, MPI_INT, out, low ? 0 : N, MPI_INT);
	for (int i = 0; !low && i < N * others; i++)
		CHECK_INT(out[i], value(!low, i / N, i % N));
	CHECK(!low || out[0] == -1);
}

static void alltoall(void)
{
	int send_n[64], send_at[64], recv_n[64], recv_at[64], send_bytes[64], recv_bytes[64];
	MPI_Datatype types[64];

	fresh();
	CALL(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, in, N, MPI_INT, out, N, MPI_INT);
	for (int i = 0; i < N * others; i++)
		CHECK_INT(out[i], value(!low, i / N, me * N + i % N));
	for (int k = 0; k < others; k++) {
		send_n[k] = recv_n[k] = (me + k) % 3;
		send_bytes[k] = (send_at[k] = k * N) * (int)sizeof(int);
		recv_bytes[k] = (recv_at[k] = (others - 1 - k) * N) * (int)sizeof(int);
		types[k] = MPI_INT;
	}
	fresh();
	CALL(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, in, send_n, send_at, MPI_INT, out, recv_n, recv_at, MPI_INT);
	for (int k = 0; k < others; k++)
		for (int i = 0; i <= recv_n[k]; i++)
			CHECK_INT(out[recv_at[k] + i], i == recv_n[k] ? -1 : value(!low, k, me * N + i));
	fresh();
	CALL(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, in, send_n, send_bytes, types, out, recv_n, recv_bytes, types);
	for (int k = 0; k < others; k++)
		for (int i = 0; i <= recv_n[k]; i++)
			CHECK_INT(out[recv_at[k] + i], i == recv_n[k] ? -1 : value(!low, k, me * N + i));
}

/* Members of a group share a result of mine * others elements. */
static void reductions(void)
{
	int counts[64], before = 0, *big = malloc(sizeof(int) * mine * others), total = mine * others;

	fresh();
	CALL(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, in, out, N, MPI_INT, MPI_SUM);
	for (int i = 0; i < N; i++)
		CHECK_INT(out[i], others * value(!low, 0, i) + 1000 * others * (others - 1) / 2);
	for (int i = 0; i < total; i++)
		big[i] = value(low, me, i);
	CALL(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, big, out, others, MPI_INT, MPI_SUM);
	for (int i = 0; i < others; i++)
		CHECK_INT(out[i], others * value(!low, 0, me * others + i) + 1000 * others * (others - 1) / 2);
	for (int i = 0; i < mine; i++)
		counts[i] = i + 1 < mine ? others - 1 : others - 1 + mine;
	before = me * (others - 1);
	CALL(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, big, out, counts, MPI_INT, MPI_MAX);
	for (int i = 0; i < counts[me] && i < N * others; i++)
		CHECK_INT(out[i], value(!low, others - 1, before + i));
	free(big);
}

static void barriers(void)
{
	int flag = 0;

	if (way == BLOCKING)
		MPI_Barrier(inter);
	else if (way == BACKGROUND)
		MPI_Ibarrier(inter, &r);
	else
		MPI_Barrier_init(inter, MPI_INFO_NULL, &r);
	done();
	/* nobody may leave before all of both groups have come */
	if (way != BACKGROUND)
		return;
	if (rank == 0) {
		MPI_Ibarrier(inter, &r);
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		MPI_Barrier(WORLD);
	} else {
		if (rank == size - 1) { /* of the other group than rank 0 */
			MPI_Barrier(WORLD);
			MPI_Ibarrier(inter, &r);
		} else {
			MPI_Ibarrier(inter, &r);
			for (int i = 0; i < 20; i++)
				MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
			CHECK(!flag);
			MPI_Barrier(WORLD);
		}
	}
	CHECK(!flag);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void refused(void)
{
	int a = 0, b;

	MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
	CHECK_FAILS(MPI_Scan(&a, &b, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Iexscan(&a, &b, 1, MPI_INT, MPI_SUM, inter, &r), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Bcast(&a, 1, MPI_INT, others, inter), MPI_ERR_ROOT);
}

int main(int argc, char **argv)
{
	MPI_Comm half;

	check_begin(&argc, &argv);
	if (size > 64)
		MPI_Abort(WORLD, 2);
	int cut = size == 2 ? 1 : size / 3 > 0 ? size / 3 : 1;
	low = rank < cut;
	MPI_Comm_split(WORLD, low, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, low ? cut : 0, 3, &inter);
	MPI_Comm_size(inter, &mine);
	MPI_Comm_remote_size(inter, &others);
	MPI_Comm_rank(inter, &me);
	int most = mine > others ? mine : others;
	in = malloc(sizeof(int) * most * N);
	out = malloc(sizeof(int) * most * N);
	for (way = 0; way < WAYS; way++) {
		for (int group = 0; group < 2; group++) {
			int n = low == group ? mine : others;
			for (int root = 0; root < n; root += n > 4 ? 3 : 1) {
				rooted(group, root);
				rooted_vectors(group, root);
			}
		}
		unrooted();
		alltoall();
		reductions();
		barriers();
	}
	refused();
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	return check_end("coll_inter");
}
