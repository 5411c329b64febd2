! Are flags, halting and rounding modes of the IEEE modules private to a rank, with -ffpe-trap too?
! build: $CC -ffpe-trap=zero,overflow floating_point.f90
program floating_point
   use mpi
   use, intrinsic :: ieee_arithmetic
   implicit none
   integer :: rank, size, ierr, failures = 0, all_failures
   type(ieee_flag_type), parameter :: flags(4) = [ieee_invalid, ieee_divide_by_zero, ieee_overflow, ieee_underflow]
   type(ieee_round_type) :: modes(4), mode
   logical :: is, want
   double precision :: zero, x
   integer :: i

   modes = [ieee_nearest, ieee_to_zero, ieee_up, ieee_down]
   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call ieee_get_halting_mode(ieee_divide_by_zero, is)
   call check(is, '-ffpe-trap')
   if (mod(rank, 2) == 0) call ieee_set_halting_mode(ieee_divide_by_zero, .false.)
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   call ieee_get_halting_mode(ieee_divide_by_zero, is)
   call check(is .eqv. mod(rank, 2) == 1, 'halting mode')
   zero = 0
   if (.not. is) then
      x = 1 / zero
      call check(.not. ieee_is_finite(x), 'division by zero')
   end if
   call ieee_set_halting_mode(ieee_all, .false.)
   call ieee_set_flag(ieee_all, .false.)
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   call ieee_set_flag(flags(mod(rank, 4) + 1), .true.)
   call ieee_set_rounding_mode(modes(mod(rank, 4) + 1))
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   do i = 1, 4
      call ieee_get_flag(flags(i), is)
      want = i == mod(rank, 4) + 1
      call check(is .eqv. want, 'a flag')
   end do
   call ieee_get_rounding_mode(mode)
   call check(mode == modes(mod(rank, 4) + 1), 'rounding mode')
   call ieee_set_rounding_mode(ieee_nearest)
   call ieee_set_flag(ieee_all, .false.)
   call mpi_allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
   if (rank == 0 .and. all_failures == 0) print '(a)', 'PASS floating_point'
   call mpi_finalize(ierr)
   if (all_failures /= 0) stop 1

contains

   subroutine check(good, what)
      logical, intent(in) :: good
      character(len=*), intent(in) :: what
      if (good) return
      failures = failures + 1
      write(0, '(a,i0,2a)') 'FAIL rank ', rank, ': ', what
   end subroutine check

end program floating_point
