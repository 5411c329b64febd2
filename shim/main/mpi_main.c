/* The main program of Fortran programs for AMPI, which have a subroutine MPI_Main instead. The linker takes this from its archive only
 * when nothing else defines main. */

void mpi_main_(void);

/* The library of gfortran; another compiler's has the arguments by itself. */
void _gfortran_set_args(int argc, char **argv) __attribute__((weak));

int main(int argc, char **argv)
{
	if (_gfortran_set_args)
		_gfortran_set_args(argc, argv);
	mpi_main_();
	return 0;
}
