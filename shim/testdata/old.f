C     A program of 1996: mpif.h in fixed form and the names that MPI 3.0
C     removed.
      program old
      implicit none
      include 'mpif.h'
      integer ierr, i, a1, a2, newtype, keyval, val, ext, comm
      integer lens(3), disps(3), types(3)
      logical flag
      double precision x(10)
      external oldcpy
      call MPI_INIT(ierr)
      call MPI_ADDRESS(x(1), a1, ierr)
      call MPI_ADDRESS(x(4), a2, ierr)
      print *, 'distance', a2 - a1
      do 10 i = 1, 3
         lens(i) = i
 10   continue
      disps(1) = -8
      disps(2) = 0
      disps(3) = 64
      types(1) = MPI_LB
      types(2) = MPI_DOUBLE_PRECISION
      types(3) = MPI_UB
      call MPI_TYPE_STRUCT(3, lens, disps, types, newtype, ierr)
      call MPI_TYPE_STRUCT(1, lens(2), disps(2), types(2), newtype,
     &                     ierr)
      call MPI_TYPE_EXTENT(newtype, ext, ierr)
      print *, 'extent', ext
      call MPI_TYPE_UB(newtype, ext, ierr)
      print *, 'ub', ext
      call MPI_KEYVAL_CREATE(oldcpy, MPI_NULL_DELETE_FN, keyval, 5,
     &                       ierr)
      call MPI_ATTR_PUT(MPI_COMM_WORLD, keyval, -3, ierr)
      call MPI_ATTR_GET(MPI_COMM_WORLD, keyval, val, flag, ierr)
      print *, 'value', val, flag
      call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierr)
      end

      subroutine oldcpy(comm, keyval, extra, vin, vout, flag, ierr)
      integer comm, keyval, extra, vin, vout, ierr
      logical flag
      vout = vin * extra
      flag = .true.
      ierr = 0
      end
