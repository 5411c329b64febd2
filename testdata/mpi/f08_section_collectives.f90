! Array sections in collectives that do not block, and in persistent ones, through the mpi_f08 module.
program f08_section_collectives
   use mpi_f08
   implicit none
   integer :: rank, size, i
   type(MPI_Request) :: request

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, size)
   call broadcast()
   call gathered()
   call vectors()
   call everybody()
   call several_at_once()
   call persistent()
   if (rank == 0) print '(a)', 'PASS f08_section_collectives'
   call MPI_Finalize()

contains

   include 'check.inc'

   subroutine broadcast()
      integer, asynchronous :: a(6, 6)
      a = -1
      if (rank == 0) a(::2, 2:5) = reshape([(i, i = 1, 12)], [3, 4])
      call MPI_Ibcast(a(::2, 2:5), 11, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(reshape(a(::2, 2:4), [9]) == [(i, i = 1, 9)]) .and. all(a(1:3:2, 5) == [10, 11]), 'Ibcast')
      call check(a(5, 5) == merge(12, -1, rank == 0) .and. all(a(2::2, :) == -1), 'beside Ibcast')
   end subroutine

   ! One column for each process; the root's columns have gaps in and between them.
   subroutine gathered()
      integer, asynchronous :: mine(9), plane(7, 2 * size), back(4)
      mine = [(rank * 10 + i, i = 1, 9)]
      plane = -1
      call MPI_Igather(mine(1:9:4), 3, MPI_INTEGER, plane(2:7:2, ::2), 3, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      if (rank == 0) then
         do i = 0, size - 1
            call check(all(plane(2:7:2, 2 * i + 1) == i * 10 + [1, 5, 9]), 'Igather')
         end do
         call check(count(plane /= -1) == 3 * size, 'beside Igather')
      else
         call check(all(plane == -1), 'Igather at others')
      end if
      if (rank == 0) plane(1, :) = [(i, i = 1, 2 * size)]
      back = -1
      call MPI_Iscatter(plane(1, :), 2, MPI_INTEGER, back(4:1:-2), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(back == [-1, 2 * rank + 2, -1, 2 * rank + 1]), 'Iscatter')
   end subroutine

   subroutine vectors()
      integer, asynchronous :: got(2, 2 * size)
      integer, asynchronous :: counts(size), displs(size)
      counts = 1
      displs = [(2 * i + 1, i = 0, size - 1)]
      got = -1
      call MPI_Iallgatherv([rank + 7], 1, MPI_INTEGER, got(2, :), counts, displs, MPI_INTEGER, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(got(2, 2::2) == [(i + 7, i = 0, size - 1)]) .and. count(got == -1) == 3 * size, 'Iallgatherv')
   end subroutine

   subroutine everybody()
      integer, asynchronous :: a(3, size), b(size, 4)
      a = -5
      a(2, :) = [(rank * 100 + i, i = 0, size - 1)]
      b = -1
      call MPI_Ialltoall(a(2, :), 1, MPI_INTEGER, b(size:1:-1, 3), 1, MPI_INTEGER, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(b(size:1:-1, 3) == [(i * 100 + rank, i = 0, size - 1)]) .and. count(b == -1) == 3 * size, 'Ialltoall')
   end subroutine

   subroutine several_at_once()
      integer, asynchronous :: a(3, 50)
      type(MPI_Request) :: requests(3)
      a = 0
      if (rank == size - 1) a = reshape([(i, i = 1, 150)], [3, 50])
      do i = 1, 3
         call MPI_Ibcast(a(i, :), 50, MPI_INTEGER, size - 1, MPI_COMM_WORLD, requests(i))
      end do
      call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
      call check(all(reshape(a, [150]) == [(i, i = 1, 150)]), 'several at once')
   end subroutine

   subroutine persistent()
      integer, asynchronous :: a(4, 4)
      integer :: turn
      call MPI_Bcast_init(a(3, :), 4, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request)
      do turn = 1, 3
         a = -turn
         if (rank == 0) a(3, :) = turn * [1, 2, 3, 4]
         call MPI_Start(request)
         call MPI_Wait(request, MPI_STATUS_IGNORE)
         call check(all(a(3, :) == turn * [1, 2, 3, 4]) .and. all(a([1, 2, 4], :) == -turn), 'Bcast_init')
      end do
      call MPI_Request_free(request)
   end subroutine
end program
