/* The same rank several times among the neighbours: rings of one and two, several edges between two nodes, loops. */
#include "neighbor_calls.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	small_grids(check_all);
	multigraphs(check_all);
	return check_end("neighbor_duplicates");
}
