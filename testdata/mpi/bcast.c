/* Does a broadcast from every root reach all, with any count and type, and with other type maps at the root? */
#include "check.h"

#define MAX 70000

static int data[MAX];

static void ints(int root, int n)
{
	check_wipe(data, n);
	if (rank == root)
		check_fill(data, n, root + n);
	MPI_Bcast(data, n, MPI_INT, root, WORLD);
	CHECK(check_filled(data, n, root + n));
}

static void others(int root)
{
	char text[32] = "";
	double _Complex z = 0;
	long double ld = 0;

	if (rank == root) {
		strcpy(text, "from the root");
		z = 1.5 + root;
		ld = 1.25L * root;
	}
	MPI_Bcast(text, sizeof text, MPI_CHAR, root, WORLD);
	MPI_Bcast(&z, 1, MPI_C_DOUBLE_COMPLEX, root, WORLD);
	MPI_Bcast(&ld, 1, MPI_LONG_DOUBLE, root, WORLD);
	CHECK(strcmp(text, "from the root") == 0);
	CHECK(z == 1.5 + root);
	CHECK(ld == 1.25L * root);
}

/* The root sends a column, the others receive it as a row. */
static void typed(int root)
{
	MPI_Datatype column;

	MPI_Type_vector(5, 1, 4, MPI_INT, &column);
	MPI_Type_commit(&column);
	check_wipe(data, 20);
	if (rank == root) {
		check_fill(data, 20, root);
		MPI_Bcast(data, 1, column, root, WORLD);
	} else {
		MPI_Bcast(data, 5, MPI_INT, root, WORLD);
		for (int i = 0; i < 5; i++)
			CHECK_INT(data[i], check_value(root, 4 * i));
		CHECK_INT(data[5], -1);
	}
	MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
	const int counts[] = {0, 1, 2, 3, 100, 513, 5000, MAX};

	check_begin(&argc, &argv);
	for (int root = 0; root < size; root++) {
		for (int c = 0; c < LEN(counts); c++)
			ints(root, counts[c]);
		others(root);
		typed(root);
	}
	return check_end("bcast");
}
