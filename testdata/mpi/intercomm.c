/* Do intercommunicators carry messages between their groups, and can they be asked, duplicated, split, cut down and merged? */
#include "check.h"

/* The halves of MPI_COMM_WORLD: where this rank is, and what it should see. */
struct half {
	int high, first, n, other_first, others;
};

static struct half half_at(int cut)
{
	struct half low = {0, 0, cut, cut, size - cut}, high = {1, cut, size - cut, 0, cut};

	return rank < cut ? low : high;
}

static void expect_sizes(MPI_Comm comm, int local, int remote, int place)
{
	int flag, n;

	MPI_Comm_test_inter(comm, &flag);
	CHECK(flag);
	MPI_Comm_size(comm, &n);
	CHECK_INT(n, local);
	MPI_Comm_remote_size(comm, &n);
	CHECK_INT(n, remote);
	MPI_Comm_rank(comm, &n);
	CHECK_INT(n, place);
}

/* Nobody goes on before all of the other group have come here. */
static void leave(MPI_Comm comm, int n)
{
	MPI_Request req[64];

	for (int i = 0; i < n; i++)
		MPI_Issend(NULL, 0, MPI_INT, i, 8, comm, &req[i]);
	for (int i = 0; i < n; i++)
		MPI_Recv(NULL, 0, MPI_INT, i, 8, comm, MPI_STATUS_IGNORE);
	MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
}

/* Everybody writes to everybody of the other group; wildcards tell who wrote. */
static void talk(MPI_Comm comm, const int *other_world)
{
	int me, n, out, in, seen = 0;
	MPI_Request req[64];
	MPI_Status status;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_remote_size(comm, &n);
	out = rank * 1000 + me;
	for (int i = 0; i < n; i++)
		MPI_Isend(&out, 1, MPI_INT, i, 7, comm, &req[i]);
	for (int i = 0; i < n; i++) {
		MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 7, comm, &status);
		CHECK_INT(in, other_world[status.MPI_SOURCE] * 1000 + status.MPI_SOURCE);
		seen |= 1 << status.MPI_SOURCE % 30;
	}
	CHECK(n > 30 || seen == (int)((1u << n) - 1));
	MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
	leave(comm, n);
}

static void range(int *list, int first, int n)
{
	for (int i = 0; i < n; i++)
		list[i] = first + i;
}

static MPI_Comm halves(const struct half *h, int tag)
{
	MPI_Comm local, inter;

	MPI_Comm_split(WORLD, h->high, rank, &local);
	MPI_Intercomm_create(local, 0, WORLD, h->other_first, tag, &inter);
	MPI_Comm_free(&local);
	return inter;
}

static void made(void)
{
	struct half h = half_at(size / 2);
	int others[64];
	MPI_Comm a = halves(&h, 5), b = halves(&h, 5);

	range(others, h.other_first, h.others);
	expect_sizes(a, h.n, h.others, rank - h.first);
	talk(a, others);
	talk(b, others);
	MPI_Comm_free(&a);
	CHECK(a == MPI_COMM_NULL);
	talk(b, others);
	MPI_Comm_free(&b);
}

/* The last of each group leads, over a communicator in reverse order. */
static void other_leaders(void)
{
	struct half h = half_at((size + 1) / 2);
	int others[64];
	MPI_Comm local, peer, inter;

	range(others, h.other_first, h.others);
	MPI_Comm_split(WORLD, 0, -rank, &peer);
	MPI_Comm_split(WORLD, h.high, rank, &local);
	MPI_Intercomm_create(local, h.n - 1, rank == h.first + h.n - 1 ? peer : MPI_COMM_NULL, size - h.other_first - h.others, 0, &inter);
	expect_sizes(inter, h.n, h.others, rank - h.first);
	talk(inter, others);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&local);
	MPI_Comm_free(&peer);
}

static void groups(void)
{
	struct half h = half_at(size / 2);
	MPI_Comm comm = halves(&h, 1), other;
	MPI_Group world, local, remote;
	int n, at[64], in_world[64], result;

	MPI_Comm_group(WORLD, &world);
	MPI_Comm_group(comm, &local);
	MPI_Comm_remote_group(comm, &remote);
	MPI_Group_size(remote, &n);
	CHECK_INT(n, h.others);
	range(at, 0, n);
	MPI_Group_translate_ranks(remote, n, at, world, in_world);
	for (int i = 0; i < n; i++)
		CHECK_INT(in_world[i], h.other_first + i);
	MPI_Group_rank(local, &n);
	CHECK_INT(n, rank - h.first);
	MPI_Comm_dup(comm, &other);
	MPI_Comm_compare(comm, other, &result);
	CHECK_INT(result, MPI_CONGRUENT);
	MPI_Comm_compare(comm, comm, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Comm_compare(comm, WORLD, &result);
	CHECK_INT(result, MPI_UNEQUAL);
	MPI_Group_free(&local);
	MPI_Group_free(&remote);
	MPI_Group_free(&world);
	MPI_Comm_free(&comm);
	MPI_Comm_free(&other);
}

static void duplicated(void)
{
	struct half h = half_at(size / 2);
	int others[64];
	MPI_Comm a = halves(&h, 0), b, c;

	range(others, h.other_first, h.others);
	MPI_Comm_dup(a, &b);
	MPI_Comm_dup_with_info(b, MPI_INFO_NULL, &c);
	MPI_Comm_free(&a);
	expect_sizes(c, h.n, h.others, rank - h.first);
	talk(b, others);
	talk(c, others);
	MPI_Comm_free(&b);
	MPI_Comm_free(&c);
}

/* Odd and even ones, in reverse order; then a color that only one side has. */
static void split(void)
{
	struct half h = half_at(size / 2);
	int others[64], n = 0, mine = 0, before = 0, count;
	MPI_Comm a = halves(&h, 0), b;

	for (int r = h.other_first + h.others - 1; r >= h.other_first; r--)
		if (r % 2 == rank % 2)
			others[n++] = r;
	for (int r = h.first; r < h.first + h.n; r++) {
		mine += r % 2 == rank % 2;
		before += r % 2 == rank % 2 && r > rank;
	}
	MPI_Comm_split(a, rank % 2, -rank, &b);
	CHECK((b == MPI_COMM_NULL) == (n == 0));
	if (n) {
		expect_sizes(b, mine, n, before);
		talk(b, others);
		MPI_Comm_free(&b);
	}
	MPI_Comm_split(a, h.high ? 4 : MPI_UNDEFINED, 0, &b);
	CHECK(b == MPI_COMM_NULL);
	MPI_Comm_split(a, h.high, 0, &b);
	CHECK(b == MPI_COMM_NULL);
	MPI_Comm_split_type(a, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &b);
	if (b != MPI_COMM_NULL) {
		MPI_Comm_remote_size(b, &count);
		CHECK(count >= 1 && count <= h.others);
		MPI_Comm_free(&b);
	}
	MPI_Comm_free(&a);
}

static MPI_Comm create_of(MPI_Comm comm, int n, int *ranks)
{
	MPI_Group all, some;
	MPI_Comm made;

	MPI_Comm_group(comm, &all);
	MPI_Group_incl(all, n, ranks, &some);
	MPI_Comm_create(comm, some, &made);
	MPI_Group_free(&all);
	if (n)
		MPI_Group_free(&some);
	return made;
}

static void created(void)
{
	struct half h = half_at(size / 2);
	MPI_Comm a = halves(&h, 0), b;
	int last_first[2] = {h.n - 1, 0}, n = h.n > 1 ? 2 : 1, others[2], nothers = h.others > 1 ? 2 : 1;
	int me = rank - h.first;

	others[0] = h.other_first + h.others - 1;
	others[1] = h.other_first;
	b = create_of(a, n, last_first);
	CHECK((b != MPI_COMM_NULL) == (me == 0 || me == h.n - 1));
	if (b != MPI_COMM_NULL) {
		expect_sizes(b, n, nothers, me == h.n - 1 ? 0 : 1);
		talk(b, others);
		MPI_Comm_free(&b);
	}
	b = create_of(a, h.high ? 0 : n, last_first);
	CHECK(b == MPI_COMM_NULL);
	MPI_Comm_free(&a);
}

static void expect_merged(MPI_Comm comm, int place)
{
	int n, flag, sum;

	MPI_Comm_size(comm, &n);
	CHECK_INT(n, size);
	MPI_Comm_rank(comm, &n);
	if (place >= 0)
		CHECK_INT(n, place);
	MPI_Comm_test_inter(comm, &flag);
	CHECK(!flag);
	MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK_INT(sum, size * (size - 1) / 2);
}

static void merged(void)
{
	struct half h = half_at(size / 2);
	MPI_Comm a = halves(&h, 3), b;

	MPI_Intercomm_merge(a, h.high, &b);
	expect_merged(b, rank);
	MPI_Comm_free(&b);
	MPI_Intercomm_merge(a, !h.high, &b);
	expect_merged(b, h.high ? rank - h.first : h.others + rank);
	MPI_Comm_free(&b);
	MPI_Intercomm_merge(a, 1, &b);
	expect_merged(b, -1);
	MPI_Comm_free(&b);
	MPI_Comm_free(&a);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (size <= 64) {
		made();
		other_leaders();
		groups();
		duplicated();
		split();
		created();
		merged();
	}
	return check_end("intercomm");
}
