/* Can communicators, groups and keys of every kind be made and freed thousands of times? */
#include "check.h"

static MPI_Comm half, inter;
static int freed;

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	freed++;
	return MPI_SUCCESS;
}

static void dup(void)
{
	MPI_Comm a, b;
	MPI_Request req;

	MPI_Comm_dup(WORLD, &a);
	MPI_Comm_idup(a, &b, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Comm_free(&a);
	MPI_Comm_free(&b);
}

static void split(void)
{
	MPI_Comm a, b;

	MPI_Comm_split(WORLD, rank % 2, -rank, &a);
	MPI_Comm_split_type(a, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &b);
	MPI_Comm_free(&a);
	MPI_Comm_disconnect(&b);
}

static void groups(void)
{
	MPI_Group g, h, u;
	MPI_Comm a;
	int first = 0;

	MPI_Comm_group(WORLD, &g);
	MPI_Group_incl(g, 1, &first, &h);
	MPI_Group_union(h, g, &u);
	MPI_Comm_create(WORLD, u, &a);
	MPI_Group_free(&g);
	MPI_Group_free(&h);
	MPI_Comm_free(&a);
	MPI_Comm_create_group(WORLD, u, 1, &a);
	MPI_Comm_free(&a);
	MPI_Group_free(&u);
}

static void keys(void)
{
	MPI_Comm a, b;
	int key;

	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, on_delete, &key, NULL);
	MPI_Comm_dup(MPI_COMM_SELF, &a);
	MPI_Comm_set_attr(a, key, NULL);
	MPI_Comm_free_keyval(&key);
	MPI_Comm_dup(a, &b);
	MPI_Comm_free(&a);
	MPI_Comm_free(&b);
}

static void across(void)
{
	MPI_Comm a, b;

	if (size == 1)
		return;
	MPI_Intercomm_create(half, 0, WORLD, rank % 2 ? 0 : 1, 3, &a);
	MPI_Intercomm_merge(a, rank % 2, &b);
	MPI_Comm_free(&b);
	MPI_Comm_dup(inter, &b);
	MPI_Comm_free(&b);
	MPI_Comm_free(&a);
}

int main(int argc, char **argv)
{
	int times;

	check_begin(&argc, &argv);
	times = size > 8 ? 200 : 1000;
	MPI_Comm_split(WORLD, rank % 2, rank, &half);
	if (size > 1)
		MPI_Intercomm_create(half, 0, WORLD, rank % 2 ? 0 : 1, 3, &inter);
	for (int i = 0; i < times; i++) {
		dup();
		split();
		groups();
		keys();
		across();
	}
	CHECK_INT(freed, 2 * times);
	MPI_Comm_free(&half);
	if (size > 1)
		MPI_Comm_free(&inter);
	return check_end("comm_churn");
}
