/* All forms of all neighbourhood collectives; alltoallw with types, counts and byte displacements of its own for each edge, and types
 * freed before it is complete. */
#include "neighbor_calls.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	grids(check_all);
	graphs(check_all);
	dist_graphs(check_all);
	return check_end("neighbor_forms");
}
