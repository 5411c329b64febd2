! What programs written for AMPI include in place of mpif.h.
      include 'mpif.h'
