! Does a Fortran program for AMPI run, whose main program is a subroutine MPI_Main? Its status has AMPI's places, too.
subroutine MPI_Main
  implicit none
  include 'ampif.h'
  integer :: rank, size, ierr, status(MPI_STATUS_SIZE), got(3), n
  character(len=16) :: argument

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call get_command_argument(1, argument)
  if (argument /= 'word') call fail('the argument is '//argument)
  call MPI_Sendrecv((/rank, 1, 2/), 3, MPI_INTEGER, modulo(rank + 1, size), 5, got, 3, MPI_INTEGER, modulo(rank - 1, size), 5, &
                    MPI_COMM_WORLD, status, ierr)
  if (got(1) /= modulo(rank - 1, size)) call fail('wrong data')
  if (status(MPI_LENGTH) /= 12) call fail('status(MPI_LENGTH)')
  if (status(MPI_COMM) /= MPI_COMM_WORLD) call fail('status(MPI_COMM)')
  call MPI_Get_count(status, MPI_INTEGER, n, ierr)
  if (n /= 3) call fail('MPI_Get_count')
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a)', 'PASS mpi_main'
  call MPI_Finalize(ierr)

contains

  subroutine fail(what)
    character(len=*), intent(in) :: what
    print '(2a)', 'FAIL ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end subroutine
