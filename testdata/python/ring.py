# MPI through ctypes: a number goes round, each rank adds its own. Handles are those of the MPI 5 standard ABI.
import ctypes
import os
import sys

mpi = ctypes.CDLL(None)
handle = ctypes.c_void_p
WORLD, INT, SUM = handle(0x101), handle(0x209), handle(0x21)
assert mpi.MPI_Init(None, None) == 0
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
mpi.MPI_Comm_size(WORLD, ctypes.byref(size))
rank, size = rank.value, size.value
assert rank == int(os.environ["AMPI_RANK"])

box = ctypes.c_int(0)
right, left = (rank + 1) % size, (rank - 1) % size
if rank == 0:
    mpi.MPI_Send(ctypes.byref(box), 1, INT, right, 5, WORLD)
mpi.MPI_Recv(ctypes.byref(box), 1, INT, left, 5, WORLD, None)
box.value += rank
if rank != 0:
    mpi.MPI_Send(ctypes.byref(box), 1, INT, right, 5, WORLD)
else:
    assert box.value == size * (size - 1) // 2, box.value

total = ctypes.c_int()
mpi.MPI_Allreduce(ctypes.byref(ctypes.c_int(rank)), ctypes.byref(total), 1, INT, SUM, WORLD)
assert total.value == size * (size - 1) // 2
print("PASS ring", rank)
sys.stdout.flush()
mpi.MPI_Finalize()
