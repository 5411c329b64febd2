/* Opens very many requests of one kind, completes them and checks what came: many_requests COUNT KIND. With KIND
 * "fill" it opens requests until it is told that there is no room, then completes all and opens one again. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int nobody_asks(void *state, MPI_Status *s)
{
	MPI_Status_set_elements(s, MPI_INT, 0);
	MPI_Status_set_cancelled(s, 0);
	s->MPI_SOURCE = s->MPI_TAG = MPI_UNDEFINED;
	(void)state;
	return MPI_SUCCESS;
}

static int freed;

static int free_state(void *state)
{
	(void)state;
	freed++;
	return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete)
{
	(void)state, (void)complete;
	return MPI_SUCCESS;
}

static int is(const char *kind, const char *name)
{
	return !strcmp(kind, name);
}

static void open_one(const char *kind, int *to, MPI_Request *r, MPI_Comm comm)
{
	if (is(kind, "receive") || is(kind, "fill"))
		MPI_Irecv(to, 1, MPI_INT, 0, 7, comm, r);
	else if (is(kind, "persistent"))
		MPI_Recv_init(to, 1, MPI_INT, 0, 7, comm, r);
	else if (is(kind, "collective"))
		MPI_Ibarrier(comm, r);
	else
		MPI_Grequest_start(nobody_asks, free_state, no_cancel, NULL, r);
}

static void fill(MPI_Comm self)
{
	static MPI_Request r[1 << 20];
	char text[MPI_MAX_ERROR_STRING];
	int n = 0, got = 0, one = 1, len, code = MPI_SUCCESS;
	MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
	while (n < 1 << 20 && (code = MPI_Irecv(&got, 1, MPI_INT, 0, 7, self, &r[n])) == MPI_SUCCESS)
		n++;
	MPI_Error_string(code, text, &len);
	printf("%d open, then: %s\n", n, text);
	for (int i = 0; i < n; i++)
		MPI_Send(&one, 1, MPI_INT, 0, 7, self);
	MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
	open_one("receive", &got, r, self);
	MPI_Send(&one, 1, MPI_INT, 0, 7, self);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	printf("PASS many_requests\n");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int n = atoi(argv[1]), bad = 0, me, size;
	const char *kind = argv[2];
	MPI_Comm self;
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_SELF, &self);
	if (is(kind, "fill")) {
		fill(self);
		MPI_Finalize();
		return 0;
	}
	MPI_Request *r = malloc(n * sizeof *r);
	int *to = calloc(n, sizeof *to);
	for (int i = 0; i < n; i++)
		open_one(kind, &to[i], &r[i], is(kind, "collective") ? MPI_COMM_WORLD : self);
	if (is(kind, "persistent"))
		MPI_Startall(n, r);
	for (int i = 0; i < n; i++)
		if (is(kind, "receive") || is(kind, "persistent"))
			MPI_Send(&i, 1, MPI_INT, 0, 7, self);
		else if (is(kind, "general"))
			MPI_Grequest_complete(r[i]);
	MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < n; i++)
		bad += (is(kind, "receive") || is(kind, "persistent")) && to[i] != i;
	if (is(kind, "persistent"))
		for (int i = 0; i < n; i++)
			MPI_Request_free(&r[i]);
	bad += is(kind, "general") && freed != n;
	if (bad)
		printf("FAIL %d wrong\n", bad);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!me)
		printf("PASS many_requests\n");
	MPI_Finalize();
	return bad != 0;
}
