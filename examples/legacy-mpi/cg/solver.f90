! Conjugate gradients for the five-point Laplacian with a varying coefficient on nx x ny points, rows in blocks.
!
! Scalar products are gathered row by row and added in the order of the rows, so each iterate is the same to the
! last bit whatever the number of ranks.
module solver
   use mpi
   implicit none
   private
   public :: setup, teardown, solve, checkpoint, restore, worst_point, checksum, iterations, residual, noise

   integer, parameter :: dp = kind(1d0), i8 = selected_int_kind(18)
   integer, parameter :: scratch = 20

   double precision, allocatable :: x(:,:), b(:,:), r(:,:), p(:,:), q(:,:), wanted(:,:), coef(:,:)
   double precision, allocatable :: all_rows(:)
   integer, allocatable :: counts(:), offsets(:)
   double precision, save :: residual = 0
   integer, save :: iterations = 0

contains

   subroutine setup()
      include 'grid.inc'
      integer :: i, j
      allocate(x(nx, 0:nrows+1), b(nx, nrows), r(nx, nrows), p(nx, 0:nrows+1), q(nx, nrows))
      allocate(wanted(nx, 0:nrows+1), coef(nx, nrows))
      allocate(all_rows(ny), counts(nranks), offsets(nranks))
      x = 0
      p = 0
      wanted = 0
      do j = 1, nrows
         do i = 1, nx
            wanted(i, j) = noise(i, row1 + j - 1)
            coef(i, j) = 1 + abs(noise(row1 + j - 1, i))
         end do
      end do
      call share_counts()
      call halo(wanted)
      call apply(wanted, b)
      open(unit=scratch, status='scratch', form='unformatted')
   end subroutine setup

   subroutine teardown()
      close(scratch)
      deallocate(x, b, r, p, q, wanted, coef, all_rows, counts, offsets)
   end subroutine teardown

   ! A number in (-1, 1) that depends on the point alone.
   pure function noise(i, j) result(value)
      integer, intent(in) :: i, j
      double precision :: value
      integer(i8) :: h
      h = mod(int(i, i8) * 7919_i8 + int(j, i8) * 104729_i8, 2147483647_i8)
      h = mod(h * 48271_i8, 2147483647_i8)
      h = mod(h * 48271_i8, 2147483647_i8)
      value = 2 * dble(h) / 2147483647d0 - 1
   end function noise

   subroutine share_counts()
      include 'grid.inc'
      integer :: ierr, n
      call mpi_gather(nrows, 1, MPI_INTEGER, counts, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      if (myrank /= 0) return
      offsets(1) = 0
      do n = 2, nranks
         offsets(n) = offsets(n-1) + counts(n-1)
      end do
   end subroutine share_counts

   ! w = A v; the halo of v is filled.
   subroutine apply(v, w)
      include 'grid.inc'
      double precision, intent(in) :: v(nx, 0:nrows+1)
      double precision, intent(out) :: w(nx, nrows)
      double precision :: line(0:nx+1)
      integer :: i, j
      line(0) = 0
      line(nx+1) = 0
      do j = 1, nrows
         line(1:nx) = v(:, j)
         do i = 1, nx
            w(i, j) = (4 + coef(i, j)) * line(i) - ((line(i-1) + line(i+1)) + (v(i, j-1) + v(i, j+1)))
         end do
      end do
   end subroutine apply

   ! Scalar product of two fields without halo.
   function dot(v, w) result(total)
      include 'grid.inc'
      double precision, intent(in) :: v(nx, nrows), w(nx, nrows)
      double precision :: total, rows(max(nrows, 1))
      integer :: i, j, ierr
      do j = 1, nrows
         rows(j) = 0
         do i = 1, nx
            rows(j) = rows(j) + v(i, j) * w(i, j)
         end do
      end do
      call mpi_gatherv(rows, nrows, MPI_DOUBLE_PRECISION, all_rows, counts, offsets, MPI_DOUBLE_PRECISION, &
                       0, MPI_COMM_WORLD, ierr)
      total = 0
      if (myrank == 0) then
         do j = 1, ny
            total = total + all_rows(j)
         end do
      end if
      call mpi_bcast(total, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
   end function dot

   ! From x on, until the residual has fallen by the factor tolerance or after at most limit iterations.
   subroutine solve(limit, tolerance)
      integer, intent(in) :: limit
      double precision, intent(in) :: tolerance
      include 'grid.inc'
      double precision :: rho, rho_old, alpha
      double precision, save :: rho_start = -1
      integer :: it
      call halo(x)
      call apply(x, q)
      r = b - q
      p(:, 1:nrows) = r
      rho = dot(r, r)
      if (rho_start < 0) rho_start = rho
      do it = 1, limit
         if (rho <= rho_start * tolerance**2) exit
         call halo(p)
         call apply(p, q)
         alpha = rho / dot(p(:, 1:nrows), q)
         x(:, 1:nrows) = x(:, 1:nrows) + alpha * p(:, 1:nrows)
         r = r - alpha * q
         rho_old = rho
         rho = dot(r, r)
         p(:, 1:nrows) = r + (rho / rho_old) * p(:, 1:nrows)
         iterations = iterations + 1
      end do
      residual = sqrt(rho / rho_start)
   end subroutine solve

   ! Every rank writes its rows to its own unit 20 ...
   subroutine checkpoint()
      include 'grid.inc'
      rewind(scratch)
      write(scratch) myrank, row1, nrows
      write(scratch) x
   end subroutine checkpoint

   ! ... and reads them back after x was lost. False when the file belongs to somebody else.
   function restore() result(good)
      include 'grid.inc'
      logical :: good
      integer :: rank, row, rows, status
      x = -1
      rewind(scratch)
      read(scratch, iostat=status) rank, row, rows
      good = status == 0
      if (good) good = rank == myrank .and. row == row1 .and. rows == nrows
      if (good) read(scratch, iostat=status) x
      good = good .and. status == 0
   end function restore

   ! The largest error and where it is: (error, column, row) in rank 0, by a reduction of our own.
   subroutine worst_point(point)
      include 'grid.inc'
      double precision, intent(out) :: point(3)
      double precision :: mine(3)
      integer :: i, j, op, triple, ierr
      mine = [-1d0, 0d0, 0d0]
      do j = 1, nrows
         do i = 1, nx
            if (abs(x(i, j) - wanted(i, j)) > mine(1)) mine = [abs(x(i, j) - wanted(i, j)), dble(i), dble(row1 + j - 1)]
         end do
      end do
      call mpi_type_contiguous(3, MPI_DOUBLE_PRECISION, triple, ierr)
      call mpi_type_commit(triple, ierr)
      call mpi_op_create(worse, .true., op, ierr)
      point = -1
      call mpi_reduce(mine, point, 1, triple, op, 0, MPI_COMM_WORLD, ierr)
      call mpi_op_free(op, ierr)
      call mpi_type_free(triple, ierr)
   end subroutine worst_point

   ! Keeps the larger error, of equal errors the one in the lower row, then the lower column.
   subroutine worse(in, inout, len, type)
      integer :: len, type
      double precision :: in(3, len), inout(3, len)
      integer :: n
      do n = 1, len
         if (before(in(:, n), inout(:, n))) inout(:, n) = in(:, n)
      end do
      if (type == MPI_DATATYPE_NULL) stop 'a reduction without a type'
   end subroutine worse

   pure function before(a, b)
      double precision, intent(in) :: a(3), b(3)
      logical :: before
      if (a(1) > b(1) .or. a(1) < b(1)) then
         before = a(1) > b(1)
      else if (nint(a(3)) /= nint(b(3))) then
         before = a(3) < b(3)
      else
         before = a(2) < b(2)
      end if
   end function before

   ! Sum and sum of squares of x in fixed point (2**-30): the same however the sum is split.
   subroutine checksum(sums)
      include 'grid.inc'
      integer(i8), intent(out) :: sums(2)
      integer :: ierr
      sums(1) = sum(nint(x(:, 1:nrows) * 2d0**30, i8))
      sums(2) = sum(nint(x(:, 1:nrows)**2 * 2d0**30, i8))
      call mpi_allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierr)
   end subroutine checksum

end module solver
