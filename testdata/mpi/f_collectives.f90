! Do collectives work from Fortran: all of them once, in place, with user operations and Fortran types?
module operations
   use mpi
   implicit none

contains

   subroutine farthest(in, inout, len, type)
      integer :: len, type
      integer :: in(len), inout(len)
      if (type /= MPI_INTEGER) stop 'the type in a user operation is wrong'
      inout = max(in, inout)
   end subroutine farthest

end module operations

program f_collectives
   use mpi
   use operations
   implicit none
   integer :: rank, size, ierr

   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call rooted()
   call all_to_all()
   call reductions()
   call in_place()
   call fortran_types()
   call user_operation()
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   if (rank == 0) print '(a)', 'PASS f_collectives'
   call mpi_finalize(ierr)

contains

   include 'check.inc'

   subroutine rooted()
      integer :: root, one(2), all_of(2, size), counts(size), places(size), many(size * (size + 1) / 2), mine(size), r
      do root = 0, size - 1
         one = merge(root + 5, -1, rank == root)
         call mpi_bcast(one, 2, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
         call check(all(one == root + 5), 'bcast')
         one = [rank, -rank]
         all_of = -1
         call mpi_gather(one, 2, MPI_INTEGER, all_of, 2, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
         if (rank == root) call check(all(all_of(1, :) == [(r, r = 0, size - 1)]), 'gather')
         if (rank == root) all_of(2, :) = [(root + r, r = 0, size - 1)]
         call mpi_scatter(all_of, 2, MPI_INTEGER, one, 2, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
         call check(one(1) == rank .and. one(2) == root + rank, 'scatter')
         counts = [(r, r = 1, size)]
         places = [(r * (r + 1) / 2, r = 0, size - 1)]
         mine = rank
         many = -1
         call mpi_gatherv(mine, rank + 1, MPI_INTEGER, many, counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
         if (rank == root) call check(sum(many) == sum([(r * (r + 1), r = 0, size - 1)]), 'gatherv')
         mine = -1
         call mpi_scatterv(many, counts, places, MPI_INTEGER, mine, rank + 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
         call check(all(mine(1:rank+1) == rank), 'scatterv')
      end do
   end subroutine rooted

   subroutine all_to_all()
      integer :: in(size), out(size), counts(size), places(size), r
      call mpi_allgather(rank, 1, MPI_INTEGER, in, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(in == [(r, r = 0, size - 1)]), 'allgather')
      counts = 1
      places = [(size - 1 - r, r = 0, size - 1)]
      call mpi_allgatherv(rank, 1, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(in == places), 'allgatherv')
      out = [(rank * 100 + r, r = 0, size - 1)]
      call mpi_alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(in == [(r * 100 + rank, r = 0, size - 1)]), 'alltoall')
      in = -1
      call mpi_alltoallv(out, counts, [(r, r = 0, size - 1)], MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(in == [(r * 100 + rank, r = size - 1, 0, -1)]), 'alltoallv')
   end subroutine all_to_all

   subroutine reductions()
      integer :: value, got, many(size), counts(size), r
      value = rank + 1
      call mpi_reduce(value, got, 1, MPI_INTEGER, MPI_MAX, size - 1, MPI_COMM_WORLD, ierr)
      if (rank == size - 1) call check(got == size, 'reduce')
      call mpi_allreduce(value, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(got == size * (size + 1) / 2, 'allreduce')
      call mpi_scan(value, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(got == value * (value + 1) / 2, 'scan')
      got = 0
      call mpi_exscan(value, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(got == rank * (rank + 1) / 2, 'exscan')
      many = [(r, r = 1, size)]
      counts = 1
      call mpi_reduce_scatter(many, got, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(got == size * (rank + 1), 'reduce_scatter')
      call mpi_reduce_scatter_block(many, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(got == size * (rank + 1), 'reduce_scatter_block')
   end subroutine reductions

   subroutine in_place()
      integer :: many(size), value, r
      value = rank
      call mpi_allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(value == size * (size - 1) / 2, 'allreduce in place')
      many = -1
      many(rank + 1) = rank * 3
      call mpi_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(many == [(3 * r, r = 0, size - 1)]), 'allgather in place')
   end subroutine in_place

   subroutine fortran_types()
      logical :: yes, no
      complex :: z, zs
      double precision :: pair(2), best(2)
      integer(8) :: long, longest
      character(len=7) :: word
      call mpi_allreduce(rank == 0, yes, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
      call mpi_allreduce(rank == 0, no, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
      call check(yes .and. (no .eqv. size == 1), 'logicals')
      z = cmplx(1, rank)
      call mpi_allreduce(z, zs, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(nint(real(zs)) == size .and. nint(aimag(zs)) == size * (size - 1) / 2, 'complex')
      pair = [dble(abs(rank - size / 2)), dble(rank)]
      call mpi_allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, ierr)
      call check(nint(best(1)) == 0 .and. nint(best(2)) == size / 2, 'minloc')
      long = 5000000000_8 + rank
      call mpi_allreduce(long, longest, 1, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, ierr)
      call check(longest == 5000000000_8 + size - 1, 'integer(8)')
      word = ''
      if (rank == size - 1) word = 'Fortran'
      call mpi_bcast(word, 7, MPI_CHARACTER, size - 1, MPI_COMM_WORLD, ierr)
      call check(word == 'Fortran', 'characters')
   end subroutine fortran_types

   subroutine user_operation()
      integer :: op, value(3), got(3)
      logical :: commutes
      value = [rank, 2 * rank, size]
      call mpi_op_create(farthest, .true., op, ierr)
      call mpi_op_commutative(op, commutes, ierr)
      call check(commutes, 'commutative')
      call mpi_allreduce(value, got, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
      call check(all(got == [size - 1, 2 * size - 2, size]), 'a user operation')
      call mpi_op_free(op, ierr)
      call check(op == MPI_OP_NULL, 'op_free')
   end subroutine user_operation

end program f_collectives
