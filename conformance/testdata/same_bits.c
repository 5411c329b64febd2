/* Reductions whose result depends on the order of operands in its last bits: one line for each, with a hash of the bits that members get. A
 * job that is run again, with its ranks elsewhere, must print the same lines. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 9000 /* elements: far beyond what is copied on arrival */
#define BIGGEST 32 /* bytes of an element */
#define WORLD MPI_COMM_WORLD

struct kind;
typedef void put_fn(const struct kind *k, void *element, int who, int i);

/* What elements are, and what is done with them. */
struct kind {
	const char *name;
	MPI_Datatype type;
	MPI_Op op;
	int bytes; /* of an element */
	int number; /* bytes of a number in it that say something */
	int every; /* a number begins */
	put_fn *put;
};

static int rank, size;
static char *in, *out;

/* ---- values ---- */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 32;
}

static uint64_t noise(int who, int i, int part)
{
	return mix(mix(who + 1) + mix(i + 77) * 3 + part);
}

/* Of both signs and of sizes from 2^-20 to 2^20. */
static double wild(int who, int i, int part)
{
	uint64_t x = noise(who, i, part);
	double v = ldexp(1 + (x >> 12) * 0x1p-52, (int)(x % 41) - 20);
	return x & 0x800 ? -v : v;
}

/* Near 1, for products. */
static double tame(int who, int i, int part)
{
	return 0.75 + (noise(who, i, part) >> 12) * 0x1p-53;
}

static void put_float(const struct kind *k, void *e, int who, int i)
{
	*(float *)e = k->op == MPI_PROD ? tame(who, i, 0) : wild(who, i, 0);
}

static void put_double(const struct kind *k, void *e, int who, int i)
{
	*(double *)e = k->op == MPI_PROD ? tame(who, i, 0) : wild(who, i, 0);
}

static void put_long_double(const struct kind *k, void *e, int who, int i)
{
	long double low = k->op == MPI_PROD ? 0x1p-62L * (who % 4) : wild(who, i, 1) * 0x1p-50L;
	*(long double *)e = low + (k->op == MPI_PROD ? tame(who, i, 0) : wild(who, i, 0));
}

static void put_float_complex(const struct kind *k, void *e, int who, int i)
{
	for (int part = 0; part < 2; part++)
		((float *)e)[part] = k->op == MPI_PROD ? tame(who, i, part) - part : wild(who, i, part);
}

static void put_double_complex(const struct kind *k, void *e, int who, int i)
{
	for (int part = 0; part < 2; part++)
		((double *)e)[part] = k->op == MPI_PROD ? tame(who, i, part) - part : wild(who, i, part);
}

/* Zeros of both signs, numbers that are none, and others: which one is the least of them depends on who is asked first. */
static void put_odd(const struct kind *k, void *e, int who, int i)
{
	static const double odd[] = {0.0, -0.0, NAN, 0.0, -0.0, 1.0, -0.0, 0.0};
	(void)k;
	*(double *)e = i % 3 ? odd[noise(who, i, 0) % 8] : odd[noise(who, i, 0) % 2];
}

static void put_odd_pair(const struct kind *k, void *e, int who, int i)
{
	struct {
		double v;
		int i;
	} *pair = e;
	put_odd(k, &pair->v, who, i);
	pair->i = noise(who, i, 1) % 2;
}

static void put_int(const struct kind *k, void *e, int who, int i)
{
	(void)k;
	*(int *)e = (int)noise(who, i, 0);
}

/* Three numbers, then a gap. */
static void put_triple(const struct kind *k, void *e, int who, int i)
{
	(void)k;
	for (int part = 0; part < 3; part++)
		((double *)e)[part] = wild(who, i, part);
}

static void put_matrix(const struct kind *k, void *e, int who, int i)
{
	(void)k;
	for (int part = 0; part < 4; part++)
		((double *)e)[part] = tame(who, i, part) - (part == 2);
}

/* ---- operations of the program's own ---- */

/* Commutes to the last bit, but is associative only nearly. */
static void add_triples(void *in_, void *inout_, int *n, MPI_Datatype *type)
{
	double *a = in_, *b = inout_;
	(void)type;
	for (int i = 0; i < *n; i++, a += 4, b += 4)
		for (int part = 0; part < 3; part++)
			b[part] += a[part];
}

static void add_doubles(void *in_, void *inout_, int *n, MPI_Datatype *type)
{
	double *a = in_, *b = inout_;
	(void)type;
	for (int i = 0; i < *n; i++)
		b[i] += a[i];
}

/* Does not commute at all. */
static void multiply_matrices(void *in_, void *inout_, int *n, MPI_Datatype *type)
{
	double(*a)[2][2] = in_, (*b)[2][2] = inout_, c[2][2];
	(void)type;
	for (int x = 0; x < *n; x++) {
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 2; j++)
				c[i][j] = a[x][i][0] * b[x][0][j] + a[x][i][1] * b[x][1][j];
		memcpy(b[x], c, sizeof c);
	}
}

/* ---- hashing ---- */

static uint64_t hash_of(const struct kind *k, const char *elements, int count)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (int i = 0; i < count; i++)
		for (int at = 0; at < k->bytes; at += k->every)
			for (int b = 0; b < k->number; b++)
				h = (h ^ (unsigned char)elements[(int64_t)i * k->bytes + at + b]) * 0x100000001b3u;
	return h;
}

/* All members' results in one number that rank 0 prints. */
static void report(const struct kind *k, const char *what, int count, int got)
{
	uint64_t mine = mix(hash_of(k, out, got) + rank), all = 0;
	MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, WORLD);
	if (rank == 0)
		printf("%s %s %d %016llx\n", k->name, what, count, (unsigned long long)all);
}

static void fill(const struct kind *k, char *to, int count)
{
	memset(to, 0, (size_t)count * k->bytes);
	for (int i = 0; i < count; i++)
		k->put(k, to + (int64_t)i * k->bytes, rank, i);
}

static void fresh(const struct kind *k, int count)
{
	fill(k, in, count);
	memset(out, 0, (size_t)count * k->bytes);
}

/* ---- calls ---- */

static void reduces(const struct kind *k, int n, MPI_Comm comm, int last, const char *all, const char *one)
{
	int me;
	MPI_Comm_rank(comm, &me);
	fresh(k, n);
	MPI_Allreduce(in, out, n, k->type, k->op, comm);
	report(k, all, n, n);
	fresh(k, n);
	MPI_Reduce(in, out, n, k->type, k->op, last, comm);
	report(k, one, n, me == last ? n : 0);
}

static void in_place(const struct kind *k, int n)
{
	fill(k, out, n);
	MPI_Allreduce(MPI_IN_PLACE, out, n, k->type, k->op, WORLD);
	report(k, "allreduce in place", n, n);
	fresh(k, n);
	fill(k, out, n);
	MPI_Reduce(rank ? out : MPI_IN_PLACE, out, n, k->type, k->op, 0, WORLD);
	report(k, "reduce in place", n, rank ? 0 : n);
}

/* Member 0 takes what cannot be divided. */
static void scattered(const struct kind *k, int n)
{
	int counts[size], each = n / size;
	for (int i = 0; i < size; i++)
		counts[i] = i ? each : n - each * (size - 1);
	fresh(k, n);
	MPI_Reduce_scatter(in, out, counts, k->type, k->op, WORLD);
	report(k, "reduce_scatter", n, counts[rank]);
	fresh(k, n);
	MPI_Reduce_scatter_block(in, out, each, k->type, k->op, WORLD);
	report(k, "reduce_scatter_block", n, each);
}

static void prefixes(const struct kind *k, int n)
{
	fresh(k, n);
	MPI_Scan(in, out, n, k->type, k->op, WORLD);
	report(k, "scan", n, n);
	fresh(k, n);
	MPI_Exscan(in, out, n, k->type, k->op, WORLD);
	report(k, "exscan", n, rank ? n : 0);
}

static void in_background(const struct kind *k, int n)
{
	MPI_Request r;
	fresh(k, n);
	MPI_Iallreduce(in, out, n, k->type, k->op, WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	report(k, "iallreduce", n, n);
	fresh(k, n);
	MPI_Iscan(in, out, n, k->type, k->op, WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	report(k, "iscan", n, n);
	fresh(k, n);
	MPI_Reduce_init(in, out, n, k->type, k->op, size - 1, WORLD, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Request_free(&r);
	report(k, "persistent reduce", n, rank == size - 1 ? n : 0);
}

static MPI_Comm odd_and_even, two_groups;

static void make_communicators(void)
{
	MPI_Comm_split(WORLD, rank % 2, -rank, &odd_and_even);
	MPI_Intercomm_create(odd_and_even, 0, WORLD, rank % 2 ? (size - 1) / 2 * 2 : size / 2 * 2 - 1, 5, &two_groups);
}

static void all_calls(const struct kind *k, int n)
{
	reduces(k, n, WORLD, size / 2, "allreduce", "reduce");
	reduces(k, n, odd_and_even, 0, "allreduce of some", "reduce of some");
	in_place(k, n);
	scattered(k, n);
	prefixes(k, n);
	in_background(k, n);
	fresh(k, n);
	MPI_Allreduce(in, out, n, k->type, k->op, two_groups);
	report(k, "allreduce of the others", n, n);
}

/* ---- do values tell one order from another? ---- */

static void check_values(void)
{
	int differ = 0;
	for (int i = 0; i < 1000; i++) {
		double up = 0, down = 0;
		for (int r = 0; r < size; r++)
			up += wild(r, i, 0);
		for (int r = size - 1; r >= 0; r--)
			down += wild(r, i, 0);
		differ += up != down;
	}
	if (differ < 100)
		MPI_Abort(WORLD, 3);
}

int main(int argc, char **argv)
{
	static const int lengths[] = {1, 40, 2000, LONGEST};
	MPI_Datatype triple, gapped, matrix;
	MPI_Op add, plus, multiply;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	check_values();
	MPI_Type_contiguous(3, MPI_DOUBLE, &triple);
	MPI_Type_create_resized(triple, 0, 32, &gapped);
	MPI_Type_commit(&gapped);
	MPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
	MPI_Type_commit(&matrix);
	MPI_Op_create(add_triples, 1, &add);
	MPI_Op_create(add_doubles, 1, &plus);
	MPI_Op_create(multiply_matrices, 0, &multiply);
	make_communicators();
	in = malloc((size_t)LONGEST * BIGGEST);
	out = malloc((size_t)LONGEST * BIGGEST);
	const struct kind kinds[] = {
		{"float-sum", MPI_FLOAT, MPI_SUM, 4, 4, 4, put_float},
		{"double-sum", MPI_DOUBLE, MPI_SUM, 8, 8, 8, put_double},
		{"double-prod", MPI_DOUBLE, MPI_PROD, 8, 8, 8, put_double},
		{"long-double-sum", MPI_LONG_DOUBLE, MPI_SUM, 16, 10, 16, put_long_double},
		{"float-complex-prod", MPI_C_FLOAT_COMPLEX, MPI_PROD, 8, 4, 4, put_float_complex},
		{"double-complex-sum", MPI_C_DOUBLE_COMPLEX, MPI_SUM, 16, 8, 8, put_double_complex},
		{"double-complex-prod", MPI_C_DOUBLE_COMPLEX, MPI_PROD, 16, 8, 8, put_double_complex},
		{"double-min", MPI_DOUBLE, MPI_MIN, 8, 8, 8, put_odd},
		{"double-int-maxloc", MPI_DOUBLE_INT, MPI_MAXLOC, 16, 12, 16, put_odd_pair},
		{"int-sum", MPI_INT, MPI_SUM, 4, 4, 4, put_int},
		{"own-plus", MPI_DOUBLE, plus, 8, 8, 8, put_double},
		{"own-add", gapped, add, 32, 24, 32, put_triple},
		{"own-multiply", matrix, multiply, 32, 8, 8, put_matrix},
	};
	for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++)
		for (int i = 0; i < 4; i++)
			all_calls(&kinds[k], lengths[i]);
	if (rank == 0)
		printf("PASS same bits\n");
	MPI_Finalize();
	return 0;
}
