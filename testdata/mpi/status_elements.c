/* Does Status_set_elements count basic elements, of pairs and derived types too, up to the largest numbers that a status holds? */
#include "check.h"

#define SET(type, n) check_class(MPI_Status_set_elements_x(&status, type, n))
static MPI_Status status;

static long long elements(MPI_Datatype type)
{
	MPI_Count n = -7;

	MPI_Get_elements_x(&status, type, &n);
	return n;
}

static int whole(MPI_Datatype type)
{
	int n = -7;

	MPI_Get_count(&status, type, &n);
	return n;
}

static void small(void)
{
	MPI_Datatype t;

	CHECK_INT(SET(MPI_DOUBLE_INT, 3), MPI_SUCCESS);
	CHECK_INT(elements(MPI_DOUBLE_INT), 3);
	CHECK_INT(whole(MPI_DOUBLE_INT), MPI_UNDEFINED);
	CHECK_INT(SET(MPI_DOUBLE_INT, 4), MPI_SUCCESS);
	CHECK_INT(whole(MPI_DOUBLE_INT), 2);
	MPI_Type_contiguous(3, MPI_SHORT_INT, &t);
	MPI_Type_commit(&t);
	CHECK_INT(SET(t, 7), MPI_SUCCESS);
	CHECK_INT(elements(t), 7);
	CHECK_INT(whole(t), MPI_UNDEFINED);
	CHECK_INT(SET(t, 12), MPI_SUCCESS);
	CHECK_INT(whole(t), 2);
	MPI_Type_free(&t);
}

/* A type of 2 GiB: 2^32 elements are two of it, and not 2^32 of it. */
static void large(void)
{
	MPI_Datatype t;

	CHECK_INT(SET(MPI_INT, 1LL << 32), MPI_SUCCESS);
	CHECK_INT(elements(MPI_INT), 1LL << 32);
	CHECK_INT(whole(MPI_INT), MPI_UNDEFINED);
	CHECK_INT(SET(MPI_BYTE, 1LL << 62), MPI_SUCCESS);
	CHECK_INT(elements(MPI_BYTE), 1LL << 62);
	MPI_Type_contiguous(1 << 29, MPI_INT, &t);
	MPI_Type_commit(&t);
	CHECK_INT(SET(t, 1LL << 32), MPI_SUCCESS);
	CHECK_INT(elements(t), 1LL << 32);
	CHECK_INT(whole(t), 8);
	CHECK_INT(SET(t, (1LL << 32) + 1), MPI_SUCCESS);
	CHECK_INT(elements(t), (1LL << 32) + 1);
	CHECK_INT(whole(t), MPI_UNDEFINED);
	MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	small();
	large();
	return check_end("status_elements");
}
