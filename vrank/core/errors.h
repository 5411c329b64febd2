/* The error classes and handles of the standard ABI that the core itself needs; the MPI layer sees mpi.h. */
#ifndef VRANK_ERRORS_H
#define VRANK_ERRORS_H

#ifndef MPI_H_ABI
#define MPI_ERR_TYPE 3
#define MPI_ERR_TRUNCATE 15
#define MPI_ERR_NO_MEM 39
#endif
#define VR_MPI_BYTE 0x247

#endif
