! Do derived types work from Fortran: vectors, subarrays in Fortran order, structs by address, pack, extents?
program f_types
   use mpi
   implicit none
   type record
      sequence
      integer :: id, kind
      double precision :: weight
   end type record
   integer :: rank, size, ierr, to, from

   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   to = mod(rank + 1, size)
   from = mod(rank + size - 1, size)
   call rows()
   call subarray()
   call records()
   call packed()
   call extents()
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   if (rank == 0) print '(a)', 'PASS f_types'
   call mpi_finalize(ierr)

contains

   include 'check.inc'

   subroutine rows()
      integer :: a(4, 6), row(6), type, i
      a = reshape([(100 * rank + i, i = 1, 24)], [4, 6])
      call mpi_type_vector(6, 1, 4, MPI_INTEGER, type, ierr)
      call mpi_type_commit(type, ierr)
      call mpi_sendrecv(a(3, 1), 1, type, to, 1, row, 6, MPI_INTEGER, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call check(all(row == [(100 * from + 3 + 4 * i, i = 0, 5)]), 'a row')
      call mpi_type_free(type, ierr)
      call check(type == MPI_DATATYPE_NULL, 'type_free')
   end subroutine rows

   subroutine subarray()
      double precision :: a(5, 4, 3), b(2, 3, 1)
      integer :: type
      a = -1
      a(2:3, 2:4, 3) = rank
      call mpi_type_create_subarray(3, [5, 4, 3], [2, 3, 1], [1, 1, 2], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, type, ierr)
      call mpi_type_commit(type, ierr)
      call mpi_sendrecv(a, 1, type, to, 2, b, 6, MPI_DOUBLE_PRECISION, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call check(all(nint(b) == from), 'a subarray')
      call mpi_type_free(type, ierr)
   end subroutine subarray

   subroutine records()
      type(record) :: out(3), in(3)
      integer(MPI_ADDRESS_KIND) :: places(3), extent, after
      integer :: type, plain, i
      do i = 1, 3
         out(i) = record(rank, i, 0.5d0 * i)
         in(i) = record(-1, -1, -1)
      end do
      call mpi_get_address(out(1)%id, places(1), ierr)
      call mpi_get_address(out(1)%kind, places(2), ierr)
      call mpi_get_address(out(1)%weight, places(3), ierr)
      call mpi_get_address(out(2)%id, after, ierr)
      extent = after - places(1)
      places = places - places(1)
      call mpi_type_create_struct(3, [1, 1, 1], places, [MPI_INTEGER, MPI_INTEGER, MPI_DOUBLE_PRECISION], plain, ierr)
      call mpi_type_create_resized(plain, 0_MPI_ADDRESS_KIND, extent, type, ierr)
      call mpi_type_commit(type, ierr)
      call mpi_sendrecv(out(1)%id, 3, type, to, 3, in(1)%id, 3, type, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      do i = 1, 3
         call check(in(i)%id == from .and. in(i)%kind == i .and. nint(2 * in(i)%weight) == i, 'a record')
      end do
      call mpi_type_free(type, ierr)
      call mpi_type_free(plain, ierr)
   end subroutine records

   subroutine packed()
      character(len=100) :: buffer
      integer :: at, n
      real :: x
      at = 0
      call mpi_pack(17, 1, MPI_INTEGER, buffer, 100, at, MPI_COMM_WORLD, ierr)
      call mpi_pack(2.5, 1, MPI_REAL, buffer, 100, at, MPI_COMM_WORLD, ierr)
      call check(at >= 8, 'packed size')
      at = 0
      call mpi_unpack(buffer, 100, at, n, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call mpi_unpack(buffer, 100, at, x, 1, MPI_REAL, MPI_COMM_WORLD, ierr)
      call check(n == 17 .and. nint(2 * x) == 5, 'unpack')
   end subroutine packed

   subroutine extents()
      integer :: n, type
      integer(MPI_ADDRESS_KIND) :: lb, extent
      call mpi_type_size(MPI_DOUBLE_COMPLEX, n, ierr)
      call check(n == 16, 'size of double complex')
      call mpi_type_size(MPI_2REAL, n, ierr)
      call check(n == 8, 'size of two reals')
      call mpi_type_contiguous(5, MPI_REAL8, type, ierr)
      call mpi_type_get_extent(type, lb, extent, ierr)
      call check(lb == 0 .and. extent == 40, 'extent')
      call mpi_type_free(type, ierr)
      call mpi_type_create_f90_real(15, 300, type, ierr)
      call mpi_type_size(type, n, ierr)
      call check(n == 8, 'size of selected real')
   end subroutine extents

end program f_types
