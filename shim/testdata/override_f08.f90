! A profiling tool written in Fortran takes the place of specific procedures of mpi_f08 and reaches them by their PMPI_ names.
subroutine mpi_send_f08ts(buf, count, datatype, dest, tag, comm, ierror)
   use mpi_f08, ours => mpi_send_f08ts
   implicit none
   type(*), dimension(..), intent(in) :: buf
   integer, intent(in) :: count, dest, tag
   type(MPI_Datatype), intent(in) :: datatype
   type(MPI_Comm), intent(in) :: comm
   integer, optional, intent(out) :: ierror
   print '(a,i0,a,l1)', 'profiled send of ', size(shape(buf)), ' dimensions, with ierror: ', present(ierror)
   call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine

subroutine mpi_init_f08(ierror)
   use mpi_f08, ours => mpi_init_f08
   implicit none
   integer, optional, intent(out) :: ierror
   print '(a)', 'profiled init'
   call PMPI_Init(ierror)
end subroutine

program main
   use mpi_f08
   implicit none
   integer :: ierror
   real(8) :: value = 1.25d0, plane(3, 3) = 2.5d0
   call MPI_Init()
   call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 2, 3, MPI_COMM_WORLD)
   call MPI_Send(plane, 9, MPI_DOUBLE_PRECISION, 2, 4, MPI_COMM_SELF, ierror)
end program
