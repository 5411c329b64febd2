/* Do accumulate and get_accumulate combine every element once, for operations, types and type maps of all sorts, and give what was there before? */
#include "check.h"

#define N 12

static MPI_Win win;
static char *memory;

/* One type: what op makes of `there` and `in`, in as few words as C allows. */
#define ARITHMETIC(T, name, type)                                                                                                   \
	static void name(void)                                                                                                        \
	{                                                                                                                             \
		T *m = (T *)memory, in[N], old[N];                                                                                    \
		const struct {                                                                                                        \
			MPI_Op op;                                                                                                    \
			int which;                                                                                                    \
		} ops[] = {{MPI_SUM, 0}, {MPI_PROD, 1}, {MPI_MAX, 2}, {MPI_MIN, 3}, {MPI_REPLACE, 4}, {MPI_NO_OP, 5}};                \
		for (int o = 0; o < LEN(ops); o++) {                                                                                  \
			for (int i = 0; i < N; i++) {                                                                                 \
				m[i] = (T)(i + 2);                                                                                    \
				in[i] = (T)(7 - i % 5);                                                                               \
				old[i] = (T)99;                                                                                       \
			}                                                                                                             \
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);                                                               \
			MPI_Get_accumulate(in, N, type, old, N, type, rank, 0, N, type, ops[o].op, win);                              \
			MPI_Win_unlock(rank, win);                                                                                    \
			for (int i = 0; i < N; i++) {                                                                                 \
				T a = (T)(i + 2), b = (T)(7 - i % 5);                                                                 \
				T want[] = {(T)(a + b), (T)(a * b), a > b ? a : b, a < b ? a : b, b, a};                              \
				CHECK(old[i] == a);                                                                                   \
				CHECK(m[i] == want[ops[o].which]);                                                                    \
			}                                                                                                             \
		}                                                                                                                     \
	}

ARITHMETIC(signed char, signed_char, MPI_SIGNED_CHAR)
ARITHMETIC(short, of_short, MPI_SHORT)
ARITHMETIC(int, of_int, MPI_INT)
ARITHMETIC(unsigned, of_unsigned, MPI_UNSIGNED)
ARITHMETIC(long long, long_long, MPI_LONG_LONG)
ARITHMETIC(float, of_float, MPI_FLOAT)
ARITHMETIC(double, of_double, MPI_DOUBLE)
ARITHMETIC(long double, long_double, MPI_LONG_DOUBLE)
ARITHMETIC(MPI_Aint, of_aint, MPI_AINT)

static void bits(void)
{
	const MPI_Op ops[] = {MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
	int *m = (int *)memory, in = 6, old;

	for (int o = 0; o < LEN(ops); o++) {
		int a = 5, want[] = {a & in, a | in, a ^ in, 1, 1, 0};
		*m = a;
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
		MPI_Fetch_and_op(&in, &old, MPI_INT, rank, 0, ops[o], win);
		MPI_Win_unlock(rank, win);
		CHECK_INT(old, a);
		CHECK_INT(*m, want[o]);
	}
}

static void pairs(void)
{
	struct {
		double value;
		int place;
	} *m = (void *)memory, in = {2.5, 7};

	for (int i = 0; i < 3; i++) {
		m[i].value = 2.0 + i * 0.5;
		m[i].place = 100 + i;
	}
	MPI_Win_fence(0, win);
	for (int i = 0; i < 3; i++)
		MPI_Accumulate(&in, 1, MPI_DOUBLE_INT, rank, i * sizeof *m, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win);
	MPI_Win_fence(0, win);
	CHECK(m[0].value == 2.5 && m[0].place == 7);
	CHECK(m[1].value == 2.5 && m[1].place == 7);
	CHECK(m[2].value == 3.0 && m[2].place == 102);
}

/* All ranks add to all; the target's elements lie apart, the origin's too. */
static void spread(void)
{
	int *m = (int *)memory, in[2 * N], old[N];
	MPI_Datatype apart, reversed;
	int lengths[N], at[N];

	for (int i = 0; i < N; i++) {
		lengths[i] = 1;
		at[i] = N - 1 - i;
	}
	MPI_Type_vector(N, 1, 2, MPI_INT, &apart);
	MPI_Type_indexed(N, lengths, at, MPI_INT, &reversed);
	MPI_Type_commit(&apart);
	MPI_Type_commit(&reversed);
	for (int i = 0; i < 2 * N; i++) {
		m[i] = 1000;
		in[i] = i % 2 ? -5 : i / 2 + rank;
	}
	MPI_Win_fence(0, win);
	for (int t = 0; t < size; t++)
		MPI_Accumulate(in, 1, apart, (rank + t) % size, 0, 1, apart, MPI_SUM, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 2 * N; i++)
		CHECK_INT(m[i], i % 2 ? 1000 : 1000 + i / 2 * size + size * (size - 1) / 2);
	MPI_Win_fence(0, win);
	MPI_Get_accumulate(NULL, 0, MPI_INT, old, 1, reversed, rank, 0, 1, apart, MPI_NO_OP, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < N; i++)
		CHECK_INT(old[N - 1 - i], m[2 * i]);
	MPI_Type_free(&apart);
	MPI_Type_free(&reversed);
}

static void requests(void)
{
	long *m = (long *)memory, in[N], old[N];
	MPI_Request r[2];

	for (int i = 0; i < N; i++)
		m[i] = i, in[i] = 10;
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	MPI_Raccumulate(in, N, MPI_LONG, 0, 0, N, MPI_LONG, MPI_SUM, win, &r[0]);
	MPI_Rget_accumulate(in, N, MPI_LONG, old, N, MPI_LONG, 0, 0, N, MPI_LONG, MPI_SUM, win, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
	for (int i = 0; i < N; i++) {
		CHECK(old[i] >= i + 10 && (old[i] - i) % 10 == 0); /* in order: its own first sum is in it */
		CHECK_INT(rank ? i : m[i], rank ? i : i + 20L * size);
	}
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Win_allocate(4 * N * sizeof(long double), 1, MPI_INFO_NULL, WORLD, &memory, &win);
	signed_char();
	of_short();
	of_int();
	of_unsigned();
	long_long();
	of_float();
	of_double();
	long_double();
	of_aint();
	bits();
	pairs();
	spread();
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	requests();
	MPI_Win_free(&win);
	return check_end("win_accumulate");
}
