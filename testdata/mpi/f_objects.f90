! Do communicators, groups, attributes, error classes, names and Info work from Fortran?
module callbacks
   use mpi
   implicit none
   integer :: copies = 0, deletes = 0, caught = 0, wrong = 0

contains

   subroutine copy(comm, key, extra, in, out, flag, code)
      integer :: comm, key, code
      integer(MPI_ADDRESS_KIND) :: extra, in, out
      logical :: flag
      if (comm /= MPI_COMM_WORLD .or. key == MPI_KEYVAL_INVALID) wrong = wrong + 1
      copies = copies + 1
      out = in + extra
      flag = .true.
      code = MPI_SUCCESS
   end subroutine copy

   subroutine remove(comm, key, value, extra, code)
      integer :: comm, key, code
      integer(MPI_ADDRESS_KIND) :: value, extra
      if (comm == MPI_COMM_NULL .or. key == MPI_KEYVAL_INVALID .or. value <= 0 .or. extra /= 1000) wrong = wrong + 1
      deletes = deletes + 1
      code = MPI_SUCCESS
   end subroutine remove

   subroutine handler(comm, code)
      integer :: comm, code, class, e
      call mpi_error_class(code, class, e)
      if (class == MPI_ERR_RANK .and. comm /= MPI_COMM_NULL) caught = caught + 1
   end subroutine handler

end module callbacks

program f_objects
   use mpi
   use callbacks
   implicit none
   integer :: rank, size, ierr

   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call communicators()
   call groups()
   call attributes()
   call errors()
   call names()
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   if (rank == 0) print '(a)', 'PASS f_objects'
   call mpi_finalize(ierr)

contains

   include 'check.inc'

   subroutine communicators()
      integer :: comm, me, n, result
      call mpi_comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, comm, ierr)
      call mpi_comm_rank(comm, me, ierr)
      call mpi_comm_size(comm, n, ierr)
      call check(n == (size - mod(rank, 2) + 1) / 2 .and. me == n - 1 - rank / 2, 'split')
      call mpi_comm_free(comm, ierr)
      call check(comm == MPI_COMM_NULL, 'comm_free')
      call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
      call mpi_comm_compare(comm, MPI_COMM_WORLD, result, ierr)
      call check(result == MPI_CONGRUENT, 'dup')
      call mpi_comm_free(comm, ierr)
      call mpi_comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, comm, ierr)
      call check(comm == MPI_COMM_NULL, 'split with MPI_UNDEFINED')
   end subroutine communicators

   subroutine groups()
      integer :: world, some, n, ranks(1)
      call mpi_comm_group(MPI_COMM_WORLD, world, ierr)
      call mpi_group_range_incl(world, 1, reshape([size - 1, 0, -1], [3, 1]), some, ierr)
      call mpi_group_translate_ranks(some, 1, [0], world, ranks, ierr)
      call check(ranks(1) == size - 1, 'translate_ranks')
      call mpi_group_excl(world, 1, [0], some, ierr)
      call mpi_group_size(some, n, ierr)
      call check(n == size - 1, 'excl')
      call mpi_group_free(world, ierr)
      call check(world == MPI_GROUP_NULL, 'group_free')
   end subroutine groups

   subroutine attributes()
      integer :: key, comm
      integer(MPI_ADDRESS_KIND) :: value
      logical :: flag
      call mpi_comm_create_keyval(copy, remove, key, 1000_MPI_ADDRESS_KIND, ierr)
      call mpi_comm_set_attr(MPI_COMM_WORLD, key, 7_MPI_ADDRESS_KIND, ierr)
      call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
      call mpi_comm_get_attr(comm, key, value, flag, ierr)
      call check(flag .and. value == 1007 .and. copies == 1, 'a copied attribute')
      call mpi_comm_free(comm, ierr)
      call check(deletes == 1, 'a deleted attribute')
      call mpi_comm_delete_attr(MPI_COMM_WORLD, key, ierr)
      call mpi_comm_free_keyval(key, ierr)
      call check(wrong == 0, 'arguments of callbacks')
      call check(deletes == 2 .and. key == MPI_KEYVAL_INVALID, 'free_keyval')
      call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
      call check(flag .and. value >= 32767, 'MPI_TAG_UB')
   end subroutine attributes

   subroutine errors()
      integer :: value, code, class, mine, comm, length
      character(len=MPI_MAX_ERROR_STRING) :: text
      call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
      call mpi_comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
      value = 1
      call mpi_send(value, 1, MPI_INTEGER, size, 0, comm, code)
      call check(code /= MPI_SUCCESS, 'an error returned')
      call mpi_error_class(code, class, ierr)
      call check(class == MPI_ERR_RANK, 'its class')
      call mpi_error_string(code, text, length, ierr)
      call check(length > 0 .and. len_trim(text) <= length, 'its text')
      call mpi_send(value, -1, MPI_INTEGER, 0, 0, comm, code)
      call mpi_error_class(code, class, ierr)
      call check(class == MPI_ERR_COUNT, 'class of a wrong count')
      call mpi_comm_create_errhandler(handler, mine, ierr)
      call mpi_comm_set_errhandler(comm, mine, ierr)
      call mpi_send(value, 1, MPI_INTEGER, size, 0, comm, code)
      call check(caught == 1, 'a handler called')
      call mpi_errhandler_free(mine, ierr)
      call mpi_comm_free(comm, ierr)
   end subroutine errors

   subroutine names()
      character(len=MPI_MAX_OBJECT_NAME) :: name
      character(len=MPI_MAX_PROCESSOR_NAME) :: host
      character(len=20) :: value
      integer :: comm, length, info
      logical :: flag
      call mpi_comm_get_name(MPI_COMM_WORLD, name, length, ierr)
      call check(name == 'MPI_COMM_WORLD' .and. length == 14, 'the name of MPI_COMM_WORLD')
      call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
      call mpi_comm_set_name(comm, 'mine  ', ierr)
      call mpi_comm_get_name(comm, name, length, ierr)
      call check(name == 'mine' .and. length == 4, 'a name without its blanks')
      call mpi_comm_free(comm, ierr)
      call mpi_get_processor_name(host, length, ierr)
      call check(length > 0 .and. len_trim(host) == length, 'processor name')
      call mpi_info_create(info, ierr)
      call mpi_info_set(info, 'key ', ' value ', ierr)
      call mpi_info_get(info, 'key', 20, value, flag, ierr)
      call check(flag .and. value == 'value', 'a value without blanks at either end')
      call mpi_info_free(info, ierr)
   end subroutine names

end program f_objects
