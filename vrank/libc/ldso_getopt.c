/* getopt and kin for programs whose C library is the worker's: the variables by which it talks are there once, and a program may have
 * copies of them. A call takes the program's values along and brings those of the library back. */
#include <getopt.h>

#include "vrank/libc/bind.h"
#include "vrank/libc/life.h"

static struct vr_getopt_places places;

void vr_getopt_setup(const struct vr_getopt_places *p)
{
	places = *p;
}

static void *variable(uint64_t place)
{
	return place ? (void *)(vr_current->images + place) : NULL;
}

static void take(int *to, uint64_t place)
{
	const int *p = variable(place);
	if (p)
		*to = *p;
}

static void give(uint64_t place, int value)
{
	int *p = variable(place);
	if (p)
		*p = value;
}

/* A rank that begins must not go on where another one has ended: 0 has the library begin, too. */
static void enter(void)
{
	take(&optind, places.optind);
	take(&opterr, places.opterr);
	take(&optopt, places.optopt);
	if (places.optind && optind == 1)
		optind = 0;
}

static int leave(int result)
{
	char **arg = variable(places.optarg);
	if (arg)
		*arg = optarg;
	give(places.optind, optind);
	give(places.optopt, optopt);
	return result;
}

static int ldso_getopt(int argc, char *const argv[], const char *options)
{
	enter();
	return leave(getopt(argc, argv, options));
}

static int ldso_getopt_long(int argc, char *const argv[], const char *options, const struct option *longs, int *index)
{
	enter();
	return leave(getopt_long(argc, argv, options, longs, index));
}

static int ldso_getopt_long_only(int argc, char *const argv[], const char *options, const struct option *longs, int *index)
{
	enter();
	return leave(getopt_long_only(argc, argv, options, longs, index));
}

const struct vr_binding vr_getopt_bindings[] = {
	{"getopt", ldso_getopt},
	{"getopt_long", ldso_getopt_long},
	{"getopt_long_only", ldso_getopt_long_only},
	{0, 0},
};
