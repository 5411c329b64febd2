/* Stands in for another MPI library, in every rank: it speaks that one's ABI to the program and the standard's to the runtime. */
int ampi_native_MPI_Yield(void);

int other_world[4] = {17};

int PMPI_Other(void) { return other_world[1]; }

int other_yield(int *world)
{
	if (world != other_world || world[0] != 17)
		return -1;
	ampi_native_MPI_Yield();
	return PMPI_Other();
}

int *other_null(void) { return &other_world[3]; }
