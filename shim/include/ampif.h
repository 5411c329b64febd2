! What programs written for AMPI include in place of mpif.h.
      include 'mpif.h'
! Places in a status that AMPI has beside those of the standard: bytes
! of the message, and the communicator that it came over.
      integer MPI_LENGTH
      parameter (MPI_LENGTH=4)
      integer MPI_COMM
      parameter (MPI_COMM=7)
