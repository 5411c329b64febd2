! Does an internal procedure work as a reduction operation? gfortran puts its trampoline on the stack.
program nested_callback
   use mpi
   implicit none
   integer :: rank, size, ierr, total
   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call sum_up(rank, size, total)
   if (total /= size * (size - 1) / 2) call mpi_abort(MPI_COMM_WORLD, 1, ierr)
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   if (rank == 0) print '(a)', 'PASS nested_callback'
   call mpi_finalize(ierr)
end program nested_callback

subroutine sum_up(value, size, total)
   use mpi
   implicit none
   integer, intent(in) :: value, size
   integer, intent(out) :: total
   integer :: op, ierr, calls
   calls = 0
   call mpi_op_create(add, .true., op, ierr)
   call mpi_allreduce(value, total, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
   call mpi_op_free(op, ierr)
   if (calls > 2 * size) call mpi_abort(MPI_COMM_WORLD, 2, ierr)

contains

   subroutine add(in, inout, len, type)
      integer :: len, type
      integer :: in(len), inout(len)
      calls = calls + 1
      if (type == MPI_INTEGER) inout = inout + in
   end subroutine add

end subroutine sum_up
