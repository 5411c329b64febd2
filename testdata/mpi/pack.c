/* Do pack and unpack agree with each other, with messages of type MPI_PACKED, and with the external format? */
#include "check.h"

static void mixed(void)
{
	char buffer[200], text[8] = "packed", text_in[8];
	int at = 0, n = 5, n_in, size_int, size_char, size_double;
	double values[10], values_in[10] = {0};
	MPI_Datatype every_other;

	for (int i = 0; i < 10; i++)
		values[i] = i + rank;
	MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &every_other);
	MPI_Type_commit(&every_other);
	MPI_Pack_size(1, MPI_INT, WORLD, &size_int);
	MPI_Pack_size(8, MPI_CHAR, WORLD, &size_char);
	MPI_Pack_size(1, every_other, WORLD, &size_double);
	CHECK(size_int >= 4 && size_char >= 8 && size_double >= 40);
	MPI_Pack(&n, 1, MPI_INT, buffer, sizeof buffer, &at, WORLD);
	MPI_Pack(text, 8, MPI_CHAR, buffer, sizeof buffer, &at, WORLD);
	MPI_Pack(values, 1, every_other, buffer, sizeof buffer, &at, WORLD);
	CHECK(at <= size_int + size_char + size_double);

	MPI_Sendrecv(buffer, at, MPI_PACKED, (rank + 1) % size, 1, buffer + 100, 100, MPI_PACKED, (rank + size - 1) % size, 1,
	             WORLD, MPI_STATUS_IGNORE);
	at = 0;
	MPI_Unpack(buffer + 100, 100, &at, &n_in, 1, MPI_INT, WORLD);
	MPI_Unpack(buffer + 100, 100, &at, text_in, 8, MPI_CHAR, WORLD);
	MPI_Unpack(buffer + 100, 100, &at, values_in, 1, every_other, WORLD);
	CHECK_INT(n_in, 5);
	CHECK(strcmp(text_in, "packed") == 0);
	for (int i = 0; i < 10; i++)
		CHECK(values_in[i] == (i % 2 ? 0 : i + (rank + size - 1) % size));
	MPI_Type_free(&every_other);
}

/* A packed message can be received as the type it was made of, and the other way round. */
static void as_type(void)
{
	int out[3] = {1, 2, 3}, in[3], at = 0;
	char buffer[100];

	MPI_Pack(out, 3, MPI_INT, buffer, sizeof buffer, &at, WORLD);
	MPI_Sendrecv(buffer, at, MPI_PACKED, rank, 2, in, 3, MPI_INT, rank, 2, WORLD, MPI_STATUS_IGNORE);
	CHECK(memcmp(in, out, sizeof in) == 0);
	MPI_Sendrecv(out, 3, MPI_INT, rank, 3, buffer, 100, MPI_PACKED, rank, 3, WORLD, MPI_STATUS_IGNORE);
	at = 0;
	in[1] = 0;
	MPI_Unpack(buffer, 100, &at, in, 3, MPI_INT, WORLD);
	CHECK_INT(in[1], 2);
}

/* external32 is big-endian with IEEE numbers. */
static void external(void)
{
	unsigned char buffer[32];
	int n = 0x01020304, back = 0;
	double d = -2.5, d_back = 0;
	MPI_Aint at = 0, bytes;

	MPI_Pack_external_size("external32", 1, MPI_INT, &bytes);
	CHECK_INT(bytes, 4);
	MPI_Pack_external("external32", &n, 1, MPI_INT, buffer, sizeof buffer, &at);
	MPI_Pack_external("external32", &d, 1, MPI_DOUBLE, buffer, sizeof buffer, &at);
	CHECK_INT(at, 12);
	CHECK(memcmp(buffer, "\x01\x02\x03\x04\xc0\x04\0\0\0\0\0\0", 12) == 0);
	at = 0;
	MPI_Unpack_external("external32", buffer, sizeof buffer, &at, &back, 1, MPI_INT);
	MPI_Unpack_external("external32", buffer, sizeof buffer, &at, &d_back, 1, MPI_DOUBLE);
	CHECK_INT(back, n);
	CHECK(d_back == d);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	mixed();
	as_type();
	external();
	return check_end("pack");
}
