subroutine copier(a, n)
   use mpi
   implicit none
   integer :: n, ierr, req(4), counts(4), displs(4), st(MPI_STATUS_SIZE), all(MPI_STATUS_SIZE, 4), pos
   integer, allocatable :: flat(:)
   double precision :: a(n, n), b(10)
   character(len=20) :: text
   character(len=5), allocatable :: names(:)
   logical :: periods(2), flag
   type pair
      sequence
      integer :: i
      real :: r
   end type
   type(pair) :: v(3)
   double precision, pointer :: p(:, :)

   allocate (names(3), p(2, 2), flat(4 * MPI_STATUS_SIZE))
   counts = 1
   displs = 0
   req = MPI_REQUEST_NULL
   v%i = 1
   v%r = 1.0
   pos = 0
   periods = .false.
   text = ' '
   names = ' '
   call MPI_Bcast(text, len(text), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
   call MPI_Bcast(names, 15, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
   call MPI_Bcast(v, 3, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
   call MPI_Bcast(v(2)%r, 1, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
   call MPI_Bcast(p, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
   call MPI_Send(5, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
   call MPI_Send(a(2, 1), n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, ierr)
   call MPI_Isend(a(:, 3), n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, req(2), ierr)
   call MPI_Waitall(3, req(2), MPI_STATUS_IGNORE, ierr)
   call MPI_Waitall(4, req, MPI_STATUSES_IGNORE, ierr)
   call MPI_Waitall(4, req(1), all, ierr)
   call MPI_Waitall(4, req, all(1, 1), ierr)
   call MPI_Waitall(4, req, flat, ierr)
   call MPI_Recv(b, 10, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, all(1, 2), ierr)
   call MPI_Recv(b, 10, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, all(:, 2), ierr)
   call MPI_Gatherv(b, 1, MPI_DOUBLE_PRECISION, a, counts(1), displs(1), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
   call MPI_Cart_create(MPI_COMM_WORLD, 1, counts(2), periods(1), .true., pos, ierr)
   call MPI_Pack(v, 1, MPI_REAL, text, 20, pos, MPI_COMM_WORLD, ierr)
   call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, st, ierr)
   call MPI_Comm_test_inter(MPI_COMM_WORLD, flag, ierr)
   if (flag .or. st(MPI_TAG) > 0) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
end subroutine
