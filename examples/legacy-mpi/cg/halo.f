c     Decomposition and halo exchange: the oldest part of the code,
c     FORTRAN 77 with COMMON and SAVE, and mpif.h.

c     Rows in blocks; when there are more ranks than rows the last
c     ranks have none and no neighbours.
      subroutine decomp
      implicit none
      include 'mpif.h'
      include 'grid.inc'
      integer share, rest, active, ierr

      call mpi_comm_rank(MPI_COMM_WORLD, myrank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, nranks, ierr)
      share = ny / nranks
      rest = mod(ny, nranks)
      active = min(nranks, ny)
      row1 = 1 + myrank * share + min(myrank, rest)
      nrows = share
      if (myrank .lt. rest) nrows = nrows + 1
      below = myrank - 1
      above = myrank + 1
      if (below .lt. 0) below = MPI_PROC_NULL
      if (above .ge. active) above = MPI_PROC_NULL
      if (nrows .eq. 0) below = MPI_PROC_NULL
      if (nrows .eq. 0) above = MPI_PROC_NULL
      end

c     Every rank asks MPI again who it is and compares with COMMON:
c     with COMMON shared by several ranks only one of them is right.
c     The number of wrong ranks is the result, the same in all ranks.
      integer function strang()
      implicit none
      include 'mpif.h'
      include 'grid.inc'
      integer me, wrong(1), total(1), ierr

      call mpi_barrier(MPI_COMM_WORLD, ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
      wrong(1) = 0
      if (me .ne. myrank) wrong(1) = 1
      call mpi_allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      strang = total(1)
      end

c     Fill the halo rows 0 and nrows+1 of v from the neighbours.
      subroutine halo(v)
      implicit none
      include 'mpif.h'
      include 'grid.inc'
      double precision v(nx, 0:nrows+1)
      integer status(MPI_STATUS_SIZE), ierr
      integer calls
      common /count/ calls
      save /count/

      calls = calls + 1
      call mpi_sendrecv(v(1, nrows), nx, MPI_DOUBLE_PRECISION, above,
     &     1, v(1, 0), nx, MPI_DOUBLE_PRECISION, below, 1,
     &     MPI_COMM_WORLD, status, ierr)
      call mpi_sendrecv(v(1, 1), nx, MPI_DOUBLE_PRECISION, below,
     &     2, v(1, nrows+1), nx, MPI_DOUBLE_PRECISION, above, 2,
     &     MPI_COMM_WORLD, status, ierr)
      end

c     Halo exchanges made so far, kept across calls.
      integer function nhalo()
      implicit none
      integer calls
      common /count/ calls
      save /count/
      nhalo = calls
      end

      block data counts
      implicit none
      integer calls
      common /count/ calls
      data calls /0/
      end
