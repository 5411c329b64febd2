! Do topologies and neighbourhood collectives work from Fortran: LOGICAL arrays, weights that are not there, all kinds?
program f_topologies
   use mpi
   implicit none
   integer :: rank, size, ierr

   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
   call grids()
   call graphs()
   call adjacent()
   call given()
   call rings()
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   if (rank == 0) print '(a)', 'PASS f_topologies'
   call mpi_finalize(ierr)

contains

   include 'check.inc'

   subroutine grids()
      integer :: dims(2), got(2), coords(2), comm, row, n, from, to, r, kind, mapped
      logical :: wraps(2), back(2), remain(2)
      dims = 0
      call mpi_dims_create(size, 2, dims, ierr)
      call check(dims(1) * dims(2) == size .and. dims(1) >= dims(2), 'mpi_dims_create')
      wraps = [.true., .false.]
      call mpi_cart_map(MPI_COMM_WORLD, 2, dims, wraps, mapped, ierr)
      call check(mapped >= 0 .and. mapped < size, 'mpi_cart_map')
      call mpi_cart_create(MPI_COMM_WORLD, 2, dims, wraps, .false., comm, ierr)
      call mpi_topo_test(comm, kind, ierr)
      call check(kind == MPI_CART, 'mpi_topo_test of a grid')
      call mpi_cartdim_get(comm, n, ierr)
      call check(n == 2, 'mpi_cartdim_get')
      back = [.false., .true.]
      call mpi_cart_get(comm, 2, got, back, coords, ierr)
      call check(all(got == dims) .and. back(1) .and. .not. back(2), 'mpi_cart_get')
      call check(coords(1) == rank / dims(2) .and. coords(2) == mod(rank, dims(2)), 'coordinates')
      call mpi_cart_coords(comm, size - 1, 2, got, ierr)
      call check(all(got == dims - 1), 'mpi_cart_coords')
      coords(1) = coords(1) - dims(1)
      call mpi_cart_rank(comm, coords, r, ierr)
      call check(r == rank, 'mpi_cart_rank')
      coords(1) = coords(1) + dims(1)
      call mpi_cart_shift(comm, 1, 1, from, to, ierr)
      call check(from == merge(MPI_PROC_NULL, rank - 1, coords(2) == 0), 'source of mpi_cart_shift')
      call check(to == merge(MPI_PROC_NULL, rank + 1, coords(2) == dims(2) - 1), 'destination of mpi_cart_shift')
      remain = [.false., .true.]
      call mpi_cart_sub(comm, remain, row, ierr)
      call mpi_comm_size(row, n, ierr)
      call check(n == dims(2), 'mpi_cart_sub')
      call mpi_cart_get(row, 1, got, back, coords, ierr)
      call check(.not. back(1) .and. coords(1) == mod(rank, dims(2)), 'mpi_cart_get of a row')
      call mpi_comm_free(row, ierr)
      call mpi_comm_free(comm, ierr)
   end subroutine grids

   subroutine graphs()
      integer :: index(size), edges(2 * size), i, comm, nodes, nedges, n, near(2), kind, mapped
      integer :: index2(size), edges2(2 * size)
      do i = 1, size
         index(i) = 2 * i
         edges(2 * i - 1) = mod(i + size - 2, size)
         edges(2 * i) = mod(i, size)
      end do
      call mpi_graph_map(MPI_COMM_WORLD, size, index, edges, mapped, ierr)
      call check(mapped >= 0 .and. mapped < size, 'mpi_graph_map')
      call mpi_graph_create(MPI_COMM_WORLD, size, index, edges, .false., comm, ierr)
      call mpi_topo_test(comm, kind, ierr)
      call check(kind == MPI_GRAPH, 'mpi_topo_test of a graph')
      call mpi_graphdims_get(comm, nodes, nedges, ierr)
      call check(nodes == size .and. nedges == 2 * size, 'mpi_graphdims_get')
      call mpi_graph_get(comm, size, 2 * size, index2, edges2, ierr)
      call check(all(index2 == index) .and. all(edges2 == edges), 'mpi_graph_get')
      call mpi_graph_neighbors_count(comm, rank, n, ierr)
      call mpi_graph_neighbors(comm, rank, 2, near, ierr)
      call check(n == 2 .and. all(near == edges(2 * rank + 1:2 * rank + 2)), 'mpi_graph_neighbors')
      call mpi_comm_free(comm, ierr)
   end subroutine graphs

   subroutine adjacent()
      integer :: comm, up, down, in, out, from(1), to(1), win(1), wout(1), kind
      logical :: weighted
      up = mod(rank + 1, size)
      down = mod(rank + size - 1, size)
      call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [down], MPI_UNWEIGHTED, 1, [up], MPI_UNWEIGHTED, &
         MPI_INFO_NULL, .true., comm, ierr)
      call mpi_dist_graph_neighbors_count(comm, in, out, weighted, ierr)
      call check(in == 1 .and. out == 1 .and. .not. weighted, 'without weights')
      call mpi_dist_graph_neighbors(comm, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, ierr)
      call check(from(1) == down .and. to(1) == up, 'neighbours without weights')
      call mpi_comm_free(comm, ierr)
      call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [down], [rank], 1, [up], [up], MPI_INFO_NULL, .false., comm, ierr)
      call mpi_topo_test(comm, kind, ierr)
      call mpi_dist_graph_neighbors_count(comm, in, out, weighted, ierr)
      call check(kind == MPI_DIST_GRAPH .and. weighted, 'with weights')
      call mpi_dist_graph_neighbors(comm, 1, from, win, 1, to, wout, ierr)
      call check(win(1) == rank .and. wout(1) == up, 'weights')
      call mpi_comm_free(comm, ierr)
   end subroutine adjacent

   ! Rank 0 gives all edges, so the others have nothing to weigh.
   subroutine given()
      integer :: sources(size), degrees(size), to(size), weights(size), comm, i, in, out, from(1), win(1), next(1), wout(1)
      logical :: weighted
      do i = 1, size
         sources(i) = i - 1
         degrees(i) = 1
         to(i) = mod(i, size)
         weights(i) = 10 * i
      end do
      if (rank == 0) then
         call mpi_dist_graph_create(MPI_COMM_WORLD, size, sources, degrees, to, weights, MPI_INFO_NULL, .false., comm, ierr)
      else
         call mpi_dist_graph_create(MPI_COMM_WORLD, 0, sources, degrees, to, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., comm, ierr)
      end if
      call mpi_dist_graph_neighbors_count(comm, in, out, weighted, ierr)
      call check(in == 1 .and. out == 1 .and. weighted, 'edges given by rank 0')
      call mpi_dist_graph_neighbors(comm, 1, from, win, 1, next, wout, ierr)
      call check(from(1) == mod(rank + size - 1, size) .and. next(1) == mod(rank + 1, size), 'ends of edges given by rank 0')
      call check(wout(1) == 10 * (rank + 1) .and. win(1) == 10 * (from(1) + 1), 'weights given by rank 0')
      call mpi_comm_free(comm, ierr)
   end subroutine given

   ! A ring of all ranks: what goes down comes from above, also where both are one rank.
   subroutine rings()
      integer :: comm, out(2), in(2), counts(2), displs(2), types(2), request, low, high
      integer(MPI_ADDRESS_KIND) :: bytes(2)
      call mpi_cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., comm, ierr)
      low = mod(rank + size - 1, size)
      high = mod(rank + 1, size)
      out = [2 * rank, 2 * rank + 1]
      call mpi_neighbor_alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, comm, ierr)
      call check(in(1) == 2 * low + 1 .and. in(2) == 2 * high, 'mpi_neighbor_alltoall')
      call mpi_neighbor_allgather(rank, 1, MPI_INTEGER, in, 1, MPI_INTEGER, comm, ierr)
      call check(in(1) == low .and. in(2) == high, 'mpi_neighbor_allgather')
      counts = 1
      displs = [1, 0]
      in = -1
      call mpi_ineighbor_alltoallv(out, counts, [0, 1], MPI_INTEGER, in, counts, displs, MPI_INTEGER, comm, request, ierr)
      call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
      call check(in(2) == 2 * low + 1 .and. in(1) == 2 * high, 'mpi_ineighbor_alltoallv')
      bytes = [0, 4]
      types = MPI_INTEGER
      in = -1
      call mpi_neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, comm, ierr)
      call check(in(1) == 2 * low + 1 .and. in(2) == 2 * high, 'mpi_neighbor_alltoallw')
      in = -1
      call mpi_neighbor_allgatherv(rank, 1, MPI_INTEGER, in, counts, displs, MPI_INTEGER, comm, ierr)
      call check(in(2) == low .and. in(1) == high, 'mpi_neighbor_allgatherv')
      call mpi_comm_free(comm, ierr)
   end subroutine rings

end program f_topologies
