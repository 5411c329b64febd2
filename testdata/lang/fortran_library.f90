! Does the Fortran run-time library work in ranks: asynchronous, stream, direct and internal I/O, namelists, commands, arguments, EQUIVALENCE, BLOCK DATA, finalisers?
! build: $CC -fcoarray=single fortran_library.f90
module things
   implicit none
   integer :: finalised = 0
   type thing
      integer :: id = 0
   contains
      final :: done
   end type thing
   type, abstract :: shape
   contains
      procedure(area_of), deferred :: area
   end type shape
   type, extends(shape) :: square
      double precision :: side = 1
   contains
      procedure :: area => square_area
   end type square
   abstract interface
      double precision function area_of(self)
         import shape
         class(shape), intent(in) :: self
      end function area_of
   end interface
   integer, allocatable, save :: kept(:)
contains
   subroutine done(t)
      type(thing), intent(inout) :: t
      finalised = finalised + t%id
   end subroutine done
   double precision function square_area(self)
      class(square), intent(in) :: self
      square_area = self%side**2
   end function square_area
end module things

block data constants
   implicit none
   integer :: primes(5)
   double precision :: pi
   common /facts/ pi, primes
   data primes /2, 3, 5, 7, 11/, pi /3.14159265358979d0/
end block data constants

program fortran_library
   use mpi
   use things
   use, intrinsic :: iso_fortran_env
   implicit none
   integer :: rank, size, ierr, failures = 0
   integer :: primes(5)
   double precision :: pi
   common /facts/ pi, primes

   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call storage()
   call objects()
   call asynchronous_files()
   call stream_files()
   call internal_files()
   call surroundings()
   call coarrays()
   call finish('fortran_library')

contains

   include 'check.inc'

   subroutine storage()
      integer, save :: words(2)
      double precision, save :: whole
      equivalence (words(1), whole)
      call check(all(primes == [2, 3, 5, 7, 11]) .and. pi > 3.14d0, 'BLOCK DATA')
      primes = primes * rank
      whole = rank
      allocate(kept(0:rank))
      kept = rank
      call others_run()
      call check(primes(5) == 11 * rank, 'COMMON')
      call check(transfer(words, 1d0) == rank, 'EQUIVALENCE')
      call check(size_of(kept) == rank + 1 .and. all(kept == rank), 'a saved allocatable')
   end subroutine storage

   integer function size_of(a)
      integer, intent(in) :: a(:)
      size_of = ubound(a, 1)
   end function size_of

   subroutine objects()
      class(shape), allocatable :: s
      block
         type(thing) :: t
         t%id = rank + 1
         call others_run()
      end block
      call check(finalised == rank + 1, 'a finaliser')
      allocate(s, source=square(side=rank + 2d0))
      call others_run()
      call check(nint(s%area()) == (rank + 2)**2, 'dispatch')
      select type (s)
      type is (square)
         s%side = 0
      class default
         call check(.false., 'select type')
      end select
   end subroutine objects

   ! libgfortran writes in a thread of its own.
   subroutine asynchronous_files()
      integer :: unit, i, id(8)
      integer, asynchronous :: a(1000, 8), b(1000, 8)
      character(len=60) :: name
      logical :: pending
      write(name, '(a,i0,a,i0)') '/tmp/fortran_library.', pid(), '.', rank
      open(newunit=unit, file=name, asynchronous='yes', form='unformatted', action='readwrite', status='replace')
      do i = 1, 8
         a(:, i) = rank * 10 + i
         write(unit, asynchronous='yes', id=id(i)) a(:, i)
         if (mod(i, 3) == 0) call others_run()
      end do
      wait(unit)
      inquire(unit, pending=pending)
      call check(.not. pending, 'pending')
      rewind(unit)
      do i = 1, 8
         read(unit, asynchronous='yes', id=id(i)) b(:, i)
      end do
      call others_run()
      wait(unit) ! gfortran's WAIT with ID= may return early, under any MPI
      call check(all(a == b), 'asynchronous I/O')
      close(unit, status='delete')
   end subroutine asynchronous_files

   integer function pid()
      interface
         integer(c_int) function getpid() bind(c)
            use iso_c_binding
         end function getpid
      end interface
      pid = getpid()
   end function pid

   subroutine stream_files()
      integer :: unit, i, j, where
      character(len=8) :: text
      character(len=100) :: name
      open(newunit=unit, status='scratch', access='stream', form='unformatted')
      do i = 1, 50
         write(unit) i * rank
      end do
      read(unit, pos=1 + 4 * 9) j
      call check(j == 10 * rank, 'stream')
      inquire(unit, pos=where, name=name)
      call check(where == 41, 'position')
      close(unit)
      open(newunit=unit, status='scratch', access='direct', recl=8, form='formatted')
      do i = 5, 1, -1
         write(unit, '(i8)', rec=i) i + rank
      end do
      call others_run()
      read(unit, '(a)', rec=3) text
      read(text, *) j
      call check(j == 3 + rank, 'direct access')
      close(unit)
      open(newunit=unit, file='/no/such/file', status='old', iostat=i, iomsg=name)
      call check(i /= 0 .and. index(name, 'No such file') > 0, 'iomsg')
   end subroutine stream_files

   subroutine internal_files()
      character(len=40) :: lines(3), text
      integer :: i, many(3)
      real :: x
      write(lines, '(i0,/,f8.3,/,es12.4)') rank, 1.5 * rank, 2.0d5
      call others_run()
      read(lines(1), *) i
      read(lines(2), *) x
      call check(i == rank .and. nint(2 * x) == 3 * rank, 'internal files')
      read(lines(3), '(es12.4)') x
      call check(nint(x) == 200000, 'es')
      text = '1, 2*7'
      read(text, *, iostat=i) many
      call check(i == 0 .and. all(many == [1, 7, 7]), 'list-directed')
      write(text, '(*(i0,:,","))') [1, 2, 3]
      call check(text == '1,2,3', 'unlimited format')
   end subroutine internal_files

   subroutine surroundings()
      character(len=200) :: value
      integer :: length, status, code, when(8)
      double precision :: before, after
      integer(int64) :: ticks, rate
      call get_environment_variable('AMPI_RANK', value, length, status)
      if (status == 0) then
         read(value, *) code
         call check(code == rank, 'environment')
      end if
      call get_environment_variable('NO_SUCH_VARIABLE', status=status)
      call check(status == 1, 'missing variable')
      call execute_command_line('exit 3', exitstat=code)
      call check(code == 3, 'execute_command_line')
      call execute_command_line('true', wait=.false., cmdstat=status)
      call check(status == 0, 'a command in the background')
      call get_command_argument(0, value, length)
      call check(length > 0 .and. command_argument_count() == 0, 'arguments')
      call date_and_time(values=when)
      call cpu_time(before)
      call system_clock(ticks, rate)
      call others_run()
      call cpu_time(after)
      call check(after >= before .and. rate > 0 .and. when(1) > 2000, 'clocks')
      call check(is_iostat_end(iostat_end) .and. len_trim(compiler_version()) > 0, 'constants')
   end subroutine surroundings

   subroutine coarrays()
      integer, save :: there[*]
      there = rank
      sync all
      call check(this_image() == 1 .and. num_images() == 1 .and. there[1] == rank, 'coarrays of one image')
   end subroutine coarrays

end program fortran_library
