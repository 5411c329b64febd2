/* Does the GNU Scientific Library work in every rank: random numbers, error handlers, integration, linear algebra, minimisation? */
#include "../lang/check.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_bessel.h>
#include <math.h>

static int errors;

static void handler(const char *reason, const char *file, int line, int code)
{
	(void)reason, (void)file, (void)line;
	errors += code == GSL_EDOM;
}

static double f(double x, void *p)
{
	if (x > 0.3 && x < 0.31)
		check_others_run();
	return *(double *)p * x * x;
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	gsl_set_error_handler(handler);
	gsl_rng_env_setup();
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, (unsigned long)rank + 1);
	unsigned long first = gsl_rng_get(rng);
	check_others_run();
	gsl_rng_set(rng, (unsigned long)rank + 1);
	CHECK(gsl_rng_get(rng) == first);
	gsl_rng_free(rng);

	double k = rank + 1, result, error;
	gsl_integration_workspace *w = gsl_integration_workspace_alloc(100);
	CHECK(!gsl_integration_qags(&(gsl_function){f, &k}, 0, 3, 0, 1e-9, 100, w, &result, &error));
	CHECK(fabs(result - 9 * k) < 1e-9);
	gsl_integration_workspace_free(w);

	gsl_sf_result s;
	CHECK(gsl_sf_bessel_Kn_e(1, -1, &s) == GSL_EDOM && errors == 1);
	gsl_matrix *m = gsl_matrix_alloc(3, 3);
	gsl_matrix_set_identity(m);
	gsl_matrix_scale(m, k);
	gsl_permutation *p = gsl_permutation_alloc(3);
	int sign;
	CHECK(!gsl_linalg_LU_decomp(m, p, &sign) && gsl_linalg_LU_det(m, sign) == k * k * k);
	gsl_permutation_free(p);
	gsl_matrix_free(m);
	return check_end("gsl");
}
