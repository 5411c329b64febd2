! Every rank stops with code 3 after MPI_FINALIZE: the job ends with 3.
program exit_stop
   use mpi
   implicit none
   integer :: ierr
   call mpi_init(ierr)
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   call mpi_finalize(ierr)
   stop 3
end program exit_stop
