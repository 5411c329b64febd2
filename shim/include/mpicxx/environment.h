/* Functions of no class. */

inline void Init(int &argc, char **&argv) { ampi::check(MPI_Init(&argc, &argv)); }
inline void Init() { ampi::check(MPI_Init(0, 0)); }
inline int Init_thread(int &argc, char **&argv, int required)
{
    int provided = MPI_THREAD_SINGLE;

    ampi::check(MPI_Init_thread(&argc, &argv, required, &provided));
    return provided;
}
inline int Init_thread(int required)
{
    int provided = MPI_THREAD_SINGLE;

    ampi::check(MPI_Init_thread(0, 0, required, &provided));
    return provided;
}
inline void Finalize() { ampi::check(MPI_Finalize()); }
inline bool Is_initialized()
{
    int flag = 0;

    ampi::check(MPI_Initialized(&flag));
    return flag != 0;
}
inline bool Is_finalized()
{
    int flag = 0;

    ampi::check(MPI_Finalized(&flag));
    return flag != 0;
}
inline bool Is_thread_main()
{
    int flag = 0;

    ampi::check(MPI_Is_thread_main(&flag));
    return flag != 0;
}
inline int Query_thread()
{
    int provided = MPI_THREAD_SINGLE;

    ampi::check(MPI_Query_thread(&provided));
    return provided;
}

inline double Wtime() { return MPI_Wtime(); }
inline double Wtick() { return MPI_Wtick(); }
inline void Get_version(int &version, int &subversion) { ampi::check(MPI_Get_version(&version, &subversion)); }
inline void Get_processor_name(char *name, int &length) { ampi::check(MPI_Get_processor_name(name, &length)); }

/* What further arguments mean is left to a tool, which sees the C function and finds none. */
inline void Pcontrol(int level, ...) { MPI_Pcontrol(level); }

inline void Compute_dims(int nnodes, int ndims, int dims[]) { ampi::check(MPI_Dims_create(nnodes, ndims, dims)); }

inline void Attach_buffer(void *buffer, int size) { ampi::check(MPI_Buffer_attach(buffer, size)); }
inline int Detach_buffer(void *&buffer)
{
    int size = 0;

    ampi::check(MPI_Buffer_detach(&buffer, &size));
    return size;
}

inline Aint Get_address(const void *location)
{
    Aint address = 0;

    ampi::check(MPI_Get_address(location, &address));
    return address;
}
inline void *Alloc_mem(Aint size, const Info &info)
{
    void *base = 0;

    ampi::check(MPI_Alloc_mem(size, info, &base));
    return base;
}
inline void Free_mem(void *base) { ampi::check(MPI_Free_mem(base)); }

inline void Get_error_string(int error_code, char *text, int &length)
{
    ampi::check(MPI_Error_string(error_code, text, &length));
}
inline int Get_error_class(int error_code)
{
    int error_class = MPI_ERR_UNKNOWN;

    ampi::check(MPI_Error_class(error_code, &error_class));
    return error_class;
}
inline int Add_error_class()
{
    int error_class = MPI_ERR_UNKNOWN;

    ampi::check(MPI_Add_error_class(&error_class));
    return error_class;
}
inline int Add_error_code(int error_class)
{
    int error_code = MPI_ERR_UNKNOWN;

    ampi::check(MPI_Add_error_code(error_class, &error_code));
    return error_code;
}
inline void Add_error_string(int error_code, const char *text) { ampi::check(MPI_Add_error_string(error_code, text)); }

inline void Open_port(const Info &info, char *port_name) { ampi::check(MPI_Open_port(info, port_name)); }
inline void Close_port(const char *port_name) { ampi::check(MPI_Close_port(port_name)); }
inline void Publish_name(const char *service_name, const Info &info, const char *port_name)
{
    ampi::check(MPI_Publish_name(service_name, info, port_name));
}
inline void Unpublish_name(const char *service_name, const Info &info, const char *port_name)
{
    ampi::check(MPI_Unpublish_name(service_name, info, port_name));
}
inline void Lookup_name(const char *service_name, const Info &info, char *port_name)
{
    ampi::check(MPI_Lookup_name(service_name, info, port_name));
}

typedef int Datarep_extent_function(const Datatype &datatype, Aint &extent, void *extra_state);
typedef int Datarep_conversion_function(void *userbuf, Datatype &datatype, int count, void *filebuf, Offset position,
                                        void *extra_state);

namespace ampi {

/* The functions of a data representation, which lives as long as the program. */
struct Datarep {
    Datarep_conversion_function *read;
    Datarep_conversion_function *write;
    Datarep_extent_function *extent;
    void *extra_state;
};

inline int datarep_read(void *userbuf, MPI_Datatype c_datatype, int count, void *filebuf, Offset position, void *record)
{
    const Datarep *d = static_cast<Datarep *>(record);
    Datatype datatype(c_datatype);

    return d->read(userbuf, datatype, count, filebuf, position, d->extra_state);
}

inline int datarep_write(void *userbuf, MPI_Datatype c_datatype, int count, void *filebuf, Offset position, void *record)
{
    const Datarep *d = static_cast<Datarep *>(record);
    Datatype datatype(c_datatype);

    return d->write(userbuf, datatype, count, filebuf, position, d->extra_state);
}

inline int datarep_extent(MPI_Datatype datatype, MPI_Aint *extent, void *record)
{
    const Datarep *d = static_cast<Datarep *>(record);

    return d->extent(Datatype(datatype), *extent, d->extra_state);
}

}

/* A null conversion function stands for none, as MPI_CONVERSION_FN_NULL does in C. */
inline void Register_datarep(const char *datarep, Datarep_conversion_function *read, Datarep_conversion_function *write,
                             Datarep_extent_function *extent, void *extra_state)
{
    ampi::Datarep *d = new ampi::Datarep;

    d->read = read;
    d->write = write;
    d->extent = extent;
    d->extra_state = extra_state;
    ampi::check(MPI_Register_datarep(datarep, read == 0 ? MPI_CONVERSION_FN_NULL : ampi::datarep_read,
                                     write == 0 ? MPI_CONVERSION_FN_NULL : ampi::datarep_write, ampi::datarep_extent, d));
}
