! start_c in Fortran: the CPU time of the worker when all ranks have met, for each of them.
program start
   use mpi
   implicit none
   integer :: ierror, rank, ranks
   double precision :: seconds

   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   print '(a, i0, a, i0)', 'Hello from rank ', rank, ' of ', ranks
   call MPI_Barrier(MPI_COMM_WORLD, ierror)
   if (rank == 0) then
      call cpu_time(seconds)
      print '(a, f0.6)', 'sample start ', seconds*1d6/ranks
   end if
   call MPI_Barrier(MPI_COMM_WORLD, ierror)
   call MPI_Finalize(ierror)
end program
