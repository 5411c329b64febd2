/* Are size, extent, lower bound and true extent right for every constructor, negative strides included? */
#include "check.h"

static void expect(const char *what, MPI_Datatype type, int size_want, long lb, long extent, long true_lb, long true_extent)
{
	MPI_Aint l, e, tl, te;
	MPI_Count big;
	int bytes;

	MPI_Type_size(type, &bytes);
	MPI_Type_size_x(type, &big);
	MPI_Type_get_extent(type, &l, &e);
	MPI_Type_get_true_extent(type, &tl, &te);
	if (rank == 0)
		printf("%s: size %d lb %ld extent %ld true %ld %ld\n", what, bytes, (long)l, (long)e, (long)tl, (long)te);
	CHECK_INT(bytes, size_want);
	CHECK_INT(big, size_want);
	CHECK_INT(l, lb);
	CHECK_INT(e, extent);
	CHECK_INT(tl, true_lb);
	CHECK_INT(te, true_extent);
}

static void done(const char *what, MPI_Datatype type, int size_want, long lb, long extent, long true_lb, long true_extent)
{
	expect(what, type, size_want, lb, extent, true_lb, true_extent);
	MPI_Type_free(&type);
	CHECK(type == MPI_DATATYPE_NULL);
}

static void vectors(void)
{
	MPI_Datatype t;

	MPI_Type_contiguous(5, MPI_INT, &t);
	done("contiguous", t, 20, 0, 20, 0, 20);
	MPI_Type_contiguous(0, MPI_INT, &t);
	done("empty", t, 0, 0, 0, 0, 0);
	MPI_Type_vector(3, 2, 5, MPI_INT, &t);
	done("vector", t, 24, 0, 48, 0, 48);
	MPI_Type_vector(3, 2, -5, MPI_INT, &t);
	done("negative vector", t, 24, -40, 48, -40, 48);
	MPI_Type_create_hvector(4, 1, 10, MPI_SHORT, &t);
	done("hvector", t, 8, 0, 32, 0, 32);
	MPI_Type_create_hvector(2, 3, -104, MPI_DOUBLE, &t);
	done("negative hvector", t, 48, -104, 128, -104, 128);
}

static void indexed(void)
{
	int lengths[] = {2, 0, 1}, places[] = {4, 100, -1};
	MPI_Aint bytes[] = {16, 1000, -8};
	MPI_Datatype t;

	MPI_Type_indexed(3, lengths, places, MPI_INT, &t);
	done("indexed", t, 12, -4, 28, -4, 28);
	MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &t);
	done("hindexed", t, 12, -8, 32, -8, 32);
	MPI_Type_create_indexed_block(3, 2, (int[]){0, 5, 2}, MPI_CHAR, &t);
	done("indexed block", t, 6, 0, 7, 0, 7);
	MPI_Type_create_hindexed_block(2, 1, (MPI_Aint[]){3, 9}, MPI_CHAR, &t);
	done("hindexed block", t, 2, 3, 7, 3, 7);
}

static void structs(void)
{
	int lengths[] = {1, 1, 3};
	MPI_Aint places[] = {0, 8, 16};
	MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR}, t, r, d;

	MPI_Type_create_struct(3, lengths, places, types, &t);
	expect("struct", t, 12, 0, 24, 0, 19); /* padded to the alignment of double */
	MPI_Type_create_resized(t, -4, 40, &r);
	MPI_Type_free(&t);
	expect("resized", r, 12, -4, 40, 0, 19);
	MPI_Type_contiguous(2, r, &t);
	done("two resized", t, 24, -4, 80, 0, 59);
	MPI_Type_dup(r, &d);
	MPI_Type_free(&r);
	done("dup", d, 12, -4, 40, 0, 19);
	MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT, &t);
	done("subarray", t, 24, 0, 96, 32, 36);
	MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_FORTRAN, MPI_INT, &t);
	done("subarray in Fortran order", t, 24, 0, 96, 36, 40);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	expect("int", MPI_INT, 4, 0, 4, 0, 4);
	expect("byte", MPI_BYTE, 1, 0, 1, 0, 1);
	expect("long double", MPI_LONG_DOUBLE, 16, 0, 16, 0, 16);
	expect("double and int", MPI_DOUBLE_INT, 12, 0, 16, 0, 12);
	expect("short and int", MPI_SHORT_INT, 6, 0, 8, 0, 8);
	vectors();
	indexed();
	structs();
	return check_end("type_extent");
}
