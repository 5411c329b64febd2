! Module variables, SAVE, COMMON, allocatables, the same unit number and namelists in every rank.
module state
  integer :: counter = 5
  real(8), allocatable :: field(:)
  integer, target :: box(4) = [1, 2, 3, 4]
  integer, pointer :: view(:)
end module state

subroutine tick(n)
  integer, intent(out) :: n
  integer, save :: calls = 0
  calls = calls + 1
  n = calls
end subroutine tick

program main
  use state
  implicit none
  integer :: rank, i, n, shared
  character(len=256) :: arg, path
  common /blk/ shared
  namelist /input/ n
  call get_command_argument(1, arg)
  call get_command_argument(2, path)
  read (arg, *) rank
  counter = counter + rank
  shared = 100 * rank
  view => box
  view(2) = rank
  allocate (field(1000))
  field = rank
  open (unit=10, file=trim(path), form='formatted')
  do i = 1, rank + 1
    call tick(n)
    call stage_yield()
  end do
  if (n /= rank + 1 .or. shared /= 100 * rank .or. box(2) /= rank .or. sum(field) /= 1000.0d0 * rank) stop 10
  arg = '&input n = 77 /'
  read (arg, nml=input)
  if (n /= 77) stop 11
  call stage_yield()
  write (10, '(a,i0,a,i0,a,f4.2)') 'rank ', rank, ' counter ', counter, ' ', 1.5 * rank
  if (rank == 0) stop 40
  if (rank == 1) stop 41
  stop 42
end program main
