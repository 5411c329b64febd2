/* Do BLAS and LAPACK work in every rank, with the threads that OpenBLAS has? */
#include "../lang/check.h"
#include <sys/sysinfo.h>

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha, const double *a, const int *lda,
	    const double *b, const int *ldb, const double *beta, double *c, const int *ldc);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivot, double *b, const int *ldb, int *info);
void dsyev_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work, const int *lwork, int *info);
int openblas_get_num_threads(void) __attribute__((weak));

#define N 150

static void multiply(double *a, double *b, double *c)
{
	const double one = 1, zero = 0;
	const int n = N;
	for (int i = 0; i < N * N; i++)
		a[i] = i % 7 + rank, b[i] = i % 5 - 1;
	dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
	check_others_run();
	for (int at = 0; at < N * N; at += 1777) {
		double sum = 0;
		for (int k = 0; k < N; k++)
			sum += a[at % N + k * N] * b[k + at / N * N];
		CHECK(sum == c[at]);
	}
}

static void solve(double *a, double *b)
{
	const int n = N, one = 1;
	int pivot[N], info = -1;
	for (int i = 0; i < N; i++) {
		for (int k = 0; k < N; k++)
			a[i + k * N] = i == k ? 2 * N : 1;
		b[i] = (3 * N - 1) * (rank + 1.0);
	}
	dgesv_(&n, &one, a, &n, pivot, b, &n, &info);
	CHECK(info == 0);
	for (int i = 0; i < N; i++)
		CHECK(b[i] > rank + 1 - 1e-9 && b[i] < rank + 1 + 1e-9);
}

static void values(double *a, double *w, double *work)
{
	const int n = 50, lwork = N * N;
	int info = -1;
	for (int i = 0; i < n * n; i++)
		a[i] = i % (n + 1) ? 0 : (i / n + 1) * (rank + 1);
	dsyev_("V", "U", &n, a, &n, w, work, &lwork, &info);
	CHECK(info == 0 && w[0] == rank + 1 && w[n - 1] == n * (rank + 1.0));
}

int main(int argc, char **argv)
{
	const char *threads = getenv("OPENBLAS_NUM_THREADS");
	check_begin(&argc, &argv);
	double *a = malloc(3 * N * N * sizeof *a);
	for (int round = 0; round < 2; round++) {
		multiply(a, a + N * N, a + 2 * N * N);
		solve(a, a + N * N);
		values(a, a + N * N, a + 2 * N * N);
	}
	if (openblas_get_num_threads && threads)
		CHECK(openblas_get_num_threads() == (atoi(threads) < get_nprocs() ? atoi(threads) : get_nprocs()));
	free(a);
	return check_end("blas");
}
