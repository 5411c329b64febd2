/* Does every rank get its options, when ranks of a worker take turns between them? With NAMES the program knows the variables of getopt. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "moves.h"

static const struct option names[] = {{"size", required_argument, NULL, 's'}, {"quiet", no_argument, NULL, 'q'}, {NULL, 0, NULL, 0}};

/* What the options are, in one word. */
static void parse(int n, char **args, int is_long, char *out)
{
	int c;
	while ((c = is_long ? getopt_long(n, args, "ab:c", names, NULL) : getopt(n, args, "ab:c")) != -1) {
		out += sprintf(out, "%c%s", c, strchr("bs", c) ? optarg : "");
		MPI_Barrier(WORLD);
		moves();
	}
#ifdef NAMES
	for (; optind < n; optind++)
		out += sprintf(out, "+%s", args[optind]);
#endif
}

int main(int argc, char **argv)
{
	char *first[] = {"options", "one", "-ac", "-b3", "two", "-b", "4", "-c", "--", "-a", NULL};
	char *second[] = {"options", "--size=5", "x", "-ca", "--quiet", NULL};
	char found[64] = "", more[64] = "";
	check_begin(&argc, &argv);
	parse(10, first, 0, found);
#ifdef NAMES
	CHECK(!strcmp(found, "acb3b4c+one+two+-a"));
	optind = 1;
	parse(5, second, 1, more);
	CHECK(!strcmp(more, "s5caq+x"));
#else
	CHECK(!strcmp(found, "acb3b4c"));
	(void)second, (void)more;
#endif
	return check_end("options");
}
