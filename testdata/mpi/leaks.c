/* Does making and freeing everything a thousand times leave the memory of a rank as it was? */
#include "check.h"
#include "heap_use.h"

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
	(void)comm, (void)keyval, (void)extra;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

static void reduce(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void communicators(void)
{
	MPI_Comm dup, split, cart;
	MPI_Group all, first, none;
	int key, dims[1] = {size}, periods[1] = {1}, zero = 0;
	MPI_Errhandler handler, got;

	MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(WORLD, key, &key);
	MPI_Comm_dup(WORLD, &dup);
	MPI_Comm_delete_attr(WORLD, key);
	MPI_Comm_free_keyval(&key);
	MPI_Comm_set_name(dup, "for a while");
	MPI_Comm_split(dup, rank % 2, rank, &split);
	MPI_Cart_create(dup, 1, dims, periods, 0, &cart);
	MPI_Comm_group(split, &all);
	MPI_Group_incl(all, 1, &zero, &first);
	MPI_Group_difference(first, all, &none);
	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_set_errhandler(dup, handler);
	MPI_Comm_get_errhandler(dup, &got);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&handler);
	MPI_Group_free(&all);
	MPI_Group_free(&first);
	if (none != MPI_GROUP_EMPTY)
		MPI_Group_free(&none);
	MPI_Comm_free(&cart);
	MPI_Comm_free(&split);
	MPI_Comm_free(&dup);
}

static void types(void)
{
	MPI_Datatype vector, pair, dup;
	int lengths[2] = {1, 2}, key;
	MPI_Aint displacements[2] = {0, 64};
	MPI_Datatype members[2];

	MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
	MPI_Type_vector(3, 1, 2, MPI_INT, &vector);
	MPI_Type_set_attr(vector, key, &key);
	members[0] = members[1] = vector;
	MPI_Type_create_struct(2, lengths, displacements, members, &pair);
	MPI_Type_commit(&pair);
	MPI_Type_dup(vector, &dup);
	MPI_Type_free(&dup);
	MPI_Type_free(&vector);
	MPI_Type_free(&pair);
	MPI_Type_free_keyval(&key);
}

static void messages(void)
{
	static int in[40], out[40];
	MPI_Request requests[4];
	int right = (rank + 1) % size, left = (rank + size - 1) % size, got;
	MPI_Info info;
	MPI_Op op;
	void *memory;

	MPI_Send_init(out, 40, MPI_INT, right, 1, WORLD, &requests[0]);
	MPI_Recv_init(in, 40, MPI_INT, left, 1, WORLD, &requests[1]);
	MPI_Startall(2, requests);
	MPI_Isend(out, 1, MPI_INT, right, 2, WORLD, &requests[2]);
	MPI_Irecv(&got, 1, MPI_INT, left, 2, WORLD, &requests[3]);
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Op_create(reduce, 1, &op);
	MPI_Allreduce(out, in, 40, MPI_INT, op, WORLD);
	MPI_Op_free(&op);
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "value");
	MPI_Info_free(&info);
	MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory);
	MPI_Free_mem(memory);
}

/* What the rank holds, and what the library holds for all ranks. */
static struct heap_use round_of(int n)
{
	for (int i = 0; i < n; i++) {
		communicators();
		types();
		messages();
	}
	MPI_Barrier(WORLD);
	return heap_use();
}

int main(int argc, char **argv)
{
	struct heap_use before, after;

	check_begin(&argc, &argv);
	round_of(50); /* tables, pools and lists grow to what they need */
	before = round_of(50);
	after = round_of(900);
	CHECK(after.heap > 0 && after.heap <= before.heap + 4096);
	CHECK(after.mapped <= before.mapped + 4096);
	return check_end("leaks");
}
