! Is the state of a Fortran program private: COMMON, SAVE, DATA, modules, allocatables, units, namelists, random numbers?
module state
   implicit none
   integer :: plain = 7
   double precision, allocatable :: table(:,:)
   character(len=20) :: word = 'start'
   type node
      integer :: value = 3
      type(node), pointer :: next => null()
   end type node
   type(node), pointer :: list => null()
end module state

program fortran_state
   use mpi
   use state
   implicit none
   integer :: rank, size, ierr, failures = 0
   integer :: shared(100)
   common /block/ shared

   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call variables()
   call units()
   call namelists()
   call random()
   call finish('fortran_state')

contains

   include 'check.inc'

   integer function calls()
      integer, save :: n = 100
      n = n + 1
      calls = n
   end function calls

   subroutine variables()
      integer :: i, unused
      type(node), pointer :: head
      call check(plain == 7 .and. word == 'start' .and. .not. allocated(table), 'start values')
      plain = rank
      shared = rank * 2
      write(word, '(a,i0)') 'rank ', rank
      allocate(table(rank + 1, 3))
      table = rank
      do i = 1, rank + 1
         allocate(head)
         head%next => list
         list => head
      end do
      do i = 0, mod(rank, 4)
         unused = calls()
      end do
      call others_run()
      call check(plain == rank .and. all(shared == rank * 2), 'module variable and COMMON')
      call check(ubound(table, 1) == rank + 1 .and. all(nint(table) == rank), 'an allocatable')
      call check(calls() == 102 + mod(rank, 4), 'SAVE')
      read(word(6:), *) i
      call check(i == rank, 'a character variable')
      i = 0
      head => list
      do while (associated(head))
         i = i + head%value
         head => head%next
      end do
      call check(i == 3 * (rank + 1), 'a linked list')
   end subroutine variables

   ! The same unit number in every rank, open while the others open theirs.
   subroutine units()
      integer :: i, a, b, where, other
      open(unit=10, status='scratch')
      open(unit=11, status='scratch', form='unformatted', access='direct', recl=8)
      open(newunit=other, status='scratch')
      do i = 1, 20
         write(10, '(2i8)') rank, i
         write(11, rec=i) rank, -i
         if (mod(i, 7) == 0) call others_run()
      end do
      rewind(10)
      do i = 1, 20
         read(10, *) a, b
         call check(a == rank .and. b == i, 'unit 10')
         read(11, rec=21-i) a, b
         call check(a == rank .and. b == i - 21, 'unit 11')
         if (i == 9) call others_run()
      end do
      call check(other < 0, 'newunit')
      inquire(unit=11, nextrec=where)
      call check(where == 2, 'next record')
      close(10)
      close(11)
      close(other)
   end subroutine units

   subroutine namelists()
      integer :: level
      real :: rates(3)
      character(len=8) :: name
      character(len=200) :: text
      namelist /setup/ level, rates, name
      write(text, '(a,i0,a)') '&setup level=', rank, ', rates=1.5,2*2.5, name="abc" /'
      read(text, nml=setup)
      call check(level == rank .and. nint(2 * rates(3)) == 5 .and. name == 'abc', 'a namelist in a string')
      open(unit=12, status='scratch', delim='quote')
      write(12, nml=setup)
      level = -1
      name = ' '
      call others_run()
      rewind(12)
      read(12, nml=setup)
      call check(level == rank .and. name == 'abc', 'a namelist in a file')
      close(12)
   end subroutine namelists

   subroutine random()
      integer :: n, i
      integer, allocatable :: seed(:)
      real :: a(20), b(20)
      call random_seed(size=n)
      allocate(seed(n))
      seed = rank + 1
      call random_seed(put=seed)
      do i = 1, 20
         call random_number(a(i))
         if (mod(i, 5) == 0) call others_run()
      end do
      call random_seed(put=seed)
      call random_number(b)
      call check(all(abs(a - b) < 1e-9), 'random numbers')
   end subroutine random

end program fortran_state
