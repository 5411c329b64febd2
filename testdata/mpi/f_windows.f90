! Do windows work from Fortran with mpi: allocated memory by C pointers and by addresses, attributes, all kinds of epochs and operations?
program f_windows
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 10
  integer :: rank, size, ierr, win, next, previous, i, group, targets, origins, keyval, length, request
  integer :: local(n), got(n), old, zero, unit
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at, value, extra
  logical :: flag
  type(c_ptr) :: base
  integer, pointer :: memory(:)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  integer :: shared_total
  common /exposed/ shared_total

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)

  bytes = n * 4
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
  call c_f_pointer(base, memory, [n])
  memory = -1
  local = [(1000 * rank + i, i = 1, n)]
  call MPI_Win_set_name(win, 'edges', ierr)
  call MPI_Win_get_name(win, name, length, ierr)
  call check(length == 5 .and. name == 'edges', 1)
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierr)
  call check(flag .and. value == n * 4, 2)
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierr)
  call check(flag .and. value == 4, 3)
  call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierr)
  call check(flag .and. value == transfer(base, value), 4)
  call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, keyval, extra, ierr)
  call MPI_Win_set_attr(win, keyval, 77_MPI_ADDRESS_KIND, ierr)
  call MPI_Win_get_attr(win, keyval, value, flag, ierr)
  call check(flag .and. value == 77, 5)
  call MPI_Win_free_keyval(keyval, ierr)

  call MPI_Win_fence(0, win, ierr)
  at = 2
  call MPI_Put(local, 5, MPI_INTEGER, next, at, 5, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call check(all(memory(3:7) == [(1000 * previous + i, i = 1, 5)]), 6)
  call check(all(memory(1:2) == -1) .and. all(memory(8:10) == -1), 7)
  call MPI_Get(got, 5, MPI_INTEGER, next, at, 5, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierr)
  call check(all(got(1:5) == local(1:5)), 8)

  memory(1) = 0
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win, ierr)
  at = 0
  call MPI_Fetch_and_op(1, old, MPI_INTEGER, 0, at, MPI_SUM, win, ierr)
  call MPI_Win_unlock(0, win, ierr)
  call check(old >= 0 .and. old < size, 9)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  call MPI_Rget(zero, 1, MPI_INTEGER, 0, at, 1, MPI_INTEGER, win, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call check(zero == size, 10)
  call MPI_Win_flush_all(win, ierr)
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)

  call MPI_Win_get_group(win, group, ierr)
  call MPI_Group_incl(group, 1, [next], targets, ierr)
  call MPI_Group_incl(group, 1, [previous], origins, ierr)
  call MPI_Win_post(origins, 0, win, ierr)
  call MPI_Win_start(targets, 0, win, ierr)
  at = 9
  call MPI_Accumulate(local, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, MPI_REPLACE, win, ierr)
  call MPI_Win_complete(win, ierr)
  call MPI_Win_wait(win, ierr)
  call check(memory(10) == 1000 * previous + 1, 11)
  call MPI_Group_free(group, ierr)
  call MPI_Group_free(targets, ierr)
  call MPI_Group_free(origins, ierr)
  call MPI_Win_free(win, ierr)
  call check(win == MPI_WIN_NULL, 12)

  shared_total = 0
  bytes = 4
  call MPI_Win_create(shared_total, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  do i = 0, size - 1
    call MPI_Accumulate(rank + 1, 1, MPI_INTEGER, i, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win, ierr)
  end do
  call MPI_Win_fence(0, win, ierr)
  call check(shared_total == size * (size + 1) / 2, 13)
  call MPI_Win_free(win, ierr)

  bytes = 8
  call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
  call c_f_pointer(base, memory, [2])
  memory = [rank, -rank]
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_shared_query(win, next, bytes, unit, base, ierr)
  call check(bytes == 8 .and. unit == 4, 14)
  call c_f_pointer(base, memory, [2])
  call check(memory(1) == next .and. memory(2) == -next, 15)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a)', 'PASS f_windows'
  call MPI_Finalize(ierr)
contains
  subroutine check(good, number)
    logical, intent(in) :: good
    integer, intent(in) :: number
    if (good) return
    print '(a,i0,a,i0)', 'FAIL f_windows check ', number, ' in rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine check
end program f_windows
