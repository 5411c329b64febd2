! Each call checks how one kind of argument crosses between Fortran and C.
module callbacks
   use mpi
   implicit none
contains
   subroutine copy(comm, keyval, extra, vin, vout, flag, ierror)
      integer :: comm, keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra, vin, vout
      logical :: flag
      if (keyval == 1000) print '(a,i0,3(1x,i0))', 'in copy ', comm - MPI_COMM_WORLD, keyval, extra, vin
      vout = vin + extra
      flag = .true.
      ierror = MPI_SUCCESS
   end subroutine
   subroutine remove(comm, keyval, value, extra, ierror)
      integer :: comm, keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: value, extra
      print '(a,i0,a,i0)', 'in delete ', value, ' ', extra
      ierror = 17
   end subroutine
   subroutine add(invec, inoutvec, n, datatype)
      integer :: n, datatype
      double precision :: invec(n), inoutvec(n)
      print '(a,i0,a,l1)', 'in op ', n, ' ', datatype == MPI_DOUBLE_PRECISION
      inoutvec = inoutvec + invec
   end subroutine
   subroutine query(extra, status, ierror)
      integer(kind=MPI_ADDRESS_KIND) :: extra
      integer :: status(MPI_STATUS_SIZE), ierror
      status(MPI_SOURCE) = int(extra)
      ierror = 1
   end subroutine
   subroutine release(extra, ierror)
      integer(kind=MPI_ADDRESS_KIND) :: extra
      integer :: ierror
      ierror = int(extra) + 1
   end subroutine
   subroutine cancel(extra, complete, ierror)
      integer(kind=MPI_ADDRESS_KIND) :: extra
      logical :: complete
      integer :: ierror
      ierror = merge(5, 6, complete)
   end subroutine
end module

program args
   use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer
   use mpi
   use callbacks
   implicit none
   integer :: ierr, i, n, st(MPI_STATUS_SIZE), sts(MPI_STATUS_SIZE, 2), req(3), many(100), idx(3), keyval, comm, op, types(3)
   integer :: ints(1)
   integer(kind=MPI_ADDRESS_KIND) :: extra, value, addrs(1)
   double precision :: x(4) = [1d0, 2d0, 3d0, 4d0], y(2) = [1d0, 2d0], z(2) = [10d0, 20d0]
   double precision, pointer :: p(:)
   character(len=MPI_MAX_PROCESSOR_NAME) :: name
   character(len=3) :: short
   character(len=8) :: argv(3) = ['one     ', 'two     ', '        ']
   character(len=4) :: argvs(2, 3) = reshape(['a   ', 'x   ', 'b   ', '    ', '    ', '    '], [2, 3])
   logical :: flag
   type(c_ptr) :: base

   call MPI_Init(ierr)
   call MPI_Send(x(1:4:3), 2, MPI_DOUBLE_PRECISION, 3, 4, MPI_COMM_WORLD, ierr)
   call MPI_Recv(x, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, st, ierr)
   print '(3(a,i0))', 'source ', st(MPI_SOURCE), ' tag ', st(MPI_TAG), ' error ', st(MPI_ERROR)
   call MPI_Get_count(st, MPI_INTEGER, n, ierr)
   print '(a,i0)', 'count ', n
   call MPI_Recv(x, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)

   do i = 1, 3
      call MPI_Irecv(x, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, req(i), ierr)
   end do
   call MPI_Waitany(3, req, n, st, ierr)
   print '(a,i0,a,l1)', 'first is ', n, ' ', req(1) == MPI_REQUEST_NULL
   call MPI_Waitany(3, req, n, MPI_STATUS_IGNORE, ierr)
   print '(a,i0)', 'second is ', n
   call MPI_Testany(3, req, n, flag, st, ierr)
   print '(a,l1,1x,l1)', 'none ', n == MPI_UNDEFINED, flag
   call MPI_Waitsome(3, req, n, idx, sts, ierr)
   print '(a,3i3,2i4)', 'some', n, idx(1:2), sts(MPI_SOURCE, 2), sts(MPI_TAG, 2)
   call MPI_Waitsome(1, req, n, idx, MPI_STATUSES_IGNORE, ierr)
   print '(a,l1)', 'inactive ', n == MPI_UNDEFINED
   many = 2
   call MPI_Waitall(100, many, MPI_STATUSES_IGNORE, ierr)
   print '(a,l1)', 'all null ', all(many == MPI_REQUEST_NULL)

   call MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
   call MPI_Get_address(MPI_BOTTOM, value, ierr)
   print '(a,i0)', 'bottom ', value
   call MPI_Get_processor_name(name, n, ierr)
   print '(4a,i0)', 'name [', trim(name), '] ', name(n + 1:n + 1) // '.', n
   call MPI_Get_processor_name(short, n, ierr)
   print '(3a)', 'short [', short, ']'
   call MPI_Info_set(MPI_INFO_ENV, '  key ', ' a value  ', ierr)
   n = 0
   call MPI_Info_get_string(MPI_INFO_ENV, 'key', n, name, flag, ierr)
   print '(a,i0,1x,l1)', 'length ', n, flag
   call MPI_Info_get_string(MPI_INFO_ENV, 'key', n, name, flag, ierr)
   print '(3a,i0)', 'value [', trim(name), '] ', n
   call MPI_Info_get_string(MPI_INFO_ENV, 'none', n, name, flag, ierr)
   print '(a,l1)', 'found ', flag

   extra = 100
   call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, ierr)
   call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, ierr)
   call MPI_Comm_create_keyval(copy, remove, keyval, extra, ierr)
   value = 8589934592_MPI_ADDRESS_KIND
   call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, value, ierr)
   call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, extra, flag, ierr)
   print '(a,l1,1x,l1)', 'attribute ', flag, extra == value
   call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
   print '(a,i0)', 'tag_ub ', value
   call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
   print '(a,z4)', 'dup ', comm
   call MPI_Comm_free(comm, ierr)
   print '(a,l1)', 'freed ', comm == MPI_COMM_NULL

   call MPI_Op_create(add, .true., op, ierr)
   call MPI_Reduce_local(y, z, 2, MPI_DOUBLE_PRECISION, op, ierr)
   print '(a,2f6.1)', 'reduced', z
   call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 3], [.true., .false.], .true., comm, ierr)
   call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [0], MPI_UNWEIGHTED, 0, [0], MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, &
                                       .false., comm, ierr)
   call MPI_Comm_spawn('worker  ', argv, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, MPI_ERRCODES_IGNORE, ierr)
   call MPI_Comm_spawn('worker', MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, idx, ierr)
   n = 2
   call MPI_Comm_spawn_multiple(n, ['first ', 'second'], argvs, [1, 2], [MPI_INFO_NULL, MPI_INFO_ENV], 0, MPI_COMM_SELF, comm, &
                                MPI_ERRCODES_IGNORE, ierr)
   extra = 6
   call MPI_Grequest_start(query, release, cancel, extra, req(1), ierr)
   types = [MPI_INTEGER, MPI_REAL, MPI_COMPLEX]
   call MPI_Alltoallw(x, idx, idx, types, x, idx, idx, types(3:1:-1), MPI_COMM_WORLD, ierr)
   call MPI_Type_get_contents(MPI_INTEGER, 1, 1, 2, ints, addrs, types, ierr)
   print '(a,2l2)', 'types', types(1) == MPI_DOUBLE, types(2) == MPI_INT
   call MPI_Alloc_mem(32_MPI_ADDRESS_KIND, MPI_INFO_NULL, value, ierr)
   call MPI_Alloc_mem(32_MPI_ADDRESS_KIND, MPI_INFO_NULL, base, ierr)
   call c_f_pointer(base, p, [4])
   p(4) = 1d0
   call MPI_Buffer_detach(x, n, ierr)
   print '(a,i0)', 'detached ', n
   call MPI_Sizeof(x, n, ierr)
   print '(a,i0)', 'sizeof ', n
   call MPI_Pcontrol(2)
   print '(a,f4.1)', 'wtime ', MPI_Wtime()
   print '(a,i0)', 'aint ', MPI_Aint_add(5_MPI_ADDRESS_KIND, 6_MPI_ADDRESS_KIND)
end program
