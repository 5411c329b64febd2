/* Cartcomm, Graphcomm and Distgraphcomm. */

class Cartcomm : public Intracomm {
public:
    AMPI_CXX_COMM_CLASS(Cartcomm, Intracomm)

    int Get_dim() const
    {
        int ndims = 0;

        ampi::check(MPI_Cartdim_get(handle, &ndims));
        return ndims;
    }
    void Get_topo(int maxdims, int dims[], bool periods[], int coords[]) const
    {
        ampi::Logicals flags(maxdims);

        ampi::check(MPI_Cart_get(handle, maxdims, dims, flags, coords));
        flags.store(periods);
    }
    int Get_cart_rank(const int coords[]) const
    {
        int rank = MPI_PROC_NULL;

        ampi::check(MPI_Cart_rank(handle, coords, &rank));
        return rank;
    }
    void Get_coords(int rank, int maxdims, int coords[]) const { ampi::check(MPI_Cart_coords(handle, rank, maxdims, coords)); }
    void Shift(int direction, int disp, int &source, int &dest) const
    {
        ampi::check(MPI_Cart_shift(handle, direction, disp, &source, &dest));
    }
    Cartcomm Sub(const bool remain_dims[]) const
    {
        MPI_Comm made = MPI_COMM_NULL;
        ampi::Logicals flags(Get_dim(), remain_dims);

        ampi::check(MPI_Cart_sub(handle, flags, &made));
        return made;
    }
    int Map(int ndims, const int dims[], const bool periods[]) const
    {
        int rank = MPI_UNDEFINED;
        ampi::Logicals flags(ndims, periods);

        ampi::check(MPI_Cart_map(handle, ndims, dims, flags, &rank));
        return rank;
    }
};

class Graphcomm : public Intracomm {
public:
    AMPI_CXX_COMM_CLASS(Graphcomm, Intracomm)

    void Get_dims(int nnodes[], int nedges[]) const { ampi::check(MPI_Graphdims_get(handle, nnodes, nedges)); }
    void Get_topo(int maxindex, int maxedges, int index[], int edges[]) const
    {
        ampi::check(MPI_Graph_get(handle, maxindex, maxedges, index, edges));
    }
    int Get_neighbors_count(int rank) const
    {
        int count = 0;

        ampi::check(MPI_Graph_neighbors_count(handle, rank, &count));
        return count;
    }
    void Get_neighbors(int rank, int maxneighbors, int neighbors[]) const
    {
        ampi::check(MPI_Graph_neighbors(handle, rank, maxneighbors, neighbors));
    }
    int Map(int nnodes, const int index[], const int edges[]) const
    {
        int rank = MPI_UNDEFINED;

        ampi::check(MPI_Graph_map(handle, nnodes, index, edges, &rank));
        return rank;
    }
};

class Distgraphcomm : public Intracomm {
public:
    AMPI_CXX_COMM_CLASS(Distgraphcomm, Intracomm)

    void Get_dist_neighbors_count(int &indegree, int &outdegree, bool &weighted) const
    {
        int flag = 0;

        ampi::check(MPI_Dist_graph_neighbors_count(handle, &indegree, &outdegree, &flag));
        weighted = flag != 0;
    }
    void Get_dist_neighbors(int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[],
                            int destweights[]) const
    {
        ampi::check(MPI_Dist_graph_neighbors(handle, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights));
    }
};

#undef AMPI_CXX_COMM_CLASS

inline Cartcomm Intracomm::Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const
{
    MPI_Comm made = MPI_COMM_NULL;
    ampi::Logicals flags(ndims, periods);

    ampi::check(MPI_Cart_create(handle, ndims, dims, flags, reorder, &made));
    return made;
}

inline Graphcomm Intracomm::Create_graph(int nnodes, const int index[], const int edges[], bool reorder) const
{
    MPI_Comm made = MPI_COMM_NULL;

    ampi::check(MPI_Graph_create(handle, nnodes, index, edges, reorder, &made));
    return made;
}

inline Distgraphcomm Intracomm::Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[],
                                                  const int weights[], const Info &info, bool reorder) const
{
    MPI_Comm made = MPI_COMM_NULL;

    ampi::check(MPI_Dist_graph_create(handle, n, sources, degrees, destinations, weights, info, reorder, &made));
    return made;
}

inline Distgraphcomm Intracomm::Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[],
                                                  const Info &info, bool reorder) const
{
    return Dist_graph_create(n, sources, degrees, destinations, MPI_UNWEIGHTED, info, reorder);
}

inline Distgraphcomm Intracomm::Dist_graph_create_adjacent(int indegree, const int sources[], const int sourceweights[],
                                                           int outdegree, const int destinations[], const int destweights[],
                                                           const Info &info, bool reorder) const
{
    MPI_Comm made = MPI_COMM_NULL;

    ampi::check(MPI_Dist_graph_create_adjacent(handle, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
                                               reorder, &made));
    return made;
}

inline Distgraphcomm Intracomm::Dist_graph_create_adjacent(int indegree, const int sources[], int outdegree,
                                                           const int destinations[], const Info &info, bool reorder) const
{
    return Dist_graph_create_adjacent(indegree, sources, MPI_UNWEIGHTED, outdegree, destinations, MPI_UNWEIGHTED, info, reorder);
}
