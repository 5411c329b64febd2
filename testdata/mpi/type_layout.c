/*
 * Does every constructor pick the right elements in the right order? Each type is sent typed and received as plain ints,
 * then sent as plain ints and received typed, leaving gaps alone.
 */
#include "check.h"

#define ROOM 200
#define ORIGIN 60

/* One element of the type at buffer[ORIGIN] covers these ints, in this order, relative to the origin. */
static void expect(const char *what, MPI_Datatype type, int n, const int *places)
{
	int buffer[ROOM], flat[ROOM], used[ROOM] = {0};
	MPI_Status status;
	int got;

	MPI_Type_commit(&type);
	check_fill(buffer, ROOM, 3);
	check_wipe(flat, ROOM);
	MPI_Sendrecv(buffer + ORIGIN, 1, type, rank, 1, flat, ROOM, MPI_INT, rank, 1, WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &got);
	if (got != n)
		fprintf(stderr, "type %s\n", what);
	CHECK_INT(got, n);
	for (int i = 0; i < n; i++)
		CHECK_INT(flat[i], check_value(3, ORIGIN + places[i]));

	check_wipe(buffer, ROOM);
	check_fill(flat, n, 5);
	MPI_Sendrecv(flat, n, MPI_INT, rank, 2, buffer + ORIGIN, 1, type, rank, 2, WORLD, &status);
	MPI_Get_elements(&status, type, &got);
	CHECK_INT(got, n);
	for (int i = 0; i < n; i++) {
		CHECK_INT(buffer[ORIGIN + places[i]], check_value(5, i));
		used[ORIGIN + places[i]] = 1;
	}
	for (int i = 0; i < ROOM; i++)
		CHECK(used[i] || buffer[i] == -1);
	MPI_Type_free(&type);
}

#define EXPECT(what, type, ...) expect(what, type, LEN(((int[]){__VA_ARGS__})), (int[]){__VA_ARGS__})

static void simple(void)
{
	MPI_Datatype t;

	MPI_Type_contiguous(4, MPI_INT, &t);
	EXPECT("contiguous", t, 0, 1, 2, 3);
	MPI_Type_vector(3, 2, 4, MPI_INT, &t);
	EXPECT("vector", t, 0, 1, 4, 5, 8, 9);
	MPI_Type_vector(3, 1, -4, MPI_INT, &t);
	EXPECT("negative vector", t, 0, -4, -8);
	MPI_Type_vector(2, 3, 3, MPI_INT, &t);
	EXPECT("dense vector", t, 0, 1, 2, 3, 4, 5);
	MPI_Type_create_hvector(3, 2, -12, MPI_INT, &t);
	EXPECT("hvector", t, 0, 1, -3, -2, -6, -5);
}

static void indexed(void)
{
	int lengths[] = {2, 0, 1, 3}, places[] = {7, 50, -5, 0};
	MPI_Aint bytes[] = {28, 80, -20, 0};
	MPI_Datatype t;

	MPI_Type_indexed(4, lengths, places, MPI_INT, &t);
	EXPECT("indexed", t, 7, 8, -5, 0, 1, 2);
	MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, &t);
	EXPECT("hindexed", t, 7, 8, -5, 0, 1, 2);
	MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &t);
	EXPECT("indexed block", t, 7, 8, 50, 51, -5, -4);
	MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &t);
	EXPECT("hindexed block", t, 7, 8, 20, 21, -5, -4);
}

static void subarrays(void)
{
	int n[] = {3, 4, 5}, sub[] = {2, 1, 3}, start[] = {1, 2, 1};
	MPI_Datatype t;

	MPI_Type_create_subarray(3, n, sub, start, MPI_ORDER_C, MPI_INT, &t);
	EXPECT("subarray", t, 31, 32, 33, 51, 52, 53);
	MPI_Type_create_subarray(3, n, sub, start, MPI_ORDER_FORTRAN, MPI_INT, &t);
	EXPECT("subarray in Fortran order", t, 19, 20, 31, 32, 43, 44);
	MPI_Type_create_subarray(1, n, sub, start, MPI_ORDER_C, MPI_INT, &t);
	EXPECT("one dimension", t, 1, 2);
}

static void structs(void)
{
	int lengths[] = {1, 2, 1};
	MPI_Aint places[] = {40, 0, -8};
	MPI_Datatype pair, types[] = {MPI_INT, MPI_INT, MPI_INT}, t, dup;

	MPI_Type_create_struct(3, lengths, places, types, &t);
	EXPECT("struct", t, 10, 0, 1, -2);
	MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
	types[1] = pair;
	MPI_Type_create_struct(3, lengths, places, types, &t);
	EXPECT("struct of vectors", t, 10, 0, 3, 4, 7, -2);
	MPI_Type_dup(pair, &dup);
	MPI_Type_free(&pair);
	EXPECT("dup", dup, 0, 3);
}

static void nested(void)
{
	MPI_Datatype a, b, c;

	MPI_Type_vector(2, 1, 2, MPI_INT, &a); /* 0 2, extent 3 */
	MPI_Type_contiguous(2, a, &b);         /* 0 2 3 5, extent 6 */
	MPI_Type_vector(2, 1, -2, b, &c);      /* and the same at -12 */
	MPI_Type_free(&a);
	MPI_Type_free(&b);
	EXPECT("vector of contiguous of vector", c, 0, 2, 3, 5, -12, -10, -9, -7);
	MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &a);
	MPI_Type_contiguous(3, a, &b);
	MPI_Type_free(&a);
	EXPECT("contiguous of resized", b, 0, 3, 6);
	MPI_Type_create_resized(MPI_INT, 0, -2 * (MPI_Aint)sizeof(int), &a);
	MPI_Type_contiguous(3, a, &b);
	MPI_Type_free(&a);
	EXPECT("negative extent", b, 0, -2, -4);
	MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 2}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT, &a);
	MPI_Type_create_indexed_block(2, 1, (int[]){2, 0}, a, &b);
	MPI_Type_free(&a);
	EXPECT("indexed subarrays", b, 37, 38, 41, 42, 5, 6, 9, 10);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	simple();
	indexed();
	subarrays();
	structs();
	nested();
	return check_end("type_layout");
}
