/* Neighbourhood allgather(v) and alltoall(v) of all forms on all topologies give what the same exchange by messages gives, and touch
 * nothing else. */
#include "neighbor_calls.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	grids(check_most);
	graphs(check_most);
	dist_graphs(check_most);
	return check_end("neighbor_collectives");
}
