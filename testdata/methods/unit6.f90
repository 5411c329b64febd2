! Does what a rank prints come whole and in order, wherever it goes?
program unit6
  use mpi
  implicit none
  integer :: rank, i, ierr, at, length
  character(8) :: text
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_environment_variable('AMPI_PE', text, length)
  read (text(:length), *) at
  do i = 0, 199
    if (mod(i, 2) == 0) then
      write (6, '(a,i0,a,i0)') 'rank ', rank, ' line ', i
    else
      print '(a,i0,a,i0)', 'rank ', rank, ' line ', i
    end if
    if (mod(i, 20) == 10) then
      at = 1 - at
      call AMPI_Migrate_to_pe(at, ierr)
    end if
  end do
  call MPI_Finalize(ierr)
end program
