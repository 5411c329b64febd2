! Do automatic arrays of Fortran lie on the stacks of ranks when the compiler is told to put them there: 32 MB, of variable size, in recursion?
! build: $CC -fstack-arrays -fmax-stack-var-size=40000000 stack_arrays.f90
program stack_arrays
   use mpi
   implicit none
   integer :: rank, size, ierr, failures = 0, all_failures
   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call automatic(merge(2000, 20, rank < 2))
   call fixed()
   if (depth(200) /= 200 * 201 / 2) failures = failures + 1
   call mpi_allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
   if (rank == 0 .and. all_failures == 0) print '(a)', 'PASS stack_arrays'
   call mpi_finalize(ierr)
   if (all_failures /= 0) stop 1
contains
   subroutine automatic(n)
      integer, intent(in) :: n
      double precision :: a(n, n), b(n)
      a = rank
      b = matmul(a, spread(1d0, 1, n))
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      if (any(nint(a) /= rank) .or. any(nint(b) /= n * rank)) failures = failures + 1
      a(:, 1) = a(1, :) + b * 2 + [(1d0 * rank, ierr = 1, n)]
      if (nint(a(5, 1)) /= rank + 2 * n * rank + rank) failures = failures + 1
   end subroutine automatic
   subroutine fixed()
      double precision :: a(2000, 2000)
      a(1, 1) = rank
      a(2000, 2000) = rank + 1
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      if (nint(a(1, 1)) /= rank .or. nint(a(2000, 2000)) /= rank + 1) failures = failures + 1
   end subroutine fixed
   recursive integer function depth(n) result(d)
      integer, intent(in) :: n
      integer :: pad(n)
      pad = n
      if (n == 1) then
         call mpi_barrier(MPI_COMM_WORLD, ierr)
         d = 1
      else
         d = pad(n) + depth(n - 1)
      end if
   end function depth
end program stack_arrays
