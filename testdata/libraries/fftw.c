/* Does FFTW plan, with its wisdom, and transform in every rank? */
#include "../lang/check.h"
#include <complex.h>
#include <fftw3.h>
#include <math.h>

#define N 1000

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	fftw_complex *in = fftw_alloc_complex(N), *out = fftw_alloc_complex(N);
	fftw_plan forth = fftw_plan_dft_1d(N, in, out, FFTW_FORWARD, FFTW_MEASURE);
	fftw_plan back = fftw_plan_dft_1d(N, out, in, FFTW_BACKWARD, FFTW_ESTIMATE);
	CHECK(forth && back);
	for (int i = 0; i < N; i++)
		in[i] = cos(2 * M_PI * (rank + 1) * i / N);
	fftw_execute(forth);
	check_others_run();
	for (int i = 0; i < N; i++) {
		double expected = i == rank + 1 || i == N - rank - 1 ? N / 2 : 0;
		CHECK(cabs(out[i] - expected) < 1e-8);
	}
	fftw_execute(back);
	for (int i = 0; i < N; i++)
		CHECK(cabs(in[i] / N - cos(2 * M_PI * (rank + 1) * i / N)) < 1e-12);
	char *wisdom = fftw_export_wisdom_to_string();
	check_others_run();
	fftw_forget_wisdom();
	CHECK(wisdom && fftw_import_wisdom_from_string(wisdom));
	free(wisdom);
	fftw_destroy_plan(forth);
	fftw_destroy_plan(back);
	fftw_free(in);
	fftw_free(out);
	fftw_cleanup();
	return check_end("fftw");
}
