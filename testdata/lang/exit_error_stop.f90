! One rank stops with ERROR STOP 4 while the others wait: the job ends with 4.
program exit_error_stop
   use mpi
   implicit none
   integer :: ierr, rank
   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   if (rank == 0) error stop 4
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   call mpi_finalize(ierr)
end program exit_error_stop
