! The same calls as in program.c, from Fortran: the tool is in C.
program profiled
  use mpi
  implicit none
  integer :: rank, nranks, value, echo, i, request, ierr

  value = 5
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  do i = 0, rank
     call MPI_Irecv(echo, 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, request, ierr)
     call MPI_Send(value, 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, ierr)
     call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Pcontrol(1)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program profiled
