! Generalized requests of the mpi_f08 module: their procedures are called, in order, with what the program gave.
module f08_grequest_procedures
   use mpi_f08
   implicit none
   integer :: queries = 0, frees = 0, cancels = 0
   logical :: was_complete = .true.
contains
   subroutine query(extra_state, status, ierror)
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
      queries = queries + 1
      status%MPI_SOURCE = int(extra_state)
      status%MPI_TAG = 17
      call MPI_Status_set_elements(status, MPI_INTEGER, 3)
      call MPI_Status_set_cancelled(status, cancels > 0)
      ierror = MPI_SUCCESS
   end subroutine

   subroutine release(extra_state, ierror)
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
      frees = frees + 1
      extra_state = extra_state + 1000
      ierror = MPI_SUCCESS
   end subroutine

   subroutine cancel(extra_state, complete, ierror)
      integer(MPI_ADDRESS_KIND) :: extra_state
      logical :: complete
      integer :: ierror
      cancels = cancels + 1
      was_complete = complete
      if (extra_state < 0) was_complete = .true.
      ierror = MPI_SUCCESS
   end subroutine
end module

program f08_grequest
   use f08_grequest_procedures
   implicit none
   integer :: rank, n
   integer(MPI_ADDRESS_KIND), volatile :: extra
   type(MPI_Request) :: request, several(2)
   type(MPI_Status) :: status
   logical :: flag
   character :: buffer(4)

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   extra = 5 + rank
   call MPI_Grequest_start(query, release, cancel, extra, request)
   call MPI_Test(request, flag, status)
   call check(.not. flag .and. queries == 0 .and. frees == 0, 'a request that is not complete')
   call MPI_Grequest_complete(request)
   call MPI_Wait(request, status)
   call check(request == MPI_REQUEST_NULL .and. queries == 1 .and. frees == 1, 'a request that is complete')
   call check(status%MPI_SOURCE == 5 + rank .and. status%MPI_TAG == 17, 'the status')
   call MPI_Get_count(status, MPI_INTEGER, n)
   call check(n == 3, 'the count')
   call check(extra == 1005 + rank, 'what the procedure did to extra_state')

   call MPI_Grequest_start(query, release, cancel, extra + 0, request)
   call MPI_Cancel(request)
   call check(cancels == 1 .and. .not. was_complete, 'Cancel')
   call MPI_Irecv(buffer, 4, MPI_CHARACTER, rank, 1, MPI_COMM_WORLD, several(1))
   several(2) = request
   call MPI_Send('abcd', 4, MPI_CHARACTER, rank, 1, MPI_COMM_WORLD)
   call MPI_Grequest_complete(request)
   call MPI_Waitall(2, several, MPI_STATUSES_IGNORE)
   call check(frees == 2 .and. buffer(4) == 'd', 'Waitall with other requests')
   if (rank == 0) print '(a)', 'PASS f08_grequest'
   call MPI_Finalize()

contains

   include 'check.inc'
end program
