! A profiling tool written in Fortran takes the place of mpi_init_ and reaches the binding by pmpi_init_.
subroutine mpi_init(ierror)
   integer :: ierror
   print '(a)', 'profiled in Fortran'
   call pmpi_init(ierror)
end subroutine

program main
   use mpi, only : MPI_Init
   integer :: ierror
   call MPI_Init(ierror)
end program
