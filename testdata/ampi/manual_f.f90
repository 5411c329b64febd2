! Do AMPI's calls for Fortran programs compile with its include file, and do what its manual says?
program manual_f
   implicit none
   include 'ampif.h'
   integer :: i, argc, ierr, rank, size, my_wth, num_wths, idx
   integer(kind=MPI_ADDRESS_KIND) :: value
   logical :: flag
   integer, parameter :: arg_len = 8
   character(len=arg_len), allocatable :: arguments(:)
   double precision :: chunk(100)
   external chunk_pup

   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
   call AMPI_Command_argument_count(argc)
   call check(argc == 2, 'count')
   allocate (arguments(argc))
   do i = 1, argc
      call AMPI_Get_command_argument(i, arguments(i), arg_len, ierr)
      call check(ierr == merge(0, -1, i == 1), 'ierr of an argument')
   end do
   call check(arguments(1) == 'short' .and. arguments(2) == 'longer-t', 'arguments')
   call AMPI_Get_command_argument(3, arguments(1), arg_len, ierr)
   call check(ierr > 0 .and. arguments(1) == ' ', 'no such argument')

   chunk = rank
   call AMPI_Register_pup(chunk_pup, chunk, idx, ierr)
   call check(ierr == MPI_SUCCESS, 'AMPI_Register_pup')
   call MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_NUM_WTHS, value, flag, ierr)
   num_wths = int(value)
   call check(flag .and. num_wths == 2, 'AMPI_NUM_WTHS')
   do i = 1, 6
      call AMPI_Migrate(AMPI_INFO_LB_SYNC, ierr)
      call AMPI_Migrate_to_pe(mod(i, num_wths), ierr)
      call MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_MY_WTH, value, flag, ierr)
      my_wth = int(value)
      call check(my_wth == mod(i, num_wths) .and. all(chunk == rank), 'place')
   end do
   if (rank > 0) call AMPI_Suspend(ierr)
   if (rank < size - 1) call AMPI_Resume(rank + 1, MPI_COMM_WORLD, ierr)
   call AMPI_Trace_begin(ierr)
   call AMPI_Trace_end(ierr)
   call MPI_Finalize(ierr)
   if (rank == 0) print '(a)', 'PASS manual_f'
contains
   subroutine check(good, what)
      logical, intent(in) :: good
      character(len=*), intent(in) :: what
      if (good) return
      print *, 'FAIL ', what, ' on rank ', rank
      call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
   end subroutine
end program

subroutine chunk_pup(p, data)
   implicit none
   integer :: p
   double precision :: data(100)
   logical, external :: fpup_isdeleting
   call fpup_doubles(p, data, 100)
   if (fpup_isdeleting(p)) data = -1
end subroutine
