! Array sections with gaps where MPI cannot use them: an error that names the argument, and nothing else.
program f08_section_errors
   use mpi_f08
   implicit none
   integer :: rank, size, ierr, i
   integer, asynchronous :: a(24), b(24)
   integer, asynchronous, allocatable :: plane(:, :)
   integer, allocatable :: counts(:), displs(:)
   type(MPI_Request) :: request
   character, asynchronous :: memory(4000)

   call MPI_Init()
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
   call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, size)
   a = [(i, i = 1, 24)]
   b = -1

   call MPI_Buffer_attach(memory(::2), 2000, ierr)
   call names('MPI_Buffer_attach', 'buffer')
   call MPI_Iallreduce(a(1:24:3), b, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
   call names('MPI_Iallreduce', 'sendbuf')
   call MPI_Iallreduce(a, b(24:1:-1), 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
   call names('MPI_Iallreduce', 'recvbuf')
   allocate (plane(2 * size + 1, 3), counts(size), displs(size))
   plane = -1
   counts = 1
   displs = [(i, i = 0, size - 1)]
   call MPI_Iallgatherv(a(1), 1, MPI_INTEGER, plane(1:2 * size, :), counts, displs, MPI_INTEGER, MPI_COMM_WORLD, request, ierr)
   call names('MPI_Iallgatherv', 'recvbuf')
   if (any(b /= -1) .or. any(plane /= -1)) call fail('a buffer has changed')
   if (rank == 0) print '(a)', 'PASS f08_section_errors'
   call MPI_Finalize()

contains

   subroutine names(call, argument)
      character(len=*), intent(in) :: call, argument
      character(len=MPI_MAX_ERROR_STRING) :: text
      integer :: class, n
      call MPI_Error_class(ierr, class)
      if (class /= MPI_ERR_BUFFER) call fail(call // ': another class')
      call MPI_Error_string(ierr, text, n)
      if (index(text, call // ': ' // argument // ' is an array section') == 0) call fail(text(1:n))
   end subroutine

   subroutine fail(what)
      character(len=*), intent(in) :: what
      print '(3a,i0)', 'FAIL ', what, ' in rank ', rank
      call MPI_Abort(MPI_COMM_WORLD, 1)
   end subroutine
end program
