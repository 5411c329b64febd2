/* Does each kind of object and request, made and freed many times, leave the memory of a rank and of the library as it was? */
#include "check.h"
#include "heap_use.h"

#define N 300 /* ints: some messages wait in the sender's memory */

static int out[N], in[N], left, right;
static MPI_Request requests[8];

/* ---- requests ---- */

static void wait_all(int n)
{
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void modes(void)
{
	static char room[2 * (N * sizeof(int) + MPI_BSEND_OVERHEAD)];
	char *back;
	int bytes;

	MPI_Buffer_attach(room, sizeof room);
	MPI_Isend(out, N, MPI_INT, right, 1, WORLD, &requests[0]);
	MPI_Issend(out, N, MPI_INT, right, 2, WORLD, &requests[1]);
	MPI_Ibsend(out, N, MPI_INT, right, 3, WORLD, &requests[2]);
	for (int i = 0; i < 3; i++)
		MPI_Irecv(in, N, MPI_INT, left, 1 + i, WORLD, &requests[3 + i]);
	wait_all(6);
	MPI_Buffer_detach(&back, &bytes);
	MPI_Isendrecv(out, N, MPI_INT, right, 4, in, N, MPI_INT, left, 4, WORLD, &requests[0]);
	MPI_Isendrecv_replace(out, N, MPI_INT, right, 5, left, 5, WORLD, &requests[1]);
	wait_all(2);
}

static void unfinished(void)
{
	MPI_Irecv(in, 1, MPI_INT, left, 999, WORLD, &requests[0]);
	MPI_Cancel(&requests[0]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Isend(out, N, MPI_INT, right, 6, WORLD, &requests[0]);
	MPI_Request_free(&requests[0]);
	MPI_Recv(in, N, MPI_INT, left, 6, WORLD, MPI_STATUS_IGNORE);
	MPI_Recv_init(in, N, MPI_INT, left, 7, WORLD, &requests[0]);
	MPI_Request_free(&requests[0]);
}

static void matched(void)
{
	MPI_Message m;

	MPI_Isend(out, N, MPI_INT, right, 8, WORLD, &requests[0]);
	MPI_Mprobe(left, 8, WORLD, &m, MPI_STATUS_IGNORE);
	MPI_Imrecv(in, N, MPI_INT, &m, &requests[1]);
	wait_all(2);
}

static void persistent(void)
{
	MPI_Send_init(out, N, MPI_INT, right, 9, WORLD, &requests[0]);
	MPI_Ssend_init(out, N, MPI_INT, right, 10, WORLD, &requests[1]);
	MPI_Recv_init(in, N, MPI_INT, left, 9, WORLD, &requests[2]);
	MPI_Recv_init(in, N, MPI_INT, left, 10, WORLD, &requests[3]);
	MPI_Psend_init(out, 3, N / 3, MPI_INT, right, 11, WORLD, MPI_INFO_NULL, &requests[4]);
	MPI_Precv_init(in, 2, N / 2, MPI_INT, left, 11, WORLD, MPI_INFO_NULL, &requests[5]);
	MPI_Barrier_init(WORLD, MPI_INFO_NULL, &requests[6]);
	MPI_Allreduce_init(out, in, N, MPI_INT, MPI_MAX, WORLD, MPI_INFO_NULL, &requests[7]);
	MPI_Startall(8, requests);
	for (int i = 0; i < 3; i++)
		MPI_Pready(i, requests[4]);
	wait_all(8);
	for (int i = 0; i < 8; i++)
		MPI_Request_free(&requests[i]);
}

static int nothing(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int query(void *extra, MPI_Status *s)
{
	MPI_Status_set_elements(s, MPI_BYTE, 0);
	MPI_Status_set_cancelled(s, 0);
	return nothing(extra);
}

static int cancel(void *extra, int complete)
{
	(void)complete;
	return nothing(extra);
}

static void generalized(void)
{
	MPI_Grequest_start(query, nothing, cancel, NULL, &requests[0]);
	MPI_Grequest_complete(requests[0]);
	wait_all(1);
	MPI_Grequest_start(query, nothing, cancel, NULL, &requests[0]);
	MPI_Request copy = requests[0];
	MPI_Request_free(&requests[0]);
	MPI_Grequest_complete(copy);
}

static void add(void *a, void *b, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++)
		((int *)b)[i] += ((int *)a)[i];
}

/* Types and operations are freed while they are still needed. */
static void collectives(void)
{
	int ones[64], at[64];
	MPI_Datatype pair;
	MPI_Op op;

	for (int i = 0; i < size; i++)
		ones[i] = 1, at[i] = i;
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Op_create(add, 0, &op);
	MPI_Ibcast(in, 5, pair, 0, WORLD, &requests[0]);
	MPI_Iallreduce(out, in + 20, 5, MPI_INT, op, WORLD, &requests[1]);
	MPI_Iallgatherv(out, 1, MPI_INT, in + 40, ones, at, MPI_INT, WORLD, &requests[2]);
	MPI_Ialltoall(out, 1, MPI_INT, in + 140, 1, MPI_INT, WORLD, &requests[3]);
	MPI_Iscan(out, in + 240, 5, MPI_INT, op, WORLD, &requests[4]);
	MPI_Ibarrier(WORLD, &requests[5]);
	MPI_Type_free(&pair);
	MPI_Op_free(&op);
	wait_all(6);
}

/* ---- communicators ---- */

static void groups_and_hints(void)
{
	MPI_Comm made, idup;
	MPI_Group all, mine;
	MPI_Info info, got;
	MPI_Errhandler h;

	MPI_Comm_group(WORLD, &all);
	MPI_Group_range_incl(all, 1, (int[1][3]){{size - 1, 0, -1}}, &mine);
	MPI_Comm_create(WORLD, mine, &made);
	MPI_Comm_free(&made);
	MPI_Comm_create_group(WORLD, mine, 5, &made);
	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
	MPI_Comm_idup_with_info(made, info, &idup, &requests[0]);
	wait_all(1);
	MPI_Comm_get_info(idup, &got);
	MPI_Comm_set_info(idup, got);
	MPI_Comm_get_errhandler(idup, &h);
	MPI_Errhandler_free(&h);
	MPI_Info_free(&got);
	MPI_Info_free(&info);
	MPI_Comm_free(&idup);
	MPI_Comm_free(&made);
	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
	MPI_Comm_disconnect(&made);
	MPI_Group_free(&mine);
	MPI_Group_free(&all);
}

static void topologies(void)
{
	int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {1, 0}, index[64], edges[64];
	MPI_Comm cart, line, graph, dist;

	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(WORLD, 2, dims, periods, 0, &cart);
	MPI_Cart_sub(cart, keep, &line);
	MPI_Neighbor_allgather_init(out, 1, MPI_INT, in, 1, MPI_INT, cart, MPI_INFO_NULL, &requests[0]);
	MPI_Start(&requests[0]);
	wait_all(1);
	MPI_Request_free(&requests[0]);
	MPI_Comm_free(&line);
	MPI_Comm_free(&cart);
	for (int i = 0; i < size; i++)
		index[i] = i + 1, edges[i] = (i + 1) % size;
	MPI_Graph_create(WORLD, size, index, edges, 0, &graph);
	MPI_Comm_free(&graph);
	MPI_Dist_graph_create_adjacent(WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &dist);
	MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, dist, &requests[0]);
	wait_all(1);
	MPI_Comm_free(&dist);
	MPI_Dist_graph_create(WORLD, 1, &rank, (int[]){1}, &right, (int[]){3}, MPI_INFO_NULL, 0, &dist);
	MPI_Comm_free(&dist);
}

static void intercommunicators(void)
{
	MPI_Comm half, inter, dup, all;

	if (size < 2)
		return;
	MPI_Comm_split(WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 3, &inter);
	MPI_Comm_dup(inter, &dup);
	MPI_Intercomm_merge(dup, rank % 2, &all);
	MPI_Barrier(dup);
	MPI_Comm_free(&all);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

static void sessions(void)
{
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;
	MPI_Info info;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	MPI_Session_get_info(s, &info);
	MPI_Info_free(&info);
	MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
	MPI_Comm_create_from_group(g, "leaks", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
	MPI_Barrier(c); /* so that no rank runs ahead, and messages do not pile up */
	MPI_Group_free(&g);
	MPI_Comm_free(&c);
	MPI_Session_finalize(&s);
}

/* ---- what else there is ---- */

static void on_error(MPI_Session *s, int *code, ...)
{
	(void)s, (void)code;
}

static void errors(void)
{
	int class, code;
	MPI_Errhandler h;

	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code);
	MPI_Add_error_string(code, "a text");
	MPI_Remove_error_string(code);
	MPI_Remove_error_code(code);
	MPI_Remove_error_class(class);
	MPI_Session_create_errhandler(on_error, &h);
	MPI_Errhandler_free(&h);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Send(out, -1, MPI_INT, 0, 0, MPI_COMM_SELF);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void types(void)
{
	int ints[20];
	MPI_Aint places[20];
	MPI_Datatype array, inner, again, parts[2];
	MPI_Count counts[] = {4, 4}, sub[] = {2, 2}, start[] = {1, 1};

	MPI_Type_create_darray(4, 1, 2, (int[]){6, 8}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
			       (int[]){MPI_DISTRIBUTE_DFLT_DARG, 2}, (int[]){2, 2}, MPI_ORDER_C, MPI_INT, &array);
	MPI_Type_create_subarray_c(2, counts, sub, start, MPI_ORDER_C, MPI_INT, &inner);
	MPI_Type_create_resized(array, 0, 1000, &again);
	MPI_Type_commit(&again);
	MPI_Type_set_name(again, "for a while");
	MPI_Type_get_contents(again, 0, 2, 1, ints, places, parts);
	MPI_Type_free(&parts[0]);
	MPI_Type_free(&array);
	MPI_Type_free(&inner);
	MPI_Type_free(&again);
	MPI_Type_create_f90_real(6, 30, &again);
	MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &again);
}

static void infos(void)
{
	MPI_Info info, dup;

	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "a value");
	MPI_Info_set(info, "key", "another value");
	MPI_Info_set(info, "second", "a value");
	MPI_Info_dup(info, &dup);
	MPI_Info_delete(dup, "key");
	MPI_Info_free(&info);
	MPI_Info_free(&dup);
}

static const struct { const char *name; void (*run)(void); } kinds[] = {
	{"send modes", modes}, {"requests that are cancelled or freed", unfinished}, {"matched messages", matched},
	{"persistent requests", persistent}, {"generalized requests", generalized}, {"collectives", collectives},
	{"groups and hints", groups_and_hints}, {"topologies", topologies}, {"intercommunicators", intercommunicators},
	{"sessions", sessions}, {"errors", errors}, {"types", types}, {"infos", infos},
};

/* Memory of the rank and of the library, after n times. */
static struct heap_use after(int kind, int n)
{
	for (int i = 0; i < n; i++)
		kinds[kind].run();
	MPI_Barrier(WORLD);
	struct heap_use now = heap_use();
	MPI_Barrier(WORLD); /* others may make shared objects again */
	return now;
}

int main(int argc, char **argv)
{
	int leaks = 0;

	check_begin(&argc, &argv);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	for (int k = 0; k < LEN(kinds); k++) {
		after(k, 20); /* tables, pools and lists grow to what they need */
		struct heap_use before = after(k, 20), now = after(k, 200);
		long long heap = now.heap - before.heap, shared = now.mapped - before.mapped;
		if (heap <= 2048 && shared <= 4096)
			continue;
		leaks++;
		fprintf(stderr, "rank %d of %d: %s: %lld bytes more in the heap, %lld bytes more in the library\n", rank, size, kinds[k].name, heap, shared);
	}
	CHECK_INT(leaks, 0);
	return check_end("leaks_kinds");
}
