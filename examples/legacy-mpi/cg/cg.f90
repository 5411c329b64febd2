! cg - solve a Poisson-like problem whose solution is known, with a checkpoint in the middle.
!
! usage: cg [input file]    the file holds a namelist: &input nx=60, ny=320, limit=60, tolerance=1d-10 /
!
! Rank 0 reads the input and broadcasts it. State is in COMMON blocks (halo.f), in a module with allocatables and in
! SAVE variables (solver.f90); every rank keeps a scratch file open on the same unit number, 20. Printed numbers do not
! depend on the number of ranks.
program cg
   use mpi
   use solver
   implicit none
   include 'grid.inc'
   integer, parameter :: i8 = selected_int_kind(18)
   integer :: limit, ierr, wrong, rc
   integer, save :: failures = 0
   double precision :: tolerance
   integer, external :: strang, nhalo

   call mpi_init(ierr)
   call read_input()
   call decomp()
   wrong = strang()
   if (wrong > 0) call give_up(wrong)
   if (myrank == 0) print '(a,i0,a,i0,a)', 'cg: ', nx, ' x ', ny, ' unknowns'
   call check_namelist()
   call setup()
   call solve(limit / 4, tolerance)
   call survive_checkpoint()
   call solve(limit, tolerance)
   call check_result()
   call teardown()
   rc = verdict()
   call mpi_finalize(ierr)
   if (rc /= 0) stop 1

contains

   subroutine read_input()
      namelist /input/ nx, ny, limit, tolerance
      character(len=256) :: name
      integer :: rank
      double precision :: numbers(4)
      nx = 60
      ny = 320
      limit = 60
      tolerance = 1d-10
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call get_command_argument(1, name)
      if (rank == 0 .and. name /= ' ') then
         open(unit=10, file=name, status='old')
         read(10, nml=input)
         close(10)
      end if
      numbers = [dble(nx), dble(ny), dble(limit), tolerance]
      call mpi_bcast(numbers, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
      nx = nint(numbers(1))
      ny = nint(numbers(2))
      limit = nint(numbers(3))
      tolerance = numbers(4)
   end subroutine read_input

   ! Nothing that follows works with the COMMON block of another rank; every rank gets here together.
   subroutine give_up(wrong)
      integer, intent(in) :: wrong
      integer :: rank
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      if (rank == 0) print '(a,i0,a)', 'FAILED cg: ', wrong, ' ranks read the COMMON block of another rank'
      flush(6)
      call mpi_finalize(ierr)
      stop 1
   end subroutine give_up

   subroutine complain(what)
      character(len=*), intent(in) :: what
      failures = failures + 1
      write(0, '(a,i0,2a)') 'cg: rank ', myrank, ': ', what
   end subroutine complain

   ! Each rank writes a namelist to unit 20 and finds its own after the others wrote theirs.
   subroutine check_namelist()
      integer :: rank, row
      namelist /block/ rank, row
      rank = myrank
      row = row1
      open(unit=20, status='scratch')
      write(20, nml=block)
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      rank = -1
      row = -1
      rewind(20)
      read(20, nml=block)
      close(20)
      if (rank /= myrank .or. row /= row1) call complain('unit 20 holds the namelist of another rank')
   end subroutine check_namelist

   subroutine survive_checkpoint()
      integer :: before
      before = iterations
      call checkpoint()
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      if (.not. restore()) call complain('the checkpoint on unit 20 belongs to another rank')
      if (iterations /= before) call complain('iterations were counted by somebody else')
      if (myrank == 0) print '(a,i0,a,es9.2)', 'checkpoint after ', iterations, ' iterations, residual ', residual
   end subroutine survive_checkpoint

   subroutine check_result()
      double precision :: point(3)
      integer(i8) :: sums(2)
      call worst_point(point)
      call checksum(sums)
      ! One exchange for setup, one at each of the two starts, one per iteration.
      if (nhalo() /= iterations + 3) call complain('halo exchanges were counted by somebody else')
      if (myrank /= 0) return
      print '(a,i0,a,es9.2)', 'solved after ', iterations, ' iterations, residual ', residual
      print '(a,i0,a,i0)', 'worst point: column ', int(point(2)), ', row ', int(point(3))
      print '(a,f14.6,a,f14.6)', 'sum ', dble(sums(1)) / 2d0**30, '   sum of squares ', dble(sums(2)) / 2d0**30
      if (residual > tolerance) call complain('no convergence')
      if (point(1) > 1d-8) call complain('the solution is wrong')
   end subroutine check_result

   integer function verdict()
      integer :: total, none
      total = failures
      if (myrank == 0) then
         call mpi_reduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      else
         call mpi_reduce(failures, none, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      end if
      call share_verdict(total)
      if (myrank == 0 .and. total == 0) print '(a)', 'PASS cg'
      if (myrank == 0 .and. total /= 0) print '(a)', 'FAILED cg'
      verdict = total
   end function verdict

   subroutine share_verdict(total)
      integer, intent(inout) :: total
      double precision :: shared(4)
      shared = total
      call mpi_bcast(shared, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
      total = nint(shared(1))
   end subroutine share_verdict

end program cg
