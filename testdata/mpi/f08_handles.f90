! Handles, statuses and the constants of the mpi_f08 module.
program f08_handles
   use mpi_f08
   implicit none
   integer :: rank, size, n, ierr
   character(len=MPI_MAX_PROCESSOR_NAME) :: name
   type(MPI_Comm) :: dup

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, size, ierror=ierr)
   call check(ierr == MPI_SUCCESS, 'ierror by its name')
   call compare_handles()
   call Comm_objects()
   call statuses()
   call ignore_constants()
   call conversions()
   call names_and_text()
   call kinds()
   call profiling_names()
   call MPI_Get_processor_name(name, n)
   call check(n > 0 .and. len_trim(name) == n, 'processor name')
   call MPI_Comm_dup(MPI_COMM_WORLD, dup)
   call MPI_Barrier(dup)
   call MPI_Comm_free(dup)
   call check(dup == MPI_COMM_NULL, 'a freed communicator')
   if (rank == 0) print '(a)', 'PASS f08_handles'
   call MPI_Finalize()

contains

   include 'check.inc'

   subroutine compare_handles()
      type(MPI_Comm) :: c
      type(MPI_Datatype) :: t(3)
      type(MPI_Request) :: r
      c = MPI_COMM_WORLD
      call check(c == MPI_COMM_WORLD .and. .not. (c /= MPI_COMM_WORLD), 'equal communicators')
      call check(c /= MPI_COMM_SELF .and. .not. (c == MPI_COMM_SELF), 'different communicators')
      c%MPI_VAL = MPI_COMM_SELF%MPI_VAL
      call check(c == MPI_COMM_SELF, 'a handle made of its integer')
      t = [MPI_INTEGER, MPI_REAL, MPI_INTEGER]
      call check(count([t(1) == MPI_INTEGER, t(2) == MPI_INTEGER, t(3) == MPI_INTEGER]) == 2, 'types in an array')
      r = MPI_REQUEST_NULL
      call check(r == MPI_REQUEST_NULL, 'requests')
      call check(MPI_SUM /= MPI_PROD .and. MPI_INFO_NULL /= MPI_INFO_ENV .and. MPI_GROUP_EMPTY /= MPI_GROUP_NULL &
                 .and. MPI_ERRORS_RETURN /= MPI_ERRORS_ARE_FATAL .and. MPI_MESSAGE_NULL /= MPI_MESSAGE_NO_PROC, 'other handles')
      call check(MPI_WIN_NULL == MPI_Win(MPI_WIN_NULL%MPI_VAL) &
                 .and. MPI_FILE_NULL == MPI_File(MPI_FILE_NULL%MPI_VAL), 'windows, files')
   end subroutine

   subroutine Comm_objects()
      type(MPI_Group) :: all, one
      type(MPI_Comm) :: part
      integer :: result, n, ranks(1)
      call MPI_Comm_group(MPI_COMM_WORLD, all)
      ranks(1) = size - 1
      call MPI_Group_incl(all, 1, ranks, one)
      call MPI_Group_size(one, n)
      call check(n == 1, 'size of a group')
      call MPI_Group_compare(all, one, result)
      call check((result == MPI_IDENT) .eqv. (size == 1), 'comparison of groups')
      call MPI_Comm_create(MPI_COMM_WORLD, one, part)
      call check((part /= MPI_COMM_NULL) .eqv. (rank == size - 1), 'a communicator of one')
      if (part /= MPI_COMM_NULL) call MPI_Comm_free(part)
      call MPI_Group_free(all)
      call MPI_Group_free(one)
      call check(all == MPI_GROUP_NULL, 'a freed group')
   end subroutine

   subroutine statuses()
      type(MPI_Status) :: status, copy, several(2)
      type(MPI_Request) :: requests(2)
      integer :: sent(3), got(5), n
      logical :: flag
      integer(MPI_COUNT_KIND) :: large
      sent = [1, 2, 3] + rank
      got = -1
      call MPI_Sendrecv(sent, 3, MPI_INTEGER, rank, 7, got, 5, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
      call check(status%MPI_SOURCE == rank .and. status%MPI_TAG == 7, 'source and tag')
      copy = status
      call MPI_Get_count(copy, MPI_INTEGER, n)
      call check(n == 3, 'count')
      call MPI_Get_count(status, MPI_INTEGER, large)
      call check(large == 3, 'large count')
      call MPI_Test_cancelled(status, flag)
      call check(.not. flag, 'not cancelled')
      call MPI_Irecv(got(1), 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(sent(2), 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, several)
      call check(several(1)%MPI_SOURCE == rank .and. several(1)%MPI_TAG == 1 .and. got(1) == sent(2), 'Waitall')
      call check(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'finished requests')
      call MPI_Status_set_cancelled(copy, .true.)
      call MPI_Test_cancelled(copy, flag)
      call check(flag, 'cancelled')
      call MPI_Status_set_elements(copy, MPI_INTEGER, 11)
      call MPI_Get_elements(copy, MPI_INTEGER, n)
      call check(n == 11, 'elements')
   end subroutine

   subroutine ignore_constants()
      type(MPI_Request) :: requests(2)
      integer :: value, got, in_place(size), i
      value = rank + 5
      call MPI_Sendrecv(value, 1, MPI_INTEGER, rank, 0, got, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(got == value, 'MPI_STATUS_IGNORE')
      call MPI_Irecv(got, 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(value, 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      in_place = -1
      in_place(rank + 1) = rank * rank
      call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in_place, 1, MPI_INTEGER, MPI_COMM_WORLD)
      call check(all(in_place == [(i * i, i = 0, size - 1)]), 'MPI_IN_PLACE')
      call at_bottom()
   end subroutine

   subroutine at_bottom()
      integer, target :: a
      integer :: b
      integer(MPI_ADDRESS_KIND) :: place(1)
      type(MPI_Datatype) :: absolute
      a = 100 + rank
      b = 0
      call MPI_Get_address(a, place(1))
      call MPI_Type_create_hindexed(1, [1], place, MPI_INTEGER, absolute)
      call MPI_Type_commit(absolute)
      call MPI_Sendrecv(MPI_BOTTOM, 1, absolute, rank, 3, b, 1, MPI_INTEGER, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(b == 100 + rank, 'MPI_BOTTOM')
      call MPI_Type_free(absolute)
      call check(absolute == MPI_DATATYPE_NULL, 'a freed type')
      if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(a)
   end subroutine

   subroutine conversions()
      type(MPI_Status) :: status, back
      integer :: f_status(MPI_STATUS_SIZE)
      status%MPI_SOURCE = 3
      status%MPI_TAG = 4
      status%MPI_ERROR = 5
      call MPI_Status_f082f(status, f_status)
      call check(f_status(MPI_SOURCE) == 3 .and. f_status(MPI_TAG) == 4 .and. f_status(MPI_ERROR) == 5, 'f082f')
      f_status(MPI_TAG) = 44
      call MPI_Status_f2f08(f_status, back)
      call check(back%MPI_SOURCE == 3 .and. back%MPI_TAG == 44 .and. back%MPI_ERROR == 5, 'f2f08')
   end subroutine

   subroutine names_and_text()
      character(len=MPI_MAX_OBJECT_NAME) :: name
      character(len=MPI_MAX_ERROR_STRING) :: text
      character(len=8) :: value
      type(MPI_Info) :: info
      integer :: n
      logical :: flag
      call MPI_Comm_set_name(MPI_COMM_SELF, 'myself  ')
      call MPI_Comm_get_name(MPI_COMM_SELF, name, n)
      call check(name == 'myself' .and. n == 6, 'name of a communicator')
      call MPI_Error_string(MPI_ERR_TAG, text, n)
      call check(n > 0 .and. len_trim(text) == n, 'text of an error')
      call MPI_Info_create(info)
      call MPI_Info_set(info, ' key ', ' value ')
      value = '????????'
      call MPI_Info_get(info, 'key', len(value), value, flag)
      call check(flag .and. value == 'value', 'value of an info')
      call MPI_Info_get(info, 'other', len(value), value, flag)
      call check(.not. flag, 'no such key')
      call MPI_Info_get_nkeys(info, n)
      call check(n == 1, 'number of keys')
      call MPI_Info_free(info)
   end subroutine

   subroutine kinds()
      call check(kind(MPI_DISPLACEMENT_CURRENT) == MPI_OFFSET_KIND, 'kind of an offset')
      call check(storage_size(1_MPI_ADDRESS_KIND) == 64 .and. storage_size(1_MPI_COUNT_KIND) == 64, 'kinds')
      call check(MPI_SUBARRAYS_SUPPORTED .and. MPI_ASYNC_PROTECTS_NONBLOCKING, 'what the module supports')
      call check(MPI_Aint_diff(MPI_Aint_add(64_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND), 70_MPI_ADDRESS_KIND) == 2, 'addresses')
      call check(MPI_Wtime() > 0d0 .and. MPI_Wtick() > 0d0, 'time')
   end subroutine

   subroutine profiling_names()
      integer :: r
      call PMPI_Comm_rank(MPI_COMM_WORLD, r)
      call check(r == rank, 'PMPI_Comm_rank')
      call check(PMPI_Wtime() > 0d0, 'PMPI_Wtime')
      r = -1
      if (rank == 0) r = 9
      call PMPI_Bcast(r, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
      call check(r == 9, 'PMPI_Bcast')
   end subroutine
end program
