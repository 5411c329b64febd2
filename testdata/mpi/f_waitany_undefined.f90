! Does Waitany without active requests give exactly MPI_UNDEFINED in Fortran, where indices count from one?
program f_waitany_undefined
   use mpi
   implicit none
   integer :: req(4), index, rank, ierr, status(MPI_STATUS_SIZE)
   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   req = MPI_REQUEST_NULL
   call mpi_waitany(4, req, index, status, ierr)
   if (index /= MPI_UNDEFINED) call mpi_abort(MPI_COMM_WORLD, 1, ierr)
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   if (rank == 0) print '(a)', 'PASS f_waitany_undefined'
   call mpi_finalize(ierr)
end program f_waitany_undefined
