/* Datatype, and what smaller classes do with one. */

class Datatype : public ampi::Handle<MPI_Datatype> {
public:
    typedef int Copy_attr_function(const Datatype &oldtype, int keyval, void *extra_state, void *value_in, void *value_out,
                                   bool &flag);
    typedef int Delete_attr_function(Datatype &datatype, int keyval, void *value, void *extra_state);

    Datatype() : ampi::Handle<MPI_Datatype>(MPI_DATATYPE_NULL) {}
    Datatype(MPI_Datatype datatype) : ampi::Handle<MPI_Datatype>(datatype) {}

    Datatype Create_contiguous(int count) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_contiguous(count, handle, &made));
        return made;
    }
    Datatype Create_vector(int count, int blocklength, int stride) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_vector(count, blocklength, stride, handle, &made));
        return made;
    }
    Datatype Create_hvector(int count, int blocklength, Aint stride) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_hvector(count, blocklength, stride, handle, &made));
        return made;
    }
    Datatype Create_indexed(int count, const int blocklengths[], const int displacements[]) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_indexed(count, blocklengths, displacements, handle, &made));
        return made;
    }
    Datatype Create_hindexed(int count, const int blocklengths[], const Aint displacements[]) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_hindexed(count, blocklengths, displacements, handle, &made));
        return made;
    }
    Datatype Create_indexed_block(int count, int blocklength, const int displacements[]) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_indexed_block(count, blocklength, displacements, handle, &made));
        return made;
    }
    static Datatype Create_struct(int count, const int blocklengths[], const Aint displacements[], const Datatype types[])
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_struct(count, blocklengths, displacements, ampi::array<MPI_Datatype>(types), &made));
        return made;
    }
    Datatype Create_resized(Aint lb, Aint extent) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_resized(handle, lb, extent, &made));
        return made;
    }
    Datatype Create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[], int order) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_subarray(ndims, sizes, subsizes, starts, order, handle, &made));
        return made;
    }
    Datatype Create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
                           const int psizes[], int order) const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_darray(size, rank, ndims, gsizes, distribs, dargs, psizes, order, handle, &made));
        return made;
    }
    static Datatype Create_f90_integer(int range)
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_f90_integer(range, &made));
        return made;
    }
    static Datatype Create_f90_real(int precision, int range)
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_f90_real(precision, range, &made));
        return made;
    }
    static Datatype Create_f90_complex(int precision, int range)
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_create_f90_complex(precision, range, &made));
        return made;
    }
    static Datatype Match_size(int typeclass, int size)
    {
        MPI_Datatype found = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_match_size(typeclass, size, &found));
        return found;
    }
    Datatype Dup() const
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;

        ampi::check(MPI_Type_dup(handle, &made));
        return made;
    }
    void Commit() { ampi::check(MPI_Type_commit(&handle)); }
    void Free() { ampi::check(MPI_Type_free(&handle)); }

    int Get_size() const
    {
        int size = 0;

        ampi::check(MPI_Type_size(handle, &size));
        return size;
    }
    void Get_extent(Aint &lb, Aint &extent) const { ampi::check(MPI_Type_get_extent(handle, &lb, &extent)); }
    void Get_true_extent(Aint &lb, Aint &extent) const { ampi::check(MPI_Type_get_true_extent(handle, &lb, &extent)); }
    void Get_envelope(int &integers, int &addresses, int &datatypes, int &combiner) const
    {
        ampi::check(MPI_Type_get_envelope(handle, &integers, &addresses, &datatypes, &combiner));
    }
    void Get_contents(int max_integers, int max_addresses, int max_datatypes, int integers[], Aint addresses[],
                      Datatype datatypes[]) const
    {
        ampi::check(MPI_Type_get_contents(handle, max_integers, max_addresses, max_datatypes, integers, addresses,
                                          ampi::array<MPI_Datatype>(datatypes)));
    }
    void Get_name(char *name, int &length) const;
    void Set_name(const char *name) { ampi::check(MPI_Type_set_name(handle, name)); }

    void Pack(const void *inbuf, int incount, void *outbuf, int outsize, int &position, const Comm &comm) const;
    void Unpack(const void *inbuf, int insize, void *outbuf, int outcount, int &position, const Comm &comm) const;
    int Pack_size(int incount, const Comm &comm) const;
    void Pack_external(const char *datarep, const void *inbuf, int incount, void *outbuf, Aint outsize, Aint &position) const
    {
        ampi::check(MPI_Pack_external(datarep, inbuf, incount, handle, outbuf, outsize, &position));
    }
    void Unpack_external(const char *datarep, const void *inbuf, Aint insize, Aint &position, void *outbuf, int outcount) const
    {
        ampi::check(MPI_Unpack_external(datarep, inbuf, insize, &position, outbuf, outcount, handle));
    }
    Aint Pack_external_size(const char *datarep, int incount) const
    {
        Aint size = 0;

        ampi::check(MPI_Pack_external_size(datarep, incount, handle, &size));
        return size;
    }

    static int Create_keyval(Copy_attr_function *copy, Delete_attr_function *release, void *extra_state);
    static void Free_keyval(int &keyval) { ampi::check(MPI_Type_free_keyval(&keyval)); }
    void Set_attr(int keyval, const void *value) { ampi::check(MPI_Type_set_attr(handle, keyval, const_cast<void *>(value))); }
    bool Get_attr(int keyval, void *value) const
    {
        int flag = 0;

        ampi::check(MPI_Type_get_attr(handle, keyval, value, &flag));
        return flag != 0;
    }
    void Delete_attr(int keyval) { ampi::check(MPI_Type_delete_attr(handle, keyval)); }

    static int NULL_COPY_FN(const Datatype &, int, void *, void *, void *, bool &flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int DUP_FN(const Datatype &, int, void *, void *value_in, void *value_out, bool &flag)
    {
        *static_cast<void **>(value_out) = value_in;
        flag = true;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Datatype &, int, void *, void *) { return MPI_SUCCESS; }
};

/* The types of C++ have names of C++, as long as the program gives them no other. */
inline void Datatype::Get_name(char *name, int &length) const
{
    static const char *const names[][2] = {
        {"MPI_CXX_BOOL", "MPI::BOOL"},
        {"MPI_CXX_FLOAT_COMPLEX", "MPI::COMPLEX"},
        {"MPI_CXX_DOUBLE_COMPLEX", "MPI::DOUBLE_COMPLEX"},
        {"MPI_CXX_LONG_DOUBLE_COMPLEX", "MPI::LONG_DOUBLE_COMPLEX"},
    };

    ampi::check(MPI_Type_get_name(handle, name, &length));
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (__builtin_strcmp(name, names[i][0]) == 0)
            length = static_cast<int>(__builtin_strlen(__builtin_strcpy(name, names[i][1])));
}

inline int Status::Get_count(const Datatype &datatype) const
{
    int count = MPI_UNDEFINED;

    ampi::check(MPI_Get_count(&status, datatype, &count));
    return count;
}

inline int Status::Get_elements(const Datatype &datatype) const
{
    int count = MPI_UNDEFINED;

    ampi::check(MPI_Get_elements(&status, datatype, &count));
    return count;
}

inline void Status::Set_elements(const Datatype &datatype, int count)
{
    ampi::check(MPI_Status_set_elements(&status, datatype, count));
}

inline void Op::Reduce_local(const void *inbuf, void *inoutbuf, int count, const Datatype &datatype) const
{
    ampi::check(MPI_Reduce_local(inbuf, inoutbuf, count, datatype, handle));
}
