/* Comm: what all communicators do, and Nullcomm. Only Clone and the destructor are virtual. */

class Comm : public ampi::Handle<MPI_Comm> {
public:
    typedef void Errhandler_function(Comm &comm, int *error_code, ...);
    typedef Errhandler_function Errhandler_fn;
    typedef int Copy_attr_function(const Comm &oldcomm, int keyval, void *extra_state, void *value_in, void *value_out, bool &flag);
    typedef int Delete_attr_function(Comm &comm, int keyval, void *value, void *extra_state);

    virtual ~Comm() {}

    /* A duplicate as a new object, which the caller deletes. */
    virtual Comm &Clone() const = 0;

/* Sends in the four modes. */
#define AMPI_CXX_SENDS(Send, Isend, Send_init) \
    void Send(const void *buf, int count, const Datatype &datatype, int dest, int tag) const \
    { \
        ampi::check(MPI_##Send(buf, count, datatype, dest, tag, handle)); \
    } \
    Request Isend(const void *buf, int count, const Datatype &datatype, int dest, int tag) const \
    { \
        MPI_Request request = MPI_REQUEST_NULL; \
        ampi::check(MPI_##Isend(buf, count, datatype, dest, tag, handle, &request)); \
        return request; \
    } \
    Prequest Send_init(const void *buf, int count, const Datatype &datatype, int dest, int tag) const \
    { \
        MPI_Request request = MPI_REQUEST_NULL; \
        ampi::check(MPI_##Send_init(buf, count, datatype, dest, tag, handle, &request)); \
        return request; \
    }
    AMPI_CXX_SENDS(Send, Isend, Send_init)
    AMPI_CXX_SENDS(Bsend, Ibsend, Bsend_init)
    AMPI_CXX_SENDS(Ssend, Issend, Ssend_init)
    AMPI_CXX_SENDS(Rsend, Irsend, Rsend_init)
#undef AMPI_CXX_SENDS

    void Recv(void *buf, int count, const Datatype &datatype, int source, int tag, Status &status) const
    {
        ampi::check(MPI_Recv(buf, count, datatype, source, tag, handle, ampi::c(status)));
    }
    void Recv(void *buf, int count, const Datatype &datatype, int source, int tag) const
    {
        ampi::check(MPI_Recv(buf, count, datatype, source, tag, handle, MPI_STATUS_IGNORE));
    }
    Request Irecv(void *buf, int count, const Datatype &datatype, int source, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;

        ampi::check(MPI_Irecv(buf, count, datatype, source, tag, handle, &request));
        return request;
    }
    Prequest Recv_init(void *buf, int count, const Datatype &datatype, int source, int tag) const
    {
        MPI_Request request = MPI_REQUEST_NULL;

        ampi::check(MPI_Recv_init(buf, count, datatype, source, tag, handle, &request));
        return request;
    }
    void Probe(int source, int tag, Status &status) const { ampi::check(MPI_Probe(source, tag, handle, ampi::c(status))); }
    void Probe(int source, int tag) const { ampi::check(MPI_Probe(source, tag, handle, MPI_STATUS_IGNORE)); }
    bool Iprobe(int source, int tag, Status &status) const { return iprobe(source, tag, ampi::c(status)); }
    bool Iprobe(int source, int tag) const { return iprobe(source, tag, MPI_STATUS_IGNORE); }
    void Sendrecv(const void *sendbuf, int sendcount, const Datatype &sendtype, int dest, int sendtag, void *recvbuf,
                  int recvcount, const Datatype &recvtype, int source, int recvtag, Status &status) const
    {
        ampi::check(MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                                 handle, ampi::c(status)));
    }
    void Sendrecv(const void *sendbuf, int sendcount, const Datatype &sendtype, int dest, int sendtag, void *recvbuf,
                  int recvcount, const Datatype &recvtype, int source, int recvtag) const
    {
        ampi::check(MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                                 handle, MPI_STATUS_IGNORE));
    }
    void Sendrecv_replace(void *buf, int count, const Datatype &datatype, int dest, int sendtag, int source, int recvtag,
                          Status &status) const
    {
        ampi::check(MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, ampi::c(status)));
    }
    void Sendrecv_replace(void *buf, int count, const Datatype &datatype, int dest, int sendtag, int source, int recvtag) const
    {
        ampi::check(MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, MPI_STATUS_IGNORE));
    }

    void Barrier() const { ampi::check(MPI_Barrier(handle)); }
    void Bcast(void *buffer, int count, const Datatype &datatype, int root) const
    {
        ampi::check(MPI_Bcast(buffer, count, datatype, root, handle));
    }
    void Gather(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, int recvcount,
                const Datatype &recvtype, int root) const
    {
        ampi::check(MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle));
    }
    void Gatherv(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, const int recvcounts[],
                 const int displs[], const Datatype &recvtype, int root) const
    {
        ampi::check(MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, handle));
    }
    void Scatter(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, int recvcount,
                 const Datatype &recvtype, int root) const
    {
        ampi::check(MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle));
    }
    void Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], const Datatype &sendtype, void *recvbuf,
                  int recvcount, const Datatype &recvtype, int root) const
    {
        ampi::check(MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, handle));
    }
    void Allgather(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, int recvcount,
                   const Datatype &recvtype) const
    {
        ampi::check(MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle));
    }
    void Allgatherv(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, const int recvcounts[],
                    const int displs[], const Datatype &recvtype) const
    {
        ampi::check(MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, handle));
    }
    void Alltoall(const void *sendbuf, int sendcount, const Datatype &sendtype, void *recvbuf, int recvcount,
                  const Datatype &recvtype) const
    {
        ampi::check(MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle));
    }
    void Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], const Datatype &sendtype, void *recvbuf,
                   const int recvcounts[], const int rdispls[], const Datatype &recvtype) const
    {
        ampi::check(MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, handle));
    }
    void Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const Datatype sendtypes[], void *recvbuf,
                   const int recvcounts[], const int rdispls[], const Datatype recvtypes[]) const
    {
        ampi::check(MPI_Alltoallw(sendbuf, sendcounts, sdispls, ampi::array<MPI_Datatype>(sendtypes), recvbuf, recvcounts, rdispls,
                                  ampi::array<MPI_Datatype>(recvtypes), handle));
    }
    void Reduce(const void *sendbuf, void *recvbuf, int count, const Datatype &datatype, const Op &op, int root) const
    {
        ampi::check(MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, handle));
    }
    void Allreduce(const void *sendbuf, void *recvbuf, int count, const Datatype &datatype, const Op &op) const
    {
        ampi::check(MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, handle));
    }
    void Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], const Datatype &datatype, const Op &op) const
    {
        ampi::check(MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, handle));
    }
    void Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, const Datatype &datatype, const Op &op) const
    {
        ampi::check(MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, handle));
    }

    int Get_size() const
    {
        int size = 0;

        ampi::check(MPI_Comm_size(handle, &size));
        return size;
    }
    int Get_rank() const
    {
        int rank = 0;

        ampi::check(MPI_Comm_rank(handle, &rank));
        return rank;
    }
    Group Get_group() const
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Comm_group(handle, &group));
        return group;
    }
    bool Is_inter() const
    {
        int flag = 0;

        ampi::check(MPI_Comm_test_inter(handle, &flag));
        return flag != 0;
    }
    int Get_topology() const
    {
        int topology = MPI_UNDEFINED;

        ampi::check(MPI_Topo_test(handle, &topology));
        return topology;
    }
    static int Compare(const Comm &one, const Comm &two)
    {
        int result = MPI_UNEQUAL;

        ampi::check(MPI_Comm_compare(one, two, &result));
        return result;
    }
    void Get_name(char *name, int &length) const { ampi::check(MPI_Comm_get_name(handle, name, &length)); }
    void Set_name(const char *name) { ampi::check(MPI_Comm_set_name(handle, name)); }
    void Free() { ampi::check(MPI_Comm_free(&handle)); }
    void Disconnect() { ampi::check(MPI_Comm_disconnect(&handle)); }
    void Abort(int error_code) const { ampi::check(MPI_Abort(handle, error_code)); }
    static Intercomm Get_parent();
    static Intercomm Join(int fd);

    static Errhandler Create_errhandler(Errhandler_function *fn);
    void Set_errhandler(const Errhandler &errhandler)
    {
        ampi::check(MPI_Comm_set_errhandler(handle, ampi_cxx_comm_errhandler(errhandler.handle)));
    }
    Errhandler Get_errhandler() const
    {
        MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;

        ampi::check(MPI_Comm_get_errhandler(handle, &errhandler));
        return ampi_cxx_errhandler(errhandler);
    }
    void Call_errhandler(int error_code) const
    {
        MPI_Comm_call_errhandler(handle, error_code);
        ampi::fail();
    }

    static int Create_keyval(Copy_attr_function *copy, Delete_attr_function *release, void *extra_state);
    static void Free_keyval(int &keyval) { ampi::check(MPI_Comm_free_keyval(&keyval)); }
    void Set_attr(int keyval, const void *value) const
    {
        ampi::check(MPI_Comm_set_attr(handle, keyval, const_cast<void *>(value)));
    }
    bool Get_attr(int keyval, void *value) const
    {
        int flag = 0;

        ampi::check(MPI_Comm_get_attr(handle, keyval, value, &flag));
        return flag != 0;
    }
    void Delete_attr(int keyval) { ampi::check(MPI_Comm_delete_attr(handle, keyval)); }

    static int NULL_COPY_FN(const Comm &, int, void *, void *, void *, bool &flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int DUP_FN(const Comm &, int, void *, void *value_in, void *value_out, bool &flag)
    {
        *static_cast<void **>(value_out) = value_in;
        flag = true;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Comm &, int, void *, void *) { return MPI_SUCCESS; }

protected:
    explicit Comm(MPI_Comm comm) : ampi::Handle<MPI_Comm>(comm) {}

private:
    bool iprobe(int source, int tag, MPI_Status *status) const
    {
        int flag = 0;

        ampi::check(MPI_Iprobe(source, tag, handle, &flag, status));
        return flag != 0;
    }
};

/* The class of COMM_NULL. */
class Nullcomm : public Comm {
public:
    Nullcomm() : Comm(MPI_COMM_NULL) {}
    Nullcomm(MPI_Comm comm) : Comm(comm) {}
    Nullcomm &Clone() const { return *new Nullcomm(*this); }
};

inline void Datatype::Pack(const void *inbuf, int incount, void *outbuf, int outsize, int &position, const Comm &comm) const
{
    ampi::check(MPI_Pack(inbuf, incount, handle, outbuf, outsize, &position, comm));
}

inline void Datatype::Unpack(const void *inbuf, int insize, void *outbuf, int outcount, int &position, const Comm &comm) const
{
    ampi::check(MPI_Unpack(inbuf, insize, &position, outbuf, outcount, handle, comm));
}

inline int Datatype::Pack_size(int incount, const Comm &comm) const
{
    int size = 0;

    ampi::check(MPI_Pack_size(incount, handle, comm, &size));
    return size;
}
