! Large counts in the mpi_f08 module: the same names, with INTEGER(KIND=MPI_COUNT_KIND) arguments.
module f08_large_operation
   use, intrinsic :: iso_c_binding
   use mpi_f08
   implicit none
contains
   subroutine add_squares(invec, inoutvec, len, datatype)
      type(c_ptr), value :: invec, inoutvec
      integer(MPI_COUNT_KIND) :: len
      type(MPI_Datatype) :: datatype
      real(8), pointer :: a(:), b(:)
      if (datatype /= MPI_DOUBLE_PRECISION) return
      call c_f_pointer(invec, a, [len])
      call c_f_pointer(inoutvec, b, [len])
      b = sqrt(a**2 + b**2)
   end subroutine
end module

program f08_large
   use f08_large_operation
   implicit none
   integer, parameter :: ck = MPI_COUNT_KIND, ak = MPI_ADDRESS_KIND
   integer :: rank, size, right, left

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, size)
   right = mod(rank + 1, size)
   left = mod(rank + size - 1, size)
   call messages()
   call types()
   call collectives()
   call vectors()
   call packing()
   call operation()
   if (rank == 0) print '(a)', 'PASS f08_large'
   call MPI_Finalize()

contains

   include 'check.inc'

   subroutine messages()
      integer :: a(10), b(10), i
      integer(ck) :: n
      type(MPI_Status) :: status
      type(MPI_Request) :: requests(2)
      a = [(rank * 10 + i, i = 1, 10)]
      b = -1
      call MPI_Irecv(b, 10_ck, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(a(1:9:2), 5_ck, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2))
      call MPI_Wait(requests(1), status)
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
      call MPI_Get_count(status, MPI_INTEGER, n)
      call check(n == 5 .and. all(b(1:5) == [(left * 10 + i, i = 1, 9, 2)]) .and. b(6) == -1, 'messages')
      call MPI_Get_elements(status, MPI_INTEGER, n)
      call check(n == 5, 'elements')
      call MPI_Sendrecv(a, 10_ck, MPI_INTEGER, right, 2, b, 10_ck, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status)
      call check(all(b == a + (left - rank) * 10), 'Sendrecv')
   end subroutine

   subroutine types()
      type(MPI_Datatype) :: huge_type, blocks, part
      integer(ck) :: n, integers, addresses, counts, datatypes
      integer :: combiner, small
      call MPI_Type_contiguous(5000000000_ck, MPI_INTEGER, huge_type)
      call MPI_Type_size(huge_type, n)
      call check(n == 20000000000_ck, 'the size of a huge type')
      call MPI_Type_size(huge_type, small)
      call check(small == MPI_UNDEFINED, 'a size that does not fit')
      call MPI_Type_get_envelope(huge_type, integers, addresses, counts, datatypes, combiner)
      call check(combiner == MPI_COMBINER_CONTIGUOUS .and. counts == 1 .and. datatypes == 1, 'the envelope of a huge type')
      call MPI_Type_free(huge_type)
      call MPI_Type_indexed(2_ck, [1_ck, 2_ck], [0_ck, 4_ck], MPI_REAL, blocks)
      call MPI_Type_size(blocks, n)
      call check(n == 12, 'an indexed type')
      call MPI_Type_free(blocks)
      call MPI_Type_create_subarray(2, [4_ck, 6_ck], [2_ck, 3_ck], [1_ck, 1_ck], MPI_ORDER_FORTRAN, MPI_REAL, part)
      call MPI_Type_size(part, n)
      call check(n == 24, 'a subarray')
      call MPI_Type_free(part)
   end subroutine

   subroutine collectives()
      real(8) :: a(4), b(4), everything(4 * size)
      integer :: i
      a = 0
      if (rank == 0) a = [1, 2, 3, 4]
      call MPI_Bcast(a, 4_ck, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
      call check(all(a == [1, 2, 3, 4]), 'Bcast')
      call MPI_Allreduce(a, b, 4_ck, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
      call check(all(b == a * size), 'Allreduce')
      call MPI_Gather(a(1:4:3), 2_ck, MPI_DOUBLE_PRECISION, everything(::2), 2_ck, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
      if (rank == 0) call check(all(everything(1::2) == [(merge(1, 4, mod(i, 2) == 0), i = 0, 2 * size - 1)]), 'Gather')
   end subroutine

   subroutine vectors()
      integer :: got(2 * size), i
      integer(ck) :: counts(size)
      integer(ak) :: displs(size)
      counts = 1
      displs = [(2 * i, i = 0, size - 1)]
      got = -1
      call MPI_Allgatherv([rank + 40], 1_ck, MPI_INTEGER, got, counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
      call check(all(got(1::2) == [(40 + i, i = 0, size - 1)]) .and. all(got(2::2) == -1), 'Allgatherv')
   end subroutine

   subroutine packing()
      character :: buffer(64)
      integer :: a(3), b(3)
      integer(ck) :: place, room
      a = [7, 8, 9]
      b = 0
      call MPI_Pack_size(3_ck, MPI_INTEGER, MPI_COMM_WORLD, room)
      call check(room >= 12 .and. room <= 64, 'Pack_size')
      place = 0
      call MPI_Pack(a, 3_ck, MPI_INTEGER, buffer, 64_ck, place, MPI_COMM_WORLD)
      call check(place == 12, 'Pack')
      place = 0
      call MPI_Unpack(buffer, 64_ck, place, b, 3_ck, MPI_INTEGER, MPI_COMM_WORLD)
      call check(all(a == b), 'Unpack')
   end subroutine

   subroutine operation()
      type(MPI_Op) :: op
      real(8) :: a(2), b(2)
      call MPI_Op_create_c(add_squares, .true., op)
      a = [1, rank]
      call MPI_Allreduce(a, b, 2_ck, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD)
      call check(abs(b(1)**2 - size) < 1d-9, 'a user operation with large counts')
      call check(abs(b(2)**2 - (size - 1) * size * (2 * size - 1) / 6) < 1d-9, 'the other element')
      call MPI_Op_free(op)
   end subroutine
end program
