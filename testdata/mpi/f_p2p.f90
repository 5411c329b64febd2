! Do the point-to-point calls work from Fortran: modes, wildcards, probe, requests, persistence, statuses?
program f_p2p
   use mpi
   implicit none
   integer :: rank, size, ierr, to, from

   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   to = mod(rank + 1, size)
   from = mod(rank + size - 1, size)
   call ring()
   call wildcards()
   call requests()
   call persistent()
   call nobody()
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   if (rank == 0) print '(a)', 'PASS f_p2p'
   call mpi_finalize(ierr)

contains

   include 'check.inc'

   subroutine ring()
      integer :: out(1000), in(1000), status(MPI_STATUS_SIZE), n
      out = rank
      in = -1
      call mpi_sendrecv(out, 700, MPI_INTEGER, to, 5, in, 1000, MPI_INTEGER, from, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
      call check(all(in(1:700) == from) .and. all(in(701:) == -1), 'contents of sendrecv')
      call mpi_get_count(status, MPI_INTEGER, n, ierr)
      call check(n == 700, 'count')
      call check(status(MPI_SOURCE) == from .and. status(MPI_TAG) == 5, 'status')
      call mpi_sendrecv_replace(out, 1000, MPI_INTEGER, to, 1, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call check(all(out == from), 'sendrecv_replace')
   end subroutine ring

   subroutine wildcards()
      integer :: one, seen, status(MPI_STATUS_SIZE), r, got
      logical :: flag
      one = 100 + rank
      if (rank /= 0) call mpi_ssend(one, 1, MPI_INTEGER, 0, rank, MPI_COMM_WORLD, ierr)
      seen = 0
      if (rank == 0) then
         do r = 1, size - 1
            call mpi_probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
            call mpi_recv(got, 1, MPI_INTEGER, status(MPI_SOURCE), status(MPI_TAG), MPI_COMM_WORLD, status, ierr)
            call check(got == 100 + status(MPI_SOURCE), 'a probed message')
            seen = seen + got - 100
         end do
         call check(seen == size * (size - 1) / 2, 'sum of sources')
         call mpi_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, status, ierr)
         call check(.not. flag, 'iprobe finds nothing')
      end if
      call mpi_barrier(MPI_COMM_WORLD, ierr)
   end subroutine wildcards

   subroutine requests()
      integer :: req(4), statuses(MPI_STATUS_SIZE, 4), i, index
      integer, volatile :: in(2), out(2)
      logical :: flag
      do i = 1, 2
         out(i) = 10 * rank + i
         call mpi_irecv(in(i), 1, MPI_INTEGER, from, i, MPI_COMM_WORLD, req(i), ierr)
         call mpi_isend(out(i), 1, MPI_INTEGER, to, i, MPI_COMM_WORLD, req(2+i), ierr)
      end do
      call mpi_waitall(4, req, statuses, ierr)
      call check(all(in == [10 * from + 1, 10 * from + 2]), 'waitall')
      call check(statuses(MPI_TAG, 1) == 1 .and. statuses(MPI_TAG, 2) == 2, 'statuses')
      call check(all(req == MPI_REQUEST_NULL), 'null requests')
      req(1) = MPI_REQUEST_NULL
      call mpi_irecv(in(1), 1, MPI_INTEGER, from, 7, MPI_COMM_WORLD, req(2), ierr)
      call mpi_send(out(1), 1, MPI_INTEGER, to, 7, MPI_COMM_WORLD, ierr)
      call mpi_waitany(2, req, index, statuses(:, 1), ierr)
      call check(index == 2, 'waitany counts from one')
      call mpi_testall(2, req, flag, statuses, ierr)
      call check(flag, 'testall')
      call mpi_irecv(in(1), 1, MPI_INTEGER, from, 7, MPI_COMM_WORLD, req(1), ierr)
      call mpi_send(out(1), 1, MPI_INTEGER, to, 7, MPI_COMM_WORLD, ierr)
      call mpi_waitall(1, req, MPI_STATUSES_IGNORE, ierr)
      call check(in(1) == 10 * from + 1, 'statuses ignored')
   end subroutine requests

   subroutine persistent()
      integer :: req(2), i
      integer, volatile :: in, out
      call mpi_recv_init(in, 1, MPI_INTEGER, from, 3, MPI_COMM_WORLD, req(1), ierr)
      call mpi_send_init(out, 1, MPI_INTEGER, to, 3, MPI_COMM_WORLD, req(2), ierr)
      do i = 1, 10
         out = rank * 100 + i
         call mpi_startall(2, req, ierr)
         call mpi_waitall(2, req, MPI_STATUSES_IGNORE, ierr)
         call check(in == from * 100 + i, 'a persistent receive')
      end do
      call mpi_request_free(req(1), ierr)
      call mpi_request_free(req(2), ierr)
      call check(req(1) == MPI_REQUEST_NULL, 'request_free')
   end subroutine persistent

   subroutine nobody()
      integer :: value, status(MPI_STATUS_SIZE)
      value = 8
      call mpi_send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, ierr)
      call mpi_recv(value, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, status, ierr)
      call check(value == 8 .and. status(MPI_SOURCE) == MPI_PROC_NULL, 'MPI_PROC_NULL')
   end subroutine nobody

end program f_p2p
