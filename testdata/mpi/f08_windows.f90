! Do windows work with mpi_f08: TYPE(MPI_Win), C pointers as bases, sections as buffers of the origin, dynamic windows, error handlers?
program f08_windows
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 12
  type(MPI_Win) :: win
  type(MPI_Group) :: group
  type(MPI_Errhandler) :: handler
  type(c_ptr) :: base
  integer :: rank, size, next, previous, i, code, errors
  integer :: out(n), got(n), expected(n)
  integer, pointer :: memory(:)
  integer, allocatable, target, asynchronous :: piece(:)
  integer(kind=MPI_ADDRESS_KIND) :: at, there
  type(MPI_Request) :: request
  common /seen/ errors

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  out = [(100 * rank + i, i = 1, n)]

  call MPI_Win_allocate(int(4 * n, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, memory, [n])
  memory = 0
  call MPI_Win_fence(0, win)
  call MPI_Put(out(1:n:2), n / 2, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, n / 2, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call check(all(memory(1:n / 2) == [(100 * previous + i, i = 1, n, 2)]), 1)
  got = -1
  call MPI_Get(got(2:n:2), n / 2, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, n / 2, MPI_INTEGER, win)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
  expected = -1
  expected(2:n:2) = out(1:n:2)
  call check(all(got == expected), 2)
  call MPI_Win_get_group(win, group)
  call check(group /= MPI_GROUP_NULL, 3)
  call MPI_Group_free(group)

  errors = 0
  call MPI_Win_create_errhandler(count_errors, handler)
  call MPI_Win_set_errhandler(win, handler)
  call MPI_Errhandler_free(handler)
  call MPI_Win_unlock(0, win, code)
  call check(code /= MPI_SUCCESS .and. errors == 1, 4)
  call MPI_Win_free(win)
  call check(win == MPI_WIN_NULL, 5)

  allocate(piece(n))
  piece = out
  call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_attach(win, piece, int(4 * n, MPI_ADDRESS_KIND))
  call MPI_Get_address(piece, at)
  call MPI_Sendrecv(at, 1, MPI_AINT, previous, 0, there, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win)
  call MPI_Rget(got, n, MPI_INTEGER, next, there, n, MPI_INTEGER, win, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Win_unlock(next, win)
  call check(all(got == [(100 * next + i, i = 1, n)]), 6)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_detach(win, piece)
  call MPI_Win_free(win)

  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a)', 'PASS f08_windows'
  call MPI_Finalize()
contains
  subroutine check(good, number)
    logical, intent(in) :: good
    integer, intent(in) :: number
    if (good) return
    print '(a,i0,a,i0)', 'FAIL f08_windows check ', number, ' in rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

  subroutine count_errors(w, error_code)
    type(MPI_Win) :: w
    integer :: error_code
    integer :: seen
    common /seen/ seen
    seen = seen + 1
  end subroutine count_errors
end program f08_windows
