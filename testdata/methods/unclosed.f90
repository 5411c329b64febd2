! Each rank leaves a file that it does not close: what is in its buffer must be written all the same.
program unclosed
  use mpi
  implicit none
  integer :: rank, ierr
  character(len=20) :: name
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  write (name, '(a,i0)') 'out.', rank
  open (unit=20 + rank, file=name)
  write (20 + rank, '(a,i0)') 'line of ', rank
  call mpi_finalize(ierr)
end program
