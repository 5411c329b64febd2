! Does OpenMP work in Fortran ranks: reductions, threadprivate COMMON and module variables, tasks, workshare, MPI by the first thread?
! build: $CC -fopenmp openmp.f90
module work
   implicit none
   integer :: mine = 3
   !$omp threadprivate(mine)
end module work

program openmp_fortran
   use mpi
   use omp_lib
   use work
   implicit none
   integer :: rank, size, ierr, provided, failures = 0

   call mpi_init_thread(MPI_THREAD_FUNNELED, provided, ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call reductions()
   call private_variables()
   call tasks()
   call calls_inside()
   call finish('openmp')

contains

   include 'check.inc'

   subroutine reductions()
      integer :: i
      double precision :: sum, field(200, 200), sums(5)
      sum = 0
      sums = 0
      !$omp parallel do reduction(+:sum, sums) schedule(dynamic, 9) num_threads(4)
      do i = 1, 1000
         sum = sum + i * rank
         sums(mod(i, 5) + 1) = sums(mod(i, 5) + 1) + 1
      end do
      call check(nint(sum) == 500500 * rank .and. all(nint(sums) == 200), 'reductions')
      !$omp parallel workshare num_threads(3)
      field = rank + 1
      field = sqrt(field * field)
      !$omp end parallel workshare
      call check(all(nint(field) == rank + 1), 'workshare')
   end subroutine reductions

   subroutine private_variables()
      integer :: bad, saved(4)
      common /shelf/ saved
      !$omp threadprivate(/shelf/)
      bad = 0
      mine = 100 * rank
      saved = rank
      !$omp parallel num_threads(3) copyin(mine, /shelf/) reduction(+:bad)
      if (mine /= 100 * rank .or. any(saved /= rank)) bad = bad + 1
      mine = mine + omp_get_thread_num()
      saved(2) = omp_get_thread_num()
      !$omp end parallel
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      !$omp parallel num_threads(3) reduction(+:bad)
      if (mine /= 100 * rank + omp_get_thread_num() .or. saved(2) /= omp_get_thread_num()) bad = bad + 1
      !$omp end parallel
      call check(bad == 0, 'threadprivate')
   end subroutine private_variables

   subroutine tasks()
      integer :: i, done(40)
      done = 0
      !$omp parallel num_threads(3)
      !$omp single
      do i = 1, 40
         !$omp task firstprivate(i) shared(done)
         done(i) = i * rank
         !$omp end task
      end do
      !$omp taskwait
      !$omp end single
      !$omp end parallel
      call check(all(done == [(i * rank, i = 1, 40)]), 'tasks')
   end subroutine tasks

   subroutine calls_inside()
      integer :: round, sum, bad
      bad = 0
      !$omp parallel num_threads(3) private(round) reduction(+:bad)
      do round = 1, 3
         !$omp master
         call mpi_allreduce(rank + round, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
         !$omp end master
         !$omp barrier
         if (sum /= size * (size - 1) / 2 + size * round) bad = bad + 1
         !$omp barrier
      end do
      !$omp end parallel
      call check(bad == 0, 'calls in a region')
   end subroutine calls_inside

end program openmp_fortran
