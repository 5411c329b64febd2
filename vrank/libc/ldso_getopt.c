/* getopt and kin for ranks that share a C library. Each rank has the variables by which getopt talks. What the library remembers besides, in
 * the middle of options, is that of the rank which called last: for another one it is made again, by repeating the calls that this one has made so
 * far. They find the arguments as they have left them, so they come to the same state. */
#include <getopt.h>

#include "vrank/core/job.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/bindings.h"
#include "vrank/libc/ldso_getopt.h"

struct vr_getopt_places vr_getopt_places;
struct vr_getopt_library vr_getopt_library;

#define LIBRARY vr_getopt_library

/* One call: which function, and what it is given. */
struct call {
	enum { SHORT, POSIX, LONG, LONG_ONLY } kind;
	const char *options;
	const struct option *longs;
};

static int ask(const struct call *c, int argc, char *const *argv, int *index)
{
	typedef int (*simple)(int, char *const *, const char *);
	typedef int (*full)(int, char *const *, const char *, const struct option *, int *);
	switch (c->kind) {
	case SHORT:
		return ((simple)LIBRARY.getopt)(argc, argv, c->options);
	case POSIX:
		return ((simple)LIBRARY.posix_getopt)(argc, argv, c->options);
	case LONG:
		return ((full)LIBRARY.getopt_long)(argc, argv, c->options, c->longs, index);
	default:
		return ((full)LIBRARY.getopt_long_only)(argc, argv, c->options, c->longs, index);
	}
}

/* The rank's own variable. */
static void *own(uint64_t place, void *otherwise)
{
	return place ? (void *)(vr_current->images + place) : otherwise;
}

/* The call of which the library has the state. */
static struct {
	const struct vr_rank *rank;
	uint64_t stamp;
	int optind;
} last;

static int has_state(const struct vr_getopt *g)
{
	return last.rank == vr_current && last.stamp == g->stamp && g->pe == vr_pe->id && *LIBRARY.optind == last.optind;
}

/* The library begins anew with these options, at the argument with that number. */
static void begin(const struct call *c, char *const *argv, int at)
{
	char *none[] = {argv[0], NULL};
	*LIBRARY.optind = 0;
	ask(c, 1, none, NULL);
	*LIBRARY.optind = at;
}

static void repeat(const struct call *c, int argc, char *const *argv, const struct vr_getopt *g)
{
	int index;
	*LIBRARY.opterr = 0;
	begin(c, argv, g->begun);
	for (int i = 0; i < g->calls; i++)
		ask(c, argc, argv, &index);
}

/* Have the library know what it knew after the last call of this rank, which wants to go on at an argument. */
static void enter(const struct call *c, int argc, char *const *argv, int at)
{
	struct vr_getopt *g = &vr_current->getopt;
	int is_new = !at || !g->calls || g->argv != argv;
	if (is_new)
		begin(c, argv, at);
	else if (!has_state(g))
		repeat(c, argc, argv, g);
	if (is_new || at != g->left) {
		g->argv = argv;
		g->begun = at ? at : 1;
		g->calls = 0;
	}
	*LIBRARY.optind = at;
}

static void leave(void)
{
	struct vr_getopt *g = &vr_current->getopt;
	g->calls++;
	g->pe = vr_pe->id;
	g->left = last.optind = *LIBRARY.optind;
	g->stamp = ++last.stamp;
	last.rank = vr_current;
}

static int call(const struct call *c, int argc, char *const *argv, int *index)
{
	struct vr_getopt *g = &vr_current->getopt;
	if (argc < 1)
		return -1;
	if (!g->is_ready) {
		g->is_ready = g->optind = g->opterr = 1;
		g->optopt = '?';
	}
	int *at = own(vr_getopt_places.optind, &g->optind);
	enter(c, argc, argv, *at);
	*LIBRARY.opterr = *(int *)own(vr_getopt_places.opterr, &g->opterr);
	int result = ask(c, argc, argv, index);
	*at = *LIBRARY.optind;
	*(int *)own(vr_getopt_places.optopt, &g->optopt) = *LIBRARY.optopt;
	*(char **)own(vr_getopt_places.optarg, &g->optarg) = *LIBRARY.optarg;
	leave();
	return result;
}

static int ldso_getopt(int argc, char *const argv[], const char *options)
{
	return call(&(struct call){SHORT, options, NULL}, argc, argv, NULL);
}

static int ldso_posix_getopt(int argc, char *const argv[], const char *options)
{
	return call(&(struct call){POSIX, options, NULL}, argc, argv, NULL);
}

static int ldso_getopt_long(int argc, char *const argv[], const char *options, const struct option *longs, int *index)
{
	return call(&(struct call){LONG, options, longs}, argc, argv, index);
}

static int ldso_getopt_long_only(int argc, char *const argv[], const char *options, const struct option *longs, int *index)
{
	return call(&(struct call){LONG_ONLY, options, longs}, argc, argv, index);
}

const struct vr_binding vr_getopt_bindings[] = {
	{"getopt", ldso_getopt},
	{"__posix_getopt", ldso_posix_getopt},
	{"getopt_long", ldso_getopt_long},
	{"getopt_long_only", ldso_getopt_long_only},
	{0, 0},
};
