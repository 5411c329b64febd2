/* Small classes: Status, Info, Group, Op, Errhandler. */

class Status {
public:
    Status() : status() {}
    Status(const MPI_Status &s) : status(s) {}
    operator MPI_Status() const { return status; }

    int Get_source() const { return status.MPI_SOURCE; }
    void Set_source(int source) { status.MPI_SOURCE = source; }
    int Get_tag() const { return status.MPI_TAG; }
    void Set_tag(int tag) { status.MPI_TAG = tag; }
    int Get_error() const { return status.MPI_ERROR; }
    void Set_error(int error) { status.MPI_ERROR = error; }
    int Get_count(const Datatype &datatype) const;
    int Get_elements(const Datatype &datatype) const;
    void Set_elements(const Datatype &datatype, int count);
    bool Is_cancelled() const
    {
        int flag = 0;

        ampi::check(MPI_Test_cancelled(&status, &flag));
        return flag != 0;
    }
    void Set_cancelled(bool flag) { ampi::check(MPI_Status_set_cancelled(&status, flag)); }

private:
    MPI_Status status;
};

namespace ampi {
inline MPI_Status *c(Status &status) { return reinterpret_cast<MPI_Status *>(&status); }
}

class Info : public ampi::Handle<MPI_Info> {
public:
    Info() : ampi::Handle<MPI_Info>(MPI_INFO_NULL) {}
    Info(MPI_Info info) : ampi::Handle<MPI_Info>(info) {}

    static Info Create()
    {
        MPI_Info info = MPI_INFO_NULL;

        ampi::check(MPI_Info_create(&info));
        return info;
    }
    Info Dup() const
    {
        MPI_Info info = MPI_INFO_NULL;

        ampi::check(MPI_Info_dup(handle, &info));
        return info;
    }
    void Free() { ampi::check(MPI_Info_free(&handle)); }
    void Set(const char *key, const char *value) { ampi::check(MPI_Info_set(handle, key, value)); }
    void Delete(const char *key) { ampi::check(MPI_Info_delete(handle, key)); }
    bool Get(const char *key, int valuelen, char *value) const
    {
        int flag = 0;

        ampi::check(MPI_Info_get(handle, key, valuelen, value, &flag));
        return flag != 0;
    }
    bool Get_valuelen(const char *key, int &valuelen) const
    {
        int flag = 0;

        ampi::check(MPI_Info_get_valuelen(handle, key, &valuelen, &flag));
        return flag != 0;
    }
    int Get_nkeys() const
    {
        int n = 0;

        ampi::check(MPI_Info_get_nkeys(handle, &n));
        return n;
    }
    void Get_nthkey(int n, char *key) const { ampi::check(MPI_Info_get_nthkey(handle, n, key)); }
};

class Group : public ampi::Handle<MPI_Group> {
public:
    Group() : ampi::Handle<MPI_Group>(MPI_GROUP_NULL) {}
    Group(MPI_Group group) : ampi::Handle<MPI_Group>(group) {}

    int Get_size() const
    {
        int size = 0;

        ampi::check(MPI_Group_size(handle, &size));
        return size;
    }
    int Get_rank() const
    {
        int rank = 0;

        ampi::check(MPI_Group_rank(handle, &rank));
        return rank;
    }
    static void Translate_ranks(const Group &from, int n, const int ranks[], const Group &to, int translated[])
    {
        ampi::check(MPI_Group_translate_ranks(from, n, ranks, to, translated));
    }
    static int Compare(const Group &one, const Group &two)
    {
        int result = MPI_UNEQUAL;

        ampi::check(MPI_Group_compare(one, two, &result));
        return result;
    }
    static Group Union(const Group &one, const Group &two)
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Group_union(one, two, &group));
        return group;
    }
    static Group Intersect(const Group &one, const Group &two)
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Group_intersection(one, two, &group));
        return group;
    }
    static Group Difference(const Group &one, const Group &two)
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Group_difference(one, two, &group));
        return group;
    }
    Group Incl(int n, const int ranks[]) const
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Group_incl(handle, n, ranks, &group));
        return group;
    }
    Group Excl(int n, const int ranks[]) const
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Group_excl(handle, n, ranks, &group));
        return group;
    }
    Group Range_incl(int n, const int ranges[][3]) const
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Group_range_incl(handle, n, const_cast<int(*)[3]>(ranges), &group));
        return group;
    }
    Group Range_excl(int n, const int ranges[][3]) const
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Group_range_excl(handle, n, const_cast<int(*)[3]>(ranges), &group));
        return group;
    }
    void Free() { ampi::check(MPI_Group_free(&handle)); }
};

typedef void User_function(const void *invec, void *inoutvec, int len, const Datatype &datatype);

class Op : public ampi::Handle<MPI_Op> {
public:
    Op() : ampi::Handle<MPI_Op>(MPI_OP_NULL) {}
    Op(MPI_Op op) : ampi::Handle<MPI_Op>(op) {}

    void Init(User_function *fn, bool commute);
    void Free() { ampi::check(MPI_Op_free(&handle)); }
    bool Is_commutative() const
    {
        int commute = 0;

        ampi::check(MPI_Op_commutative(handle, &commute));
        return commute != 0;
    }
    void Reduce_local(const void *inbuf, void *inoutbuf, int count, const Datatype &datatype) const;
};

class Errhandler : public ampi::Handle<MPI_Errhandler> {
public:
    Errhandler() : ampi::Handle<MPI_Errhandler>(MPI_ERRHANDLER_NULL) {}
    Errhandler(MPI_Errhandler errhandler) : ampi::Handle<MPI_Errhandler>(errhandler) {}

    /* For C, which knows communicators' error handlers best. */
    operator MPI_Errhandler() const { return ampi_cxx_comm_errhandler(handle); }

    void Free()
    {
        if (ampi_cxx_is_throwing(handle))
            handle = MPI_ERRHANDLER_NULL;
        else
            ampi::check(MPI_Errhandler_free(&handle));
    }

private:
    friend class Comm;
    friend class Win;
    friend class File;
};
