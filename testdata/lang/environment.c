/* Are the environment, the locale, the time zone and the working data of argv private to each rank? */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <locale.h>
#include <time.h>
#include <unistd.h>

static void variables(void)
{
	char value[32], other[32];

	snprintf(value, sizeof value, "rank-%d", rank);
	CHECK(setenv("LANG_TEST", value, 1) == 0);
	snprintf(other, sizeof other, "ONLY_%d", rank);
	setenv(other, "yes", 1);
	check_others_run();
	CHECK(strcmp(getenv("LANG_TEST"), value) == 0);
	for (int r = 0; r < size; r++) {
		snprintf(other, sizeof other, "ONLY_%d", r);
		CHECK((getenv(other) != NULL) == (r == rank));
	}
	if (rank % 2)
		unsetenv("LANG_TEST");
	check_others_run();
	CHECK((getenv("LANG_TEST") == NULL) == rank % 2);
	CHECK(getenv("PATH") != NULL);
}

/* The C locale and C.UTF-8 are everywhere; only the ctype part differs between them. */
static void locales(void)
{
	CHECK(strcmp(setlocale(LC_CTYPE, NULL), "C") == 0);
	if (rank % 2)
		CHECK(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
	check_others_run();
	CHECK(strcmp(setlocale(LC_CTYPE, NULL), rank % 2 ? "C.UTF-8" : "C") == 0);
	CHECK(MB_CUR_MAX == (rank % 2 ? 6u : 1u));
}

static void zones(void)
{
	time_t noon = 43200;
	struct tm tm;
	char zone[16];

	snprintf(zone, sizeof zone, "XXX-%d", rank % 12);
	setenv("TZ", zone, 1);
	tzset();
	check_others_run();
	localtime_r(&noon, &tm);
	CHECK(tm.tm_hour == (12 + rank % 12) % 24);
	CHECK(timezone == -3600L * (rank % 12));
}

static void arguments(int argc, char **argv)
{
	CHECK(argc >= 1 && argv[argc] == NULL);
	argv[0][0] = (char)('a' + rank % 26);
	check_others_run();
	CHECK(argv[0][0] == 'a' + rank % 26);
	CHECK(program_invocation_short_name != NULL);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	variables();
	locales();
	zones();
	arguments(argc, argv);
	return check_end("environment");
}
