! Array sections as buffers of the mpi_f08 module: MPI takes the elements of the section, and touches no others.
program f08_sections
   use mpi_f08
   implicit none
   integer :: rank, size, right, left

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, size)
   right = mod(rank + 1, size)
   left = mod(rank + size - 1, size)
   call check(MPI_SUBARRAYS_SUPPORTED, 'MPI_SUBARRAYS_SUPPORTED')
   call strided_vector()
   call backwards()
   call planes()
   call cubes()
   call partial_rows()
   call derived_types()
   call bytes_and_reals()
   call characters()
   call nonblocking()
   call persistent()
   call matched()
   call collectives()
   call rooted()
   call reductions()
   call packing()
   call passed_on()
   call empty()
   if (rank == 0) print '(a)', 'PASS f08_sections'
   call MPI_Finalize()

contains

   include 'check.inc'

   subroutine strided_vector()
      integer :: a(20), b(20), n, i
      type(MPI_Status) :: status
      a = [(rank * 100 + i, i = 1, 20)]
      b = -1
      call MPI_Sendrecv(a(2:17:3), 6, MPI_INTEGER, right, 1, b(1:20:4), 5, MPI_INTEGER, MPI_PROC_NULL, 1, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Recv(b(3:20:3), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
      call MPI_Get_count(status, MPI_INTEGER, n)
      call check(n == 6, 'count of a section')
      call check(all(b(3:18:3) == [(left * 100 + i, i = 2, 17, 3)]), 'a strided vector')
      call check(count(b == -1) == 14, 'elements between')
   end subroutine

   subroutine backwards()
      integer :: a(9), b(9), i
      a = [(rank + i * 10, i = 1, 9)]
      b = 0
      call MPI_Sendrecv(a(9:1:-2), 5, MPI_INTEGER, right, 2, b(8:1:-1), 8, MPI_INTEGER, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b == [0, 0, 0, left + 10, left + 30, left + 50, left + 70, left + 90, 0]), 'a section that runs backwards')
   end subroutine

   subroutine planes()
      real(8) :: a(5, 7), b(7, 5), want(3, 3)
      integer :: i, j
      a = reshape([((rank * 1000 + i * 10 + j, i = 1, 5), j = 1, 7)], [5, 7])
      want = a(1:5:2, 2:7:2) - (rank - left) * 1000
      b = -5
      call MPI_Sendrecv(a(1:5:2, 2:7:2), 9, MPI_DOUBLE_PRECISION, right, 3, b(3:5, ::2), 9, MPI_DOUBLE_PRECISION, left, 3, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b(3:5, ::2) == want), 'a section of a plane')
      call check(count(b == -5) == 35 - 9, 'outside of a section of a plane')
      b = -5
      call MPI_Sendrecv(a(3, :), 7, MPI_DOUBLE_PRECISION, right, 3, b(:, 4), 7, MPI_DOUBLE_PRECISION, left, 3, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b(:, 4) == a(3, :) - (rank - left) * 1000), 'a row as a column')
      call check(all(b(:, [1, 2, 3, 5]) == -5), 'other columns')
   end subroutine

   subroutine cubes()
      integer :: a(4, 5, 6), b(4, 5, 6), i
      a = reshape([(rank * 1000 + i, i = 1, 120)], [4, 5, 6])
      b = -1
      call MPI_Sendrecv(a(2:3, ::2, 1:6:5), 12, MPI_INTEGER, right, 4, b(2:3, ::2, 1:6:5), 12, MPI_INTEGER, left, 4, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b(2:3, ::2, 1:6:5) == a(2:3, ::2, 1:6:5) + (left - rank) * 1000), 'a section of a cube')
      call check(count(b == -1) == 108, 'outside of a section of a cube')
      b = -1
      call MPI_Sendrecv(a(:, :, 3), 20, MPI_INTEGER, right, 4, b(:, 2, :), 24, MPI_INTEGER, left, 4, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(reshape(b(:, 2, 1:5), [20]) == reshape(a(:, :, 3), [20]) + (left - rank) * 1000), 'a plane of a cube')
      call check(all(b(:, 2, 6) == -1), 'what no message has filled')
   end subroutine

   ! Counts that end within a row, a column, a plane.
   subroutine partial_rows()
      integer :: a(6, 6, 3), b(40), n, i
      a = reshape([(rank * 1000 + i, i = 1, 108)], [6, 6, 3])
      do n = 1, 27
         b = -1
         call MPI_Sendrecv(a(::2, 1:5:2, :), n, MPI_INTEGER, right, n, b, n, MPI_INTEGER, left, n, MPI_COMM_WORLD, &
               MPI_STATUS_IGNORE)
         call check(all(b(1:n) == first(a(::2, 1:5:2, :), n) + (left - rank) * 1000) .and. all(b(n + 1:) == -1), &
               'part of a section')
      end do
   end subroutine

   function first(a, n) result(r)
      integer, intent(in) :: a(:, :, :), n
      integer :: r(n), all(27)
      all = reshape(a, [27])
      r = all(1:n)
   end function

   subroutine derived_types()
      integer :: a(30), b(30), i
      type(MPI_Datatype) :: pairs, gapped
      a = [(rank * 1000 + i, i = 1, 30)]
      b = -1
      call MPI_Type_contiguous(2, MPI_INTEGER, pairs)
      call MPI_Type_vector(2, 1, 2, MPI_INTEGER, gapped)
      call MPI_Type_commit(pairs)
      call MPI_Type_commit(gapped)
      call MPI_Sendrecv(a(1:30:3), 4, pairs, right, 5, b(2:30:2), 8, MPI_INTEGER, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b(2:16:2) == [(left * 1000 + i, i = 1, 22, 3)]) .and. all(b(18:30) == -1), 'pairs in a section')
      b = -1
      ! Elements 1, 3, 4 and 6 of the section.
      call MPI_Sendrecv(a(1:30:3), 2, gapped, right, 5, b(1:30:5), 2, gapped, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b([1, 11, 16, 26]) == left * 1000 + [1, 7, 10, 16]) .and. count(b /= -1) == 4, &
            'a type with gaps in a section')
      call MPI_Type_free(pairs)
      call MPI_Type_free(gapped)
   end subroutine

   subroutine bytes_and_reals()
      complex :: z(8), y(8)
      integer :: i
      z = [(cmplx(rank, i), i = 1, 8)]
      y = 0
      call MPI_Sendrecv(z(::2), 7, MPI_REAL, right, 6, y(8:1:-2), 7, MPI_REAL, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(y([8, 6, 4]) == [cmplx(left, 1), cmplx(left, 3), cmplx(left, 5)]) .and. y(2) == cmplx(left, 0), &
            'halves of elements')
      y = 0
      call MPI_Sendrecv(z(::4), 13, MPI_BYTE, right, 6, y(1:8:7), 13, MPI_BYTE, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(y(1) == cmplx(left, 1) .and. real(y(8)) == left, 'bytes of elements')
   end subroutine

   subroutine characters()
      character(len=5) :: words(6), got(6)
      character(len=11) :: text
      words = ['one  ', 'two  ', 'three', 'four ', 'five ', 'six  ']
      got = '-----'
      call MPI_Sendrecv(words(2:6:2), 15, MPI_CHARACTER, right, 7, got(1:5:2), 15, MPI_CHARACTER, left, 7, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(got == ['two  ', '-----', 'four ', '-----', 'six  ', '-----']), 'words')
      call MPI_Sendrecv('hello world', 11, MPI_CHARACTER, right, 7, text, 11, MPI_CHARACTER, left, 7, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
      call check(text == 'hello world', 'a constant')
   end subroutine

   subroutine nonblocking()
      integer, asynchronous :: a(40), b(40)
      type(MPI_Request) :: requests(4)
      integer :: i
      a = [(rank * 100 + i, i = 1, 40)]
      b = -1
      call MPI_Irecv(b(1:40:4), 10, MPI_INTEGER, left, 8, MPI_COMM_WORLD, requests(1))
      call MPI_Irecv(b(2:40:4), 10, MPI_INTEGER, left, 9, MPI_COMM_WORLD, requests(2))
      call MPI_Isend(a(1:40:4), 10, MPI_INTEGER, right, 9, MPI_COMM_WORLD, requests(3))
      call MPI_Issend(a(40:1:-4), 10, MPI_INTEGER, right, 8, MPI_COMM_WORLD, requests(4))
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
      call check(all(b(1::4) == [(left * 100 + i, i = 40, 1, -4)]), 'Irecv of a section')
      call check(all(b(2::4) == [(left * 100 + i, i = 1, 40, 4)]), 'Isend of a section')
      call check(all(b(3::4) == -1) .and. all(b(4::4) == -1), 'between sections under way')
   end subroutine

   subroutine persistent()
      integer, asynchronous :: a(6, 6), b(6, 6)
      type(MPI_Request) :: requests(2)
      integer :: turn
      call MPI_Send_init(a(2, :), 6, MPI_INTEGER, right, 10, MPI_COMM_WORLD, requests(1))
      call MPI_Recv_init(b(::2, 3:4), 6, MPI_INTEGER, left, 10, MPI_COMM_WORLD, requests(2))
      do turn = 1, 3
         a = rank * 10 + turn
         b = -1
         call MPI_Startall(2, requests)
         call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
         call check(all(b(::2, 3:4) == left * 10 + turn) .and. count(b == -1) == 30, 'a persistent section')
      end do
      call MPI_Request_free(requests(1))
      call MPI_Request_free(requests(2))
   end subroutine

   subroutine matched()
      integer :: a(9), b(9), i
      type(MPI_Message) :: message
      type(MPI_Request) :: request
      type(MPI_Status) :: status
      a = [(rank + i, i = 1, 9)]
      b = 0
      call MPI_Isend(a(1:9:2), 5, MPI_INTEGER, right, 11, MPI_COMM_WORLD, request)
      call MPI_Mprobe(left, 11, MPI_COMM_WORLD, message, status)
      call MPI_Mrecv(b(9:1:-2), 5, MPI_INTEGER, message, status)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(message == MPI_MESSAGE_NULL .and. all(b(9:1:-2) == [(left + i, i = 1, 9, 2)]), 'Mrecv of a section')
   end subroutine

   subroutine collectives()
      integer :: a(12), all_of_them(2, size, 3), plane(size, 4), got(size, 4), counts(size), displs(size), i
      a = 0
      if (rank == size - 1) a(::3) = [1, 2, 3, 4]
      call MPI_Bcast(a(::3), 4, MPI_INTEGER, size - 1, MPI_COMM_WORLD)
      call check(all(a == [1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0]), 'Bcast')
      all_of_them = -1
      a = [(rank * 100 + i, i = 1, 12)]
      call MPI_Allgather(a(2:12:5), 3, MPI_INTEGER, all_of_them(2, :, :), 3, MPI_INTEGER, MPI_COMM_WORLD)
      call check(all(reshape(all_of_them(2, :, :), [3 * size]) == [(i / 3 * 100 + mod(i, 3) * 5 + 2, i = 0, &
            3 * size - 1)]), 'Allgather')
      call check(all(all_of_them(1, :, :) == -1), 'beside Allgather')
      plane = rank
      plane(:, 2) = [(rank * 100 + i, i = 0, size - 1)]
      got = -1
      call MPI_Alltoall(plane(:, 2:2), 1, MPI_INTEGER, got(size:1:-1, 3), 1, MPI_INTEGER, MPI_COMM_WORLD)
      call check(all(got(size:1:-1, 3) == [(i * 100 + rank, i = 0, size - 1)]) .and. all(got(:, [1, 2, 4]) == -1), 'Alltoall')
      counts = [(1 + mod(i, 2), i = 0, size - 1)]
      displs = [(2 * i, i = 0, size - 1)]
      call vector(counts, displs)
   end subroutine

   subroutine vector(counts, displs)
      integer, intent(in) :: counts(size), displs(size)
      integer :: mine(4), got(3, 2 * size), i, n
      mine = [rank, -9, rank + 50, -9]
      got = -1
      call MPI_Allgatherv(mine(1:3:2), counts(rank + 1), MPI_INTEGER, got(2, :), counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
      n = 0
      do i = 0, size - 1
         call check(got(2, 2 * i + 1) == i, 'Allgatherv, first')
         call check(got(2, 2 * i + 2) == merge(i + 50, -1, mod(i, 2) == 1), 'Allgatherv, second')
         n = n + counts(i + 1)
      end do
      call check(count(got /= -1) == n, 'beside Allgatherv')
   end subroutine

   subroutine rooted()
      integer :: a(2, 3), everything(4, 3 * size), root, i
      root = size / 2
      a = rank
      everything = -1
      call MPI_Gather(a(1, :), 3, MPI_INTEGER, everything(2, :), 3, MPI_INTEGER, root, MPI_COMM_WORLD)
      if (rank == root) call check(all(everything(2, :) == [(i / 3, i = 0, 3 * size - 1)]), 'Gather')
      call check(count(everything == -1) == merge(9 * size, 12 * size, rank == root), 'beside Gather')
      if (rank == root) everything = reshape([(i, i = 1, 12 * size)], [4, 3 * size])
      a = -1
      call MPI_Scatter(everything(3:1:-2, ::3), 2, MPI_INTEGER, a(2, 1:3:2), 2, MPI_INTEGER, root, MPI_COMM_WORLD)
      call check(all(a(2, [1, 3]) == rank * 12 + [3, 1]) .and. all(a(1, :) == -1) .and. a(2, 2) == -1, 'Scatter')
   end subroutine

   subroutine reductions()
      integer :: a(10), b(5, 2), i
      a = [(rank + i, i = 1, 10)]
      b = -1
      call MPI_Allreduce(a(1:10:3), b(1:4, 2), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      call check(all(b(1:4, 2) == [(size * (size - 1) / 2 + size * i, i = 1, 10, 3)]), 'Allreduce of a section')
      call MPI_Allreduce(MPI_IN_PLACE, a(2:10:4), 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
      call check(all(a(2:10:4) == size - 1 + [2, 6, 10]) .and. a(3) == rank + 3, 'Allreduce in place')
      b = -1
      call MPI_Reduce(a(1:3:2), b(2, :), 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
      if (rank == 0) call check(all(b(2, :) == size * (size - 1) / 2 + size * [1, 3]), 'Reduce to a section')
      call check(all(b([1, 3, 4, 5], :) == -1), 'beside Reduce')
      b = rank
      call MPI_Scan(b(3, :), b(1, :), 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      call check(all(b(1, :) == rank * (rank + 1) / 2) .and. all(b(2:, :) == rank), 'Scan')
   end subroutine

   subroutine packing()
      integer :: a(9), b(9), place, i
      character :: buffer(200)
      a = [(i * i, i = 1, 9)]
      b = 0
      place = 0
      call MPI_Pack(a(1:9:4), 3, MPI_INTEGER, buffer(1:200:2), 100, place, MPI_COMM_WORLD)
      call check(place == 12, 'packed size')
      place = 0
      call MPI_Unpack(buffer(1:200:2), 100, place, b(7:1:-3), 3, MPI_INTEGER, MPI_COMM_WORLD)
      call check(all(b == [81, 0, 0, 25, 0, 0, 1, 0, 0]), 'Unpack')
   end subroutine

   subroutine passed_on()
      real, allocatable :: a(:, :)
      real, pointer :: p(:)
      real, target :: memory(30)
      integer :: i
      allocate (a(0:5, 3))
      a = rank
      call exchange(a(0:5:2, :))
      call check(all(a(0:5:2, :) == left) .and. all(a(1:5:2, :) == rank), 'a section of a dummy argument')
      memory = [(i, i = 1, 30)]
      p => memory(5:30:5)
      call exchange_pointer(p)
      call check(all(memory(5:30:5) == [(i, i = 5, 30, 5)]) .and. memory(6) == 6, 'a pointer')
      call exchange_assumed_size(memory, 10)
      call check(memory(1) == 1 .and. memory(30) == 30, 'an assumed-size array')
   end subroutine

   subroutine exchange(a)
      real, intent(inout) :: a(:, :)
      real :: got(3, 3)
      call MPI_Sendrecv(a, 9, MPI_REAL, right, 12, got, 9, MPI_REAL, left, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      a = got
      call MPI_Sendrecv_replace(a(:, 2:3), 6, MPI_REAL, rank, 12, rank, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
   end subroutine

   subroutine exchange_pointer(p)
      real, pointer, intent(in) :: p(:)
      call MPI_Sendrecv_replace(p, 6, MPI_REAL, right, 13, left, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
   end subroutine

   subroutine exchange_assumed_size(a, n)
      integer, intent(in) :: n
      real, intent(inout) :: a(n, *)
      call MPI_Sendrecv_replace(a, 3 * n, MPI_REAL, right, 14, left, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Sendrecv_replace(a(1, 1:3), 3, MPI_REAL, right, 14, left, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
   end subroutine

   subroutine empty()
      integer :: a(5), b(5), none(0)
      b = 1
      call MPI_Sendrecv(a(1:5:2), 0, MPI_INTEGER, right, 15, b(1:5:2), 3, MPI_INTEGER, left, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(none, 0, MPI_INTEGER, right, 15, a(3:2), 0, MPI_INTEGER, left, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b == 1), 'nothing')
   end subroutine
end program
