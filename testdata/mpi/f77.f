c     Does a FORTRAN 77 program with mpif.h work, MPI_WTIME and the
c     old style of buffers included?
      program f77
      implicit none
      include 'mpif.h'
      integer rank, nranks, ierr, i, to, from
      integer ibuf(10), status(MPI_STATUS_SIZE)
      double precision t, work(100), total
      logical flag
      common /buffers/ work, ibuf

      call mpi_init(ierr)
      call mpi_initialized(flag, ierr)
      if (.not. flag) call failed(1)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, nranks, ierr)
      t = MPI_WTIME()
      if (MPI_WTICK() .le. 0) call failed(2)
      to = mod(rank + 1, nranks)
      from = mod(rank + nranks - 1, nranks)
      do 10 i = 1, 10
         ibuf(i) = rank * 10 + i
 10   continue
      if (mod(rank, 2) .eq. 0 .and. nranks .gt. 1) then
         call mpi_send(ibuf, 10, MPI_INTEGER, to, 9, MPI_COMM_WORLD,
     &                 ierr)
      endif
      if (mod(from, 2) .eq. 0 .and. nranks .gt. 1) then
         call mpi_recv(ibuf, 10, MPI_INTEGER, from, 9,
     &                 MPI_COMM_WORLD, status, ierr)
         if (ibuf(10) .ne. from * 10 + 10) call failed(3)
         if (status(MPI_SOURCE) .ne. from) call failed(4)
         if (status(MPI_TAG) .ne. 9) call failed(5)
      endif
      do 20 i = 1, 100
         work(i) = 1
 20   continue
      call sum(work, 100, total)
      if (nint(total) .ne. 100 * nranks) call failed(6)
      if (MPI_WTIME() .lt. t) call failed(7)
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) print '(a)', 'PASS f77'
      call mpi_finalize(ierr)
      end

      subroutine sum(x, n, total)
      implicit none
      include 'mpif.h'
      integer n, i, ierr
      double precision x(n), total, mine
      mine = 0
      do 30 i = 1, n
         mine = mine + x(i)
 30   continue
      call mpi_allreduce(mine, total, 1, MPI_DOUBLE_PRECISION,
     &                   MPI_SUM, MPI_COMM_WORLD, ierr)
      end

      subroutine failed(n)
      implicit none
      include 'mpif.h'
      integer n, ierr
      print '(a,i3)', 'FAIL check', n
      call mpi_abort(MPI_COMM_WORLD, 1, ierr)
      end
