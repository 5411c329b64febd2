! Do AMPI's calls have bindings in Fortran, with and without the module?
module told
   implicit none
   integer :: about = 0, just = 0
contains
   subroutine going()
      about = about + 1
   end subroutine
   subroutine gone()
      just = just + 1
   end subroutine
end module

subroutine with_module()
   use mpi
   use told
   implicit none
   integer :: info, ierr
   call MPI_Info_create(info, ierr)
   call MPI_Info_set(info, 'ampi_load_balance', 'sync', ierr)
   call AMPI_Register_about_to_migrate(going, ierr)
   call AMPI_Register_just_migrated(gone, ierr)
   call AMPI_Load_set_value(1.5d0, ierr)
   call AMPI_Migrate(info, ierr)
   call AMPI_Migrate_to_pe(0, ierr)
   call AMPI_Migrate_to_pe(1, ierr)
   if (ierr /= MPI_SUCCESS .or. about < 1 .or. about /= just) then
      print *, 'FAIL about', about, 'just', just, 'ierr', ierr
      call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
   end if
end subroutine

program migrate_f
   implicit none
   include 'mpif.h'
   integer :: rank, ierr
   external with_module
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   call AMPI_Set_migratable(1, ierr)
   call AMPI_Load_start_measure(ierr)
   call AMPI_Load_stop_measure(ierr)
   call AMPI_Load_reset_measure(ierr)
   call AMPI_Yield(ierr)
   call with_module()
   call AMPI_Migrate(AMPI_INFO_LB_SYNC, ierr)
   call MPI_Finalize(ierr)
   if (rank == 0) print '(a)', 'PASS migrate_f'
end program
