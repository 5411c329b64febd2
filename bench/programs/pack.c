/* pack BATCHES ITERATIONS: MPI_Pack and MPI_Unpack of types that programs use, each beside the loop that a programmer would
 * write in its place. Every batch gives the time of one call, of one loop. One rank; all that happens is computing. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

#include "sample.h"

#define DOUBLES 8192 /* packed; 64 KiB */
#define ROOM (1 << 18) /* doubles in the buffer that the types lie in */
#define EDGE 66 /* of the cube whose faces go to neighbours */

static double *field, *packed, *check;
static int places[DOUBLES];
static int lengths[DOUBLES];
static int irregular; /* blocks of places and lengths */

struct record {
	int id;
	double x[3];
	short kind;
};
#define RECORDS (ROOM / (int)(sizeof(struct record) / sizeof(double)) / 4)

/* ---- loops by hand: to is packed when pack is set, else field ---- */

#define BOTH(statement_pack, statement_unpack)                                                                                    \
	if (pack)                                                                                                                     \
		statement_pack;                                                                                                       \
	else                                                                                                                          \
		statement_unpack

#define VECTOR(B)                                                                                                                   \
	static void vector##B(int pack, long stride)                                                                                  \
	{                                                                                                                             \
		double *f = field, *p = packed;                                                                                       \
		BOTH(for (long i = 0; i < DOUBLES / B; i++) for (int j = 0; j < B; j++) p[i * B + j] = f[i * stride + j],             \
		     for (long i = 0; i < DOUBLES / B; i++) for (int j = 0; j < B; j++) f[i * stride + j] = p[i * B + j]);            \
	}
VECTOR(1)
VECTOR(2)
VECTOR(4)
VECTOR(8)

#define INDEXED(B)                                                                                                                  \
	static void indexed##B(int pack, long unused)                                                                                 \
	{                                                                                                                             \
		(void)unused;                                                                                                         \
		double *f = field, *p = packed;                                                                                       \
		BOTH(for (long i = 0; i < DOUBLES / B; i++) for (int j = 0; j < B; j++) p[i * B + j] = f[places[i] + j],              \
		     for (long i = 0; i < DOUBLES / B; i++) for (int j = 0; j < B; j++) f[places[i] + j] = p[i * B + j]);             \
	}
INDEXED(1)
INDEXED(4)

static void blocks(int pack, long unused)
{
	(void)unused;
	double *p = packed;
	for (int i = 0; i < irregular; i++) {
		double *f = field + places[i];
		int n = lengths[i];
		BOTH(for (int j = 0; j < n; j++) *p++ = f[j], for (int j = 0; j < n; j++) f[j] = *p++);
	}
}

static void records(int pack, long unused)
{
	(void)unused;
	struct record *r = (struct record *)field;
	char *p = (char *)packed;
	for (int i = 0; i < RECORDS; i++, p += 30) {
		if (pack) {
			memcpy(p, &r[i].id, sizeof r[i].id);
			memcpy(p + 4, r[i].x, sizeof r[i].x);
			memcpy(p + 28, &r[i].kind, sizeof r[i].kind);
		} else {
			memcpy(&r[i].id, p, sizeof r[i].id);
			memcpy(r[i].x, p + 4, sizeof r[i].x);
			memcpy(&r[i].kind, p + 28, sizeof r[i].kind);
		}
	}
}

/* A block of the cube: from 1 to n of each dimension. */
static void cube(int pack, int nx, int ny, int nz)
{
	double *p = packed;
	for (int x = 1; x <= nx; x++)
		for (int y = 1; y <= ny; y++) {
			double *f = field + ((long)x * EDGE + y) * EDGE + 1;
			BOTH(for (int z = 0; z < nz; z++) *p++ = f[z], for (int z = 0; z < nz; z++) f[z] = *p++);
		}
}

static void face_x(int pack, long thick)
{
	cube(pack, thick, EDGE - 2, EDGE - 2);
}
static void face_y(int pack, long thick)
{
	cube(pack, EDGE - 2, thick, EDGE - 2);
}
static void face_z(int pack, long thick)
{
	cube(pack, EDGE - 2, EDGE - 2, thick);
}

/* ---- the same as datatypes ---- */

static MPI_Datatype vector_type(int block, int stride)
{
	MPI_Datatype t;
	MPI_Type_vector(DOUBLES / block, block, stride, MPI_DOUBLE, &t);
	return t;
}

static MPI_Datatype indexed_type(int block)
{
	MPI_Datatype t;
	MPI_Type_create_indexed_block(DOUBLES / block, block, places, MPI_DOUBLE, &t);
	return t;
}

static MPI_Datatype blocks_type(void)
{
	MPI_Datatype t;
	MPI_Type_indexed(irregular, lengths, places, MPI_DOUBLE, &t);
	return t;
}

static MPI_Datatype record_type(void)
{
	MPI_Datatype t, parts[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
	MPI_Aint at[] = {offsetof(struct record, id), offsetof(struct record, x), offsetof(struct record, kind)};
	MPI_Type_create_struct(3, (int[]){1, 3, 1}, at, parts, &t);
	return t;
}

static MPI_Datatype cube_type(int nx, int ny, int nz)
{
	MPI_Datatype t;
	MPI_Type_create_subarray(3, (int[]){EDGE, EDGE, EDGE}, (int[]){nx, ny, nz}, (int[]){1, 1, 1}, MPI_ORDER_C, MPI_DOUBLE, &t);
	return t;
}

/* ---- measuring ---- */

struct shape {
	const char *name;
	MPI_Datatype type;
	int count;
	void (*hand)(int pack, long argument);
	long argument;
};

static void by_type(const struct shape *s, int pack, int bytes)
{
	int position = 0;
	if (pack)
		MPI_Pack(field, s->count, s->type, packed, bytes, &position, MPI_COMM_SELF);
	else
		MPI_Unpack(packed, bytes, &position, field, s->count, s->type, MPI_COMM_SELF);
}

static void verify(const struct shape *s, int bytes)
{
	for (int i = 0; i < ROOM; i++)
		field[i] = i;
	s->hand(1, s->argument);
	memcpy(check, packed, bytes);
	memset(packed, 0, bytes);
	by_type(s, 1, bytes);
	sample_require(!memcmp(check, packed, bytes), s->name);
}

static void print(const char *what, const struct shape *s, int pack, double start, int iterations)
{
	char key[64];
	snprintf(key, sizeof key, "%s_%s_%s", what, pack ? "pack" : "unpack", s->name);
	sample_print(key, (sample_clock(CLOCK_THREAD_CPUTIME_ID) - start) / iterations);
}

static void measure(const struct shape *s, int pack, int iterations, int bytes)
{
	double start = sample_clock(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < iterations; i++)
		by_type(s, pack, bytes);
	print("type", s, pack, start, iterations);
	start = sample_clock(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < iterations; i++) {
		s->hand(pack, s->argument);
		__asm__ volatile("" ::"r"(packed), "r"(field) : "memory");
	}
	print("hand", s, pack, start, iterations);
}

static void run(struct shape *s, int batches, int iterations)
{
	int bytes;
	MPI_Type_commit(&s->type);
	MPI_Type_size(s->type, &bytes);
	bytes *= s->count;
	verify(s, bytes);
	for (int b = 0; b < batches; b++) {
		measure(s, 1, iterations, bytes);
		measure(s, 0, iterations, bytes);
	}
	MPI_Type_free(&s->type);
}

/* Places in no order that anything can follow, the blocks of which do not overlap. */
static void scatter(void)
{
	unsigned seed = 12345;
	for (int i = 0; i < DOUBLES; i++)
		places[i] = i * (ROOM / DOUBLES);
	for (int i = DOUBLES - 1; i > 0; i--) {
		seed = seed * 1664525 + 1013904223;
		int k = (seed >> 8) % (i + 1), was = places[i];
		places[i] = places[k];
		places[k] = was;
	}
	for (int n = 0; n < DOUBLES - 8; n += lengths[irregular++]) {
		seed = seed * 1664525 + 1013904223;
		lengths[irregular] = 1 + (seed >> 8) % 7;
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	field = calloc(ROOM + EDGE * EDGE * EDGE, sizeof *field);
	packed = calloc(ROOM, sizeof *packed);
	check = calloc(ROOM, sizeof *check);
	scatter();
	struct shape shapes[] = {
		{"vector_1_of_2", vector_type(1, 2), 1, vector1, 2},
		{"vector_1_of_16", vector_type(1, 16), 1, vector1, 16},
		{"vector_2_of_16", vector_type(2, 16), 1, vector2, 16},
		{"vector_4_of_16", vector_type(4, 16), 1, vector4, 16},
		{"vector_8_of_16", vector_type(8, 16), 1, vector8, 16},
		{"indexed_block_1", indexed_type(1), 1, indexed1, 0},
		{"indexed_block_4", indexed_type(4), 1, indexed4, 0},
		{"indexed_1_to_7", blocks_type(), 1, blocks, 0},
		{"struct", record_type(), RECORDS, records, 0},
		{"face_x", cube_type(2, EDGE - 2, EDGE - 2), 1, face_x, 2},
		{"face_y", cube_type(EDGE - 2, 2, EDGE - 2), 1, face_y, 2},
		{"face_z", cube_type(EDGE - 2, EDGE - 2, 1), 1, face_z, 1},
		{"face_z_thick", cube_type(EDGE - 2, EDGE - 2, 2), 1, face_z, 2},
	};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		run(&shapes[i], sample_argument(argc, argv, 1, 9), sample_argument(argc, argv, 2, 200));
	MPI_Finalize();
	return 0;
}
