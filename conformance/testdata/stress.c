/*
 * Random messages, random ways to receive them. In each round all ranks draw the same schedule from a common seed: who
 * sends how much to whom, in which order; then each receives what is for it in a way of its own.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 25
#define MESSAGES 120 /* of all ranks in a round */
#define TAGS 4

struct message {
	int source, target, tag, length; /* in ints, its header included */
};

struct header {
	int round, index;
};

static const int sizes[] = {2, 3, 16, 30, 64, 255, 256, 257, 1000, 1023, 1024, 1025, 2047, 2048, 4096, 8191, 16384, 16385, 40000};

static int rank, size, round_number, arrived;
static struct message schedule[MESSAGES];
static int last[TAGS][512]; /* index of the last message from a rank with a tag: they must not overtake */
static unsigned long long common, own;

static unsigned draw(unsigned long long *state, unsigned below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(*state >> 33) % below;
}

static void fail(const char *what, int index)
{
	fprintf(stderr, "FAIL rank %d round %d message %d: %s\n", rank, round_number, index, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void draw_schedule(void)
{
	for (int i = 0; i < MESSAGES; i++) {
		struct message *m = &schedule[i];
		m->source = draw(&common, size);
		m->target = draw(&common, size);
		m->tag = draw(&common, TAGS);
		m->length = sizes[draw(&common, draw(&common, 8) ? 12 : sizeof sizes / sizeof *sizes)];
	}
	memset(last, -1, sizeof last);
	arrived = 0;
}

static int word(int index, int i) { return round_number * 1000003 + index * 7919 + i; }

static MPI_Request send_one(int index)
{
	struct message *m = &schedule[index];
	int *data = malloc(m->length * sizeof *data);
	MPI_Request request;

	*(struct header *)data = (struct header){round_number, index};
	for (int i = 2; i < m->length; i++)
		data[i] = word(index, i);
	if (draw(&own, 4) == 0)
		MPI_Issend(data, m->length, MPI_INT, m->target, m->tag, MPI_COMM_WORLD, &request);
	else
		MPI_Isend(data, m->length, MPI_INT, m->target, m->tag, MPI_COMM_WORLD, &request);
	return request; /* the data is not freed: the heap is the program's, which ends soon */
}

/* Check a message, and that none of its sender with its tag has overtaken it; in_order is 0 where that is not known. */
static void check(const int *data, const MPI_Status *status, int in_order)
{
	const struct header *header = (const struct header *)data;
	int count, index = header->index;

	MPI_Get_count(status, MPI_INT, &count);
	if (count < 2 || header->round != round_number || index < 0 || index >= MESSAGES)
		fail("no header of this round", index);
	struct message *m = &schedule[index];
	if (m->target != rank || m->source != status->MPI_SOURCE || m->tag != status->MPI_TAG || m->length != count)
		fail("wrong envelope", index);
	for (int i = 2; i < count; i++)
		if (data[i] != word(index, i))
			fail("wrong data", index);
	if (in_order && last[m->tag][m->source] >= index)
		fail("overtaken", index);
	last[m->tag][m->source] = index;
	arrived++;
}

/* Receive by matched probes, from anywhere. */
static void receive_probed(int expected)
{
	MPI_Message message;
	MPI_Status status;
	int flag, count;

	while (arrived < expected) {
		if (draw(&own, 2))
			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status), flag = 1;
		else
			MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
		if (!flag)
			continue;
		MPI_Get_count(&status, MPI_INT, &count);
		int *data = malloc(count * sizeof *data);
		MPI_Mrecv(data, count, MPI_INT, &message, &status);
		check(data, &status, 1);
		free(data);
	}
}

/* Post all receives, wild or exact, and complete them in order of posting or as they come. */
static void receive_posted(int expected, int wild, int in_order)
{
	int *data[MESSAGES], posted = 0, index;
	MPI_Request requests[MESSAGES];
	MPI_Status status;

	for (int i = 0; i < MESSAGES; i++) {
		if (schedule[i].target != rank)
			continue;
		data[posted] = malloc(40000 * sizeof(int));
		MPI_Irecv(data[posted], 40000, MPI_INT, wild ? MPI_ANY_SOURCE : schedule[i].source, wild > 1 ? MPI_ANY_TAG : schedule[i].tag,
			  MPI_COMM_WORLD, &requests[posted]);
		posted++;
	}
	for (int i = 0; i < expected; i++) {
		index = i;
		if (in_order)
			MPI_Wait(&requests[i], &status);
		else
			MPI_Waitany(posted, requests, &index, &status);
		check(data[index], &status, in_order);
		free(data[index]);
	}
}

static void receive(int expected)
{
	switch (draw(&own, 4)) {
	case 0: receive_probed(expected); break;
	case 1: receive_posted(expected, 0, draw(&own, 2)); break;
	case 2: receive_posted(expected, 1, draw(&own, 2)); break;
	default: receive_posted(expected, 2, draw(&own, 2));
	}
}

static void play_round(void)
{
	MPI_Request sends[MESSAGES];
	int sent = 0, expected = 0;

	draw_schedule();
	for (int i = 0; i < MESSAGES; i++) {
		if (schedule[i].source == rank)
			sends[sent++] = send_one(i);
		expected += schedule[i].target == rank;
	}
	receive(expected);
	MPI_Waitall(sent, sends, MPI_STATUSES_IGNORE);
	/* A wildcard of a slow rank must not take a message of the next round. */
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int total = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	common = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	own = common + 77 * rank;
	for (round_number = 0; round_number < ROUNDS; round_number++) {
		play_round();
		total += arrived;
	}
	MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (total != ROUNDS * MESSAGES)
		fail("messages are missing", total);
	if (rank == 0)
		printf("PASS stress\n");
	MPI_Finalize();
	return 0;
}
