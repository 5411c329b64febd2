/* Do reduce_scatter and reduce_scatter_block in place leave what lies behind a rank's result as it was, in every form of the call? */
#include "check.h"

enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static int *buf, *counts;

static void wait_for(MPI_Request *r, enum form form)
{
	if (form == PERSISTENT)
		MPI_Start(r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	if (form == PERSISTENT)
		MPI_Request_free(r);
}

static void uneven(enum form form)
{
	MPI_Request r;

	if (form == BLOCKING)
		MPI_Reduce_scatter(MPI_IN_PLACE, buf, counts, MPI_INT, MPI_SUM, WORLD);
	else if (form == NONBLOCKING)
		MPI_Ireduce_scatter(MPI_IN_PLACE, buf, counts, MPI_INT, MPI_SUM, WORLD, &r);
	else
		MPI_Reduce_scatter_init(MPI_IN_PLACE, buf, counts, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &r);
	if (form != BLOCKING)
		wait_for(&r, form);
}

static void even(enum form form, int n)
{
	MPI_Request r;

	if (form == BLOCKING)
		MPI_Reduce_scatter_block(MPI_IN_PLACE, buf, n, MPI_INT, MPI_SUM, WORLD);
	else if (form == NONBLOCKING)
		MPI_Ireduce_scatter_block(MPI_IN_PLACE, buf, n, MPI_INT, MPI_SUM, WORLD, &r);
	else
		MPI_Reduce_scatter_block_init(MPI_IN_PLACE, buf, n, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &r);
	if (form != BLOCKING)
		wait_for(&r, form);
}

/* All contribute ones. */
static void expect(int n)
{
	for (int i = 0; i < n * size; i++)
		CHECK_INT(buf[i], i < n ? size : 1);
}

static void fill(int n)
{
	for (int i = 0; i < n * size; i++)
		buf[i] = 1;
	for (int i = 0; i < size; i++)
		counts[i] = n;
}

int main(int argc, char **argv)
{
	static const int lengths[] = {0, 1, 2, 100, 5000};

	check_begin(&argc, &argv);
	buf = malloc(5000 * size * sizeof *buf);
	counts = malloc(size * sizeof *counts);
	for (int form = 0; form < FORMS; form++)
		for (int i = 0; i < LEN(lengths); i++) {
			fill(lengths[i]);
			uneven(form);
			expect(lengths[i]);
			fill(lengths[i]);
			even(form, lengths[i]);
			expect(lengths[i]);
		}
	free(buf);
	free(counts);
	return check_end("reduce_scatter_rest");
}
