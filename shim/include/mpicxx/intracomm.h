/* Intracomm, Intercomm and the communicators with a topology. */

/* What constructors and assignments of a class of communicators are: from and to C, and from COMM_NULL. */
#define AMPI_CXX_COMM_CLASS(Class, Base) \
    Class() : Base(MPI_COMM_NULL) {} \
    Class(MPI_Comm comm) : Base(comm) {} \
    Class(const Nullcomm &comm) : Base(MPI_Comm(comm)) {} \
    Class(const Class &other) : Base(MPI_Comm(other)) {} \
    Class &operator=(const Class &other) \
    { \
        handle = other.handle; \
        return *this; \
    } \
    Class &operator=(const Nullcomm &comm) \
    { \
        handle = comm; \
        return *this; \
    } \
    Class &operator=(MPI_Comm comm) \
    { \
        handle = comm; \
        return *this; \
    } \
    Class &Clone() const { return *new Class(Dup()); } \
    Class Dup() const \
    { \
        MPI_Comm made = MPI_COMM_NULL; \
        ampi::check(MPI_Comm_dup(handle, &made)); \
        return made; \
    }

class Intercomm : public Comm {
public:
    AMPI_CXX_COMM_CLASS(Intercomm, Comm)

    int Get_remote_size() const
    {
        int size = 0;

        ampi::check(MPI_Comm_remote_size(handle, &size));
        return size;
    }
    Group Get_remote_group() const
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Comm_remote_group(handle, &group));
        return group;
    }
    Intercomm Create(const Group &group) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Comm_create(handle, group, &made));
        return made;
    }
    Intercomm Split(int color, int key) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Comm_split(handle, color, key, &made));
        return made;
    }
    Intracomm Merge(bool high) const;
};

class Intracomm : public Comm {
public:
    AMPI_CXX_COMM_CLASS(Intracomm, Comm)

    Intracomm Create(const Group &group) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Comm_create(handle, group, &made));
        return made;
    }
    Intracomm Split(int color, int key) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Comm_split(handle, color, key, &made));
        return made;
    }
    Intercomm Create_intercomm(int local_leader, const Comm &peer_comm, int remote_leader, int tag) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Intercomm_create(handle, local_leader, peer_comm, remote_leader, tag, &made));
        return made;
    }
    void Scan(const void *sendbuf, void *recvbuf, int count, const Datatype &datatype, const Op &op) const
    {
        ampi::check(MPI_Scan(sendbuf, recvbuf, count, datatype, op, handle));
    }
    void Exscan(const void *sendbuf, void *recvbuf, int count, const Datatype &datatype, const Op &op) const
    {
        ampi::check(MPI_Exscan(sendbuf, recvbuf, count, datatype, op, handle));
    }

    Cartcomm Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const;
    Graphcomm Create_graph(int nnodes, const int index[], const int edges[], bool reorder) const;
    Distgraphcomm Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
                                    const Info &info, bool reorder) const;
    Distgraphcomm Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[], const Info &info,
                                    bool reorder) const;
    Distgraphcomm Dist_graph_create_adjacent(int indegree, const int sources[], const int sourceweights[], int outdegree,
                                             const int destinations[], const int destweights[], const Info &info,
                                             bool reorder) const;
    Distgraphcomm Dist_graph_create_adjacent(int indegree, const int sources[], int outdegree, const int destinations[],
                                             const Info &info, bool reorder) const;

    Intercomm Accept(const char *port_name, const Info &info, int root) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Comm_accept(port_name, info, root, handle, &made));
        return made;
    }
    Intercomm Connect(const char *port_name, const Info &info, int root) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Comm_connect(port_name, info, root, handle, &made));
        return made;
    }
    Intercomm Spawn(const char *command, const char *argv[], int maxprocs, const Info &info, int root, int errcodes[]) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Comm_spawn(command, const_cast<char **>(argv), maxprocs, info, root, handle, &made, errcodes));
        return made;
    }
    Intercomm Spawn(const char *command, const char *argv[], int maxprocs, const Info &info, int root) const
    {
        return Spawn(command, argv, maxprocs, info, root, MPI_ERRCODES_IGNORE);
    }
    Intercomm Spawn_multiple(int count, const char *commands[], const char **argvs[], const int maxprocs[], const Info infos[],
                             int root, int errcodes[]) const
    {
        MPI_Comm made = MPI_COMM_NULL;

        ampi::check(MPI_Comm_spawn_multiple(count, const_cast<char **>(commands), const_cast<char ***>(argvs), maxprocs,
                                            ampi::array<MPI_Info>(infos), root, handle, &made, errcodes));
        return made;
    }
    Intercomm Spawn_multiple(int count, const char *commands[], const char **argvs[], const int maxprocs[], const Info infos[],
                             int root) const
    {
        return Spawn_multiple(count, commands, argvs, maxprocs, infos, root, MPI_ERRCODES_IGNORE);
    }
};

inline Intracomm Intercomm::Merge(bool high) const
{
    MPI_Comm made = MPI_COMM_NULL;

    ampi::check(MPI_Intercomm_merge(handle, high, &made));
    return made;
}

inline Intercomm Comm::Get_parent()
{
    MPI_Comm parent = MPI_COMM_NULL;

    ampi::check(MPI_Comm_get_parent(&parent));
    return parent;
}

inline Intercomm Comm::Join(int fd)
{
    MPI_Comm made = MPI_COMM_NULL;

    ampi::check(MPI_Comm_join(fd, &made));
    return made;
}
