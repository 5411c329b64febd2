! Procedures that a program hands to MPI through the mpi_f08 module.
module f08_callback_procedures
   use, intrinsic :: iso_c_binding
   use mpi_f08
   implicit none
   integer :: copies = 0, deletes = 0, errors = 0, last_error = MPI_SUCCESS
   logical :: right_object = .true.
   type(MPI_Comm) :: watched

contains

   subroutine larger_magnitude(invec, inoutvec, len, datatype)
      type(c_ptr), value :: invec, inoutvec
      integer :: len
      type(MPI_Datatype) :: datatype
      integer, pointer :: a(:), b(:)
      if (datatype /= MPI_INTEGER) right_object = .false.
      call c_f_pointer(invec, a, [len])
      call c_f_pointer(inoutvec, b, [len])
      where (abs(a) > abs(b)) b = a
   end subroutine

   ! 2 x 2 matrices: associative, not commutative.
   subroutine multiply(invec, inoutvec, len, datatype)
      type(c_ptr), value :: invec, inoutvec
      integer :: len, i
      type(MPI_Datatype) :: datatype
      real, pointer :: a(:, :, :), b(:, :, :)
      if (datatype == MPI_REAL) right_object = .false.
      call c_f_pointer(invec, a, [2, 2, len])
      call c_f_pointer(inoutvec, b, [2, 2, len])
      do i = 1, len
         b(:, :, i) = matmul(a(:, :, i), b(:, :, i))
      end do
   end subroutine

   subroutine copy_attribute(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
      type(MPI_Comm) :: oldcomm
      integer :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
      if (oldcomm /= watched .or. comm_keyval == MPI_KEYVAL_INVALID) right_object = .false.
      copies = copies + 1
      attribute_val_out = attribute_val_in + extra_state
      flag = .true.
      ierror = MPI_SUCCESS
   end subroutine

   subroutine delete_attribute(comm, comm_keyval, attribute_val, extra_state, ierror)
      type(MPI_Comm) :: comm
      integer :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      if (comm == MPI_COMM_NULL .or. comm_keyval == MPI_KEYVAL_INVALID .or. attribute_val < extra_state) right_object = .false.
      deletes = deletes + 1
      ierror = MPI_SUCCESS
   end subroutine

   subroutine type_copy(oldtype, type_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
      type(MPI_Datatype) :: oldtype
      integer :: type_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
      if (oldtype == MPI_DATATYPE_NULL .or. type_keyval == MPI_KEYVAL_INVALID .or. extra_state /= -3) right_object = .false.
      attribute_val_out = attribute_val_in
      flag = .false.
      ierror = MPI_SUCCESS
   end subroutine

   subroutine note_error(comm, error_code)
      type(MPI_Comm) :: comm
      integer :: error_code
      if (comm /= watched) right_object = .false.
      errors = errors + 1
      last_error = error_code
   end subroutine
end module

program f08_callbacks
   use f08_callback_procedures
   implicit none
   integer :: rank, size, ierr

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, size)
   call operations()
   call attributes()
   call predefined()
   call type_attributes()
   call error_handlers()
   call check(right_object, 'the objects that callbacks get')
   if (rank == 0) print '(a)', 'PASS f08_callbacks'
   call MPI_Finalize()

contains

   include 'check.inc'

   subroutine operations()
      type(MPI_Op) :: op
      type(MPI_Datatype) :: matrix
      integer :: mine(3), got(3), i
      real :: m(2, 2), product(2, 2), want(2, 2)
      logical :: commutes
      call MPI_Op_create(larger_magnitude, .true., op)
      mine = [rank, -2 * rank, 1]
      call MPI_Allreduce(mine, got, 3, MPI_INTEGER, op, MPI_COMM_WORLD)
      call check(all(got == [size - 1, -2 * (size - 1), 1]), 'a user operation')
      call MPI_Op_commutative(op, commutes)
      call check(commutes, 'a commutative operation')
      call MPI_Op_free(op)
      call check(op == MPI_OP_NULL, 'a freed operation')
      call MPI_Type_contiguous(4, MPI_REAL, matrix)
      call MPI_Type_commit(matrix)
      call MPI_Op_create(multiply, .false., op)
      want = reshape([1., 0., 0., 1.], [2, 2])
      do i = 0, size - 1
         want = matmul(want, matrix_of(i))
      end do
      m = matrix_of(rank)
      call MPI_Allreduce(m, product, 1, matrix, op, MPI_COMM_WORLD)
      call check(all(product == want), 'an operation on a type of the user')
      call MPI_Op_commutative(op, commutes)
      call check(.not. commutes, 'an operation that does not commute')
      call MPI_Op_free(op)
      call MPI_Type_free(matrix)
   end subroutine

   ! Swaps or mirrors: the order matters, and products stay small.
   pure function matrix_of(i) result(m)
      integer, intent(in) :: i
      real :: m(2, 2)
      m = reshape([0., 1., 1., 0.], [2, 2])
      if (mod(i, 3) == 1) m = reshape([1., 0., 0., -1.], [2, 2])
   end function

   subroutine attributes()
      integer :: key
      integer(MPI_ADDRESS_KIND) :: value
      logical :: flag
      type(MPI_Comm) :: copy
      integer(MPI_ADDRESS_KIND), parameter :: large = 2_MPI_ADDRESS_KIND**40
      call MPI_Comm_dup(MPI_COMM_SELF, watched)
      call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, 5_MPI_ADDRESS_KIND)
      call MPI_Comm_get_attr(watched, key, value, flag)
      call check(.not. flag, 'no attribute yet')
      call MPI_Comm_set_attr(watched, key, large)
      call MPI_Comm_dup(watched, copy)
      call check(copies == 1, 'copies of the attribute')
      call MPI_Comm_get_attr(copy, key, value, flag)
      call check(flag .and. value == large + 5, 'the copied attribute')
      call MPI_Comm_get_attr(watched, key, value, flag)
      call check(flag .and. value == large, 'the attribute')
      call MPI_Comm_free(copy)
      call check(deletes == 1, 'deletion with the communicator')
      call MPI_Comm_delete_attr(watched, key)
      call check(deletes == 2, 'deletion by hand')
      call MPI_Comm_free_keyval(key)
      call check(key == MPI_KEYVAL_INVALID, 'a freed key')
      call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
      call check(flag .and. value >= 32767, 'MPI_TAG_UB')
   end subroutine

   subroutine predefined()
      integer :: key
      integer(MPI_ADDRESS_KIND) :: value
      logical :: flag
      type(MPI_Comm) :: copy
      call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
      call MPI_Comm_set_attr(watched, key, -7_MPI_ADDRESS_KIND)
      call MPI_Comm_dup(watched, copy)
      call MPI_Comm_get_attr(copy, key, value, flag)
      call check(flag .and. value == -7, 'MPI_COMM_DUP_FN')
      call MPI_Comm_free(copy)
      call MPI_Comm_free_keyval(key)
      call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
      call MPI_Comm_set_attr(watched, key, 8_MPI_ADDRESS_KIND)
      call MPI_Comm_dup(watched, copy)
      call MPI_Comm_get_attr(copy, key, value, flag)
      call check(.not. flag, 'MPI_COMM_NULL_COPY_FN')
      call MPI_Comm_free(copy)
      call MPI_Comm_free_keyval(key)
   end subroutine

   subroutine type_attributes()
      integer :: key
      integer(MPI_ADDRESS_KIND) :: value
      logical :: flag
      type(MPI_Datatype) :: type, copy
      call MPI_Type_create_keyval(type_copy, MPI_TYPE_NULL_DELETE_FN, key, -3_MPI_ADDRESS_KIND)
      call MPI_Type_dup(MPI_REAL, type)
      call MPI_Type_set_attr(type, key, 77_MPI_ADDRESS_KIND)
      call MPI_Type_dup(type, copy)
      call MPI_Type_get_attr(copy, key, value, flag)
      call check(.not. flag, 'an attribute that is not copied')
      call MPI_Type_get_attr(type, key, value, flag)
      call check(flag .and. value == 77, 'an attribute of a type')
      call MPI_Type_free(type)
      call MPI_Type_free(copy)
      call MPI_Type_free_keyval(key)
   end subroutine

   subroutine error_handlers()
      type(MPI_Errhandler) :: handler, found
      integer :: class, value
      call MPI_Comm_create_errhandler(note_error, handler)
      call MPI_Comm_set_errhandler(watched, handler)
      call MPI_Comm_get_errhandler(watched, found)
      call check(found == handler, 'the handler of a communicator')
      call MPI_Errhandler_free(found)
      call MPI_Errhandler_free(handler)
      call check(handler == MPI_ERRHANDLER_NULL, 'a freed handler')
      value = 1
      call MPI_Send(value, 1, MPI_INTEGER, 99, 0, watched, ierr)
      call check(errors == 1 .and. last_error == ierr, 'the call of a handler')
      call MPI_Error_class(ierr, class)
      call check(class == MPI_ERR_RANK, 'the class of the error')
      call MPI_Comm_call_errhandler(watched, MPI_ERR_OTHER)
      call check(errors == 2, 'the call of a handler by hand')
      call MPI_Comm_set_errhandler(watched, MPI_ERRORS_RETURN)
      call MPI_Send(value, -1, MPI_INTEGER, 0, 0, watched, ierr)
      call MPI_Error_class(ierr, class)
      call check(errors == 2 .and. class == MPI_ERR_COUNT, 'MPI_ERRORS_RETURN')
      call MPI_Comm_free(watched)
   end subroutine
end program
