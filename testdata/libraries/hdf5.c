/* Does serial HDF5 work in every rank: files, compressed chunks, attributes, its table of handles and its exit handler? */
#include "../lang/check.h"
#include <hdf5.h>
#include <unistd.h>

#define ROWS 100
#define COLUMNS 50

static int data[ROWS][COLUMNS], back[ROWS][COLUMNS];

static void write_file(const char *name)
{
	hsize_t dims[] = {ROWS, COLUMNS}, chunk[] = {10, 50}, one = 1;
	hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	hid_t space = H5Screate_simple(2, dims, NULL), props = H5Pcreate(H5P_DATASET_CREATE), scalar = H5Screate_simple(1, &one, NULL);
	CHECK(file >= 0 && H5Pset_chunk(props, 2, chunk) >= 0 && H5Pset_deflate(props, 6) >= 0 && H5Pset_shuffle(props) >= 0);
	hid_t set = H5Dcreate2(file, "table", H5T_NATIVE_INT, space, H5P_DEFAULT, props, H5P_DEFAULT);
	hid_t attr = H5Acreate2(set, "rank", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
	check_others_run();
	CHECK(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 && H5Awrite(attr, H5T_NATIVE_INT, &rank) >= 0);
	H5Aclose(attr);
	H5Dclose(set);
	H5Pclose(props);
	H5Sclose(space);
	H5Sclose(scalar);
	CHECK(H5Fclose(file) >= 0);
}

static void read_file(const char *name)
{
	int r = -1;
	hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "table", H5P_DEFAULT);
	hid_t attr = H5Aopen(set, "rank", H5P_DEFAULT);
	CHECK(set >= 0 && H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
	check_others_run();
	CHECK(H5Aread(attr, H5T_NATIVE_INT, &r) >= 0 && r == rank && !memcmp(data, back, sizeof data));
	H5Aclose(attr);
	H5Dclose(set);
	CHECK(H5Fclose(file) >= 0);
}

int main(int argc, char **argv)
{
	char name[100];
	check_begin(&argc, &argv);
	snprintf(name, sizeof name, "/tmp/hdf5.%d.%d", (int)getpid(), rank);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		data[0][i] = i * (rank + 1);
	write_file(name);
	read_file(name);
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	CHECK(H5Fopen("/no/such/file", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
	remove(name);
	return check_end("hdf5");
}
