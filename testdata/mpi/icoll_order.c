/* Do hundreds of collectives in the background stay apart, whatever the order of waiting, with blocking collectives, messages and freed
 * objects between them, and do user operations get their operands in the order of ranks? */
#include "check.h"

#define MANY 300

/* 2x2 matrices modulo a prime: their product does not commute. */
#define PRIME 10007

static int calls;

static void multiply(void *in_, void *inout_, int *n, MPI_Datatype *type)
{
	const int *in = in_;
	int *inout = inout_, bytes;

	(void)type;
	MPI_Type_size(MPI_INT, &bytes); /* a call that is allowed in here */
	calls += bytes == sizeof(int);
	for (int i = 0; i < *n; i++, in += 4, inout += 4) {
		int a = inout[0], b = inout[1], c = inout[2], d = inout[3];
		inout[0] = (in[0] * a + in[1] * c) % PRIME;
		inout[1] = (in[0] * b + in[1] * d) % PRIME;
		inout[2] = (in[2] * a + in[3] * c) % PRIME;
		inout[3] = (in[2] * b + in[3] * d) % PRIME;
	}
}

static void matrices(int *m, int n, int of)
{
	for (int i = 0; i < 4 * n; i++)
		m[i] = check_value(of, i) % PRIME;
}

/* The product of ranks [0, to). */
static void product(int *m, int n, int to)
{
	int *left = malloc(4 * n * sizeof *left);

	matrices(m, n, to - 1);
	for (int i = to - 2; i >= 0; i--) {
		matrices(left, n, i);
		multiply(left, m, &n, NULL);
	}
	free(left);
}

static void in_order(int n)
{
	size_t bytes = 4 * n * sizeof(int);
	int *mine = malloc(bytes), *all = malloc(bytes), *here = malloc(bytes), *before = malloc(bytes), *at_last = malloc(bytes),
	    *want = malloc(bytes);
	int *many = malloc(bytes * size), *part = malloc(bytes);
	MPI_Datatype matrix;
	MPI_Op op;
	MPI_Comm comm;
	MPI_Request r[5];

	MPI_Comm_dup(WORLD, &comm);
	MPI_Type_contiguous(4, MPI_INT, &matrix);
	MPI_Type_commit(&matrix);
	MPI_Op_create(multiply, 0, &op);
	matrices(mine, n, rank);
	for (int i = 0; i < size; i++)
		memcpy(many + 4 * n * i, mine, bytes);
	MPI_Iallreduce(mine, all, n, matrix, op, comm, &r[0]);
	MPI_Ireduce(mine, at_last, n, matrix, op, size - 1, comm, &r[1]);
	MPI_Iscan(mine, here, n, matrix, op, comm, &r[2]);
	MPI_Iexscan(mine, before, n, matrix, op, comm, &r[3]);
	MPI_Ireduce_scatter_block(many, part, n, matrix, op, comm, &r[4]);
	MPI_Op_free(&op);
	MPI_Type_free(&matrix);
	MPI_Comm_free(&comm);
	MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
	product(want, n, size);
	CHECK(!memcmp(all, want, bytes));
	CHECK(!memcmp(part, want, bytes));
	CHECK(rank != size - 1 || !memcmp(at_last, want, bytes));
	product(want, n, rank + 1);
	CHECK(!memcmp(here, want, bytes));
	if (rank) {
		product(want, n, rank);
		CHECK(!memcmp(before, want, bytes));
	}
	CHECK(rank || size == 1 || calls > 0);
	free(mine), free(all), free(here), free(before), free(at_last), free(want), free(many), free(part);
}

/* One collective of every kind in turn; buffers are checked at the end. */
struct pending {
	MPI_Request request;
	int mine[2], root, kind;
	int *got;
};

static void begin(struct pending *p, int i, MPI_Comm comm)
{
	p->kind = i % 6;
	p->root = i % size;
	p->mine[0] = rank + i;
	p->mine[1] = i;
	p->got = malloc(2 * size * sizeof *p->got);
	switch (p->kind) {
	case 0:
		MPI_Iallreduce(p->mine, p->got, 2, MPI_INT, MPI_SUM, comm, &p->request);
		break;
	case 1:
		p->got[0] = rank == p->root ? i : -1;
		MPI_Ibcast(p->got, 1, MPI_INT, p->root, comm, &p->request);
		break;
	case 2:
		MPI_Igather(p->mine, 2, MPI_INT, p->got, 2, MPI_INT, p->root, comm, &p->request);
		break;
	case 3:
		MPI_Ibarrier(comm, &p->request);
		break;
	case 4:
		MPI_Iallgather(p->mine, 2, MPI_INT, p->got, 2, MPI_INT, comm, &p->request);
		break;
	case 5:
		MPI_Iscan(p->mine, p->got, 2, MPI_INT, MPI_SUM, comm, &p->request);
		break;
	}
}

static void end(struct pending *p, int i)
{
	int sum = 0, all = p->kind == 0 ? size : rank + 1;

	for (int k = 0; k < all; k++)
		sum += k + i;
	if (p->kind == 0 || p->kind == 5) {
		CHECK_INT(p->got[0], sum);
		CHECK_INT(p->got[1], i * all);
	} else if (p->kind == 1) {
		CHECK_INT(p->got[0], i);
	} else if (p->kind == 4 || (p->kind == 2 && rank == p->root)) {
		for (int k = 0; k < size; k++)
			CHECK(p->got[2 * k] == k + i && p->got[2 * k + 1] == i);
	}
	free(p->got);
}

static void between(int i)
{
	int x = rank, sum, next = (rank + 1) % size, last = (rank + size - 1) % size, from;

	if (i % 50 == 7) {
		MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, WORLD);
		CHECK_INT(sum, size * (size - 1) / 2);
	}
	if (i % 20 == 3) {
		MPI_Sendrecv(&x, 1, MPI_INT, next, i, &from, 1, MPI_INT, last, i, WORLD, MPI_STATUS_IGNORE);
		CHECK_INT(from, last);
	}
}

static void many_pending(void)
{
	static struct pending p[MANY];
	static MPI_Request r[MANY];
	static int order[MANY];
	int left = MANY, n, flag, i;

	for (i = 0; i < MANY; i++) {
		begin(&p[i], i, WORLD);
		r[i] = p[i].request;
		between(i);
	}
	while (left > 200) { /* some of them one by one, each rank in its own order */
		i = check_value(rank, left) % MANY;
		if (r[i] == MPI_REQUEST_NULL)
			i = left - 1;
		if (r[i] == MPI_REQUEST_NULL)
			for (i = 0; r[i] == MPI_REQUEST_NULL; i++)
				;
		MPI_Wait(&r[i], MPI_STATUS_IGNORE);
		left--;
	}
	while (left > 100) {
		MPI_Testany(MANY, r, &i, &flag, MPI_STATUS_IGNORE);
		left -= flag;
	}
	while (left > 0) {
		MPI_Waitsome(MANY, r, &n, order, MPI_STATUSES_IGNORE);
		CHECK(n > 0);
		left -= n;
	}
	for (i = 0; i < MANY; i++)
		end(&p[i], i);
}

/* Only rank 0 calls MPI while the others compute; their part must go on when they wait for something else. */
static void beside_messages(void)
{
	int x[2] = {rank, 1}, sum[2], token = -1;
	MPI_Request r;

	MPI_Iallreduce(x, sum, 2, MPI_INT, MPI_SUM, WORLD, &r);
	if (size > 1) { /* a token goes round twice */
		for (int lap = 0; lap < 2; lap++) {
			if (rank == 0) {
				token = lap;
				MPI_Send(&token, 1, MPI_INT, 1, 5, WORLD);
			}
			MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 5, WORLD, MPI_STATUS_IGNORE);
			CHECK_INT(token, lap);
			if (rank)
				MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 5, WORLD);
		}
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK_INT(sum[0], size * (size - 1) / 2);
	CHECK_INT(sum[1], size);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	in_order(1);
	in_order(size > 64 ? 2 : 700);
	in_order(size > 64 ? 3 : 3000);
	many_pending();
	beside_messages();
	many_pending();
	return check_end("icoll_order");
}
