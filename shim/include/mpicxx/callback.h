/* The program's C++ functions behind C ones: operations, error handlers, attributes, generalized requests, data
 * representations. */

extern const Errhandler ERRORS_THROW_EXCEPTIONS __asm__("ampi_cxx_ERRORS_THROW_EXCEPTIONS");

namespace ampi {

/* The function behind what the shim's library keeps. */
template <class Function> inline Function *back(ampi_cxx_function *fn) { return reinterpret_cast<Function *>(fn); }
template <class Function> inline ampi_cxx_function *away(Function *fn) { return reinterpret_cast<ampi_cxx_function *>(fn); }

/* A C communicator as an object of the class it is of, for callbacks. */
class AnyComm {
public:
    explicit AnyComm(MPI_Comm comm) : object(make(comm)) {}
    ~AnyComm() { delete object; }
    Comm &operator*() const { return *object; }

private:
    static Comm *make(MPI_Comm comm)
    {
        int inter = 0, topology = MPI_UNDEFINED;

        if (comm == MPI_COMM_NULL)
            return new Nullcomm;
        MPI_Comm_test_inter(comm, &inter);
        if (inter)
            return new Intercomm(comm);
        MPI_Topo_test(comm, &topology);
        switch (topology) {
        case MPI_CART:
            return new Cartcomm(comm);
        case MPI_GRAPH:
            return new Graphcomm(comm);
        case MPI_DIST_GRAPH:
            return new Distgraphcomm(comm);
        }
        return new Intracomm(comm);
    }
    Comm *object;
    AnyComm(const AnyComm &);
    AnyComm &operator=(const AnyComm &);
};

inline void call_op(ampi_cxx_function *fn, void *invec, void *inoutvec, int *len, MPI_Datatype *datatype)
{
    back<User_function>(fn)(invec, inoutvec, *len, Datatype(*datatype));
}

/* An MPI::Exception that an error handler throws waits for the frames of the runtime to be gone. */
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define AMPI_CXX_HANDLE(call) \
    try { \
        call; \
    } catch (const Exception &thrown) { \
        ampi_cxx_pending = thrown.Get_error_code(); \
    }
#else
#define AMPI_CXX_HANDLE(call) call;
#endif

inline void call_comm_handler(ampi_cxx_function *fn, MPI_Comm *c_comm, int *error_code)
{
    AnyComm comm(*c_comm);

    AMPI_CXX_HANDLE(back<Comm::Errhandler_function>(fn)(*comm, error_code))
}

inline void call_win_handler(ampi_cxx_function *fn, MPI_Win *c_win, int *error_code)
{
    Win win(*c_win);

    AMPI_CXX_HANDLE(back<Win::Errhandler_function>(fn)(win, error_code))
}

inline void call_file_handler(ampi_cxx_function *fn, MPI_File *c_file, int *error_code)
{
    File file(*c_file);

    AMPI_CXX_HANDLE(back<File::Errhandler_function>(fn)(file, error_code))
}
#undef AMPI_CXX_HANDLE

/* The functions of a keyval. Never freed: attributes may outlive Free_keyval, and nobody says when the last one dies. */
template <class Object> struct Keyval {
    typename Object::Copy_attr_function *copy;
    typename Object::Delete_attr_function *release;
    void *extra_state;
};

template <class Object>
inline Keyval<Object> *keyval(typename Object::Copy_attr_function *copy, typename Object::Delete_attr_function *release,
                              void *extra_state)
{
    Keyval<Object> *k = new Keyval<Object>;

    k->copy = copy;
    k->release = release;
    k->extra_state = extra_state;
    return k;
}

template <class Object> inline int copy_attr(const Object &old, int number, void *record, void *in, void *out, int *flag)
{
    const Keyval<Object> *k = static_cast<Keyval<Object> *>(record);
    bool copied = false;
    int error_code = k->copy == 0 ? MPI_SUCCESS : k->copy(old, number, k->extra_state, in, out, copied);

    *flag = copied;
    return error_code;
}

template <class Object> inline int delete_attr(Object &object, int number, void *value, void *record)
{
    const Keyval<Object> *k = static_cast<Keyval<Object> *>(record);

    return k->release == 0 ? MPI_SUCCESS : k->release(object, number, value, k->extra_state);
}

inline int copy_comm_attr(MPI_Comm old, int number, void *record, void *in, void *out, int *flag)
{
    return copy_attr<Comm>(*AnyComm(old), number, record, in, out, flag);
}

inline int delete_comm_attr(MPI_Comm c_comm, int number, void *value, void *record)
{
    return delete_attr<Comm>(*AnyComm(c_comm), number, value, record);
}

inline int copy_type_attr(MPI_Datatype old, int number, void *record, void *in, void *out, int *flag)
{
    return copy_attr(Datatype(old), number, record, in, out, flag);
}

inline int delete_type_attr(MPI_Datatype c_datatype, int number, void *value, void *record)
{
    Datatype datatype(c_datatype);

    return delete_attr(datatype, number, value, record);
}

inline int copy_win_attr(MPI_Win old, int number, void *record, void *in, void *out, int *flag)
{
    return copy_attr(Win(old), number, record, in, out, flag);
}

inline int delete_win_attr(MPI_Win c_win, int number, void *value, void *record)
{
    Win win(c_win);

    return delete_attr(win, number, value, record);
}

/* The functions of a generalized request. */
struct Generalized {
    Grequest::Query_function *query;
    Grequest::Free_function *free;
    Grequest::Cancel_function *cancel;
    void *extra_state;
};

inline int query_request(void *record, MPI_Status *c_status)
{
    const Generalized *g = static_cast<Generalized *>(record);
    Status status(*c_status);
    int error_code = g->query(g->extra_state, status);

    *c_status = status;
    return error_code;
}

/* The last call for a request: its record goes with it. */
inline int free_request(void *record)
{
    Generalized *g = static_cast<Generalized *>(record);
    int error_code = g->free(g->extra_state);

    delete g;
    return error_code;
}

inline int cancel_request(void *record, int complete)
{
    const Generalized *g = static_cast<Generalized *>(record);

    return g->cancel(g->extra_state, complete != 0);
}

}

inline void Op::Init(User_function *fn, bool commute)
{
    MPI_User_function *c_fn = ampi_cxx_op(ampi::away(fn), ampi::call_op);

    if (c_fn == 0)
        ampi::raise(MPI_ERR_NO_MEM);
    else
        ampi::check(MPI_Op_create(c_fn, commute, &handle));
}

inline Errhandler Comm::Create_errhandler(Errhandler_function *fn)
{
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    MPI_Comm_errhandler_function *c_fn = ampi_cxx_comm_handler(ampi::away(fn), ampi::call_comm_handler);

    if (c_fn == 0)
        ampi::raise(MPI_ERR_NO_MEM);
    else
        ampi::check(MPI_Comm_create_errhandler(c_fn, &errhandler));
    return errhandler;
}

inline Errhandler Win::Create_errhandler(Errhandler_function *fn)
{
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    MPI_Win_errhandler_function *c_fn = ampi_cxx_win_handler(ampi::away(fn), ampi::call_win_handler);

    if (c_fn == 0)
        ampi::raise(MPI_ERR_NO_MEM);
    else
        ampi::check(MPI_Win_create_errhandler(c_fn, &errhandler));
    return errhandler;
}

inline Errhandler File::Create_errhandler(Errhandler_function *fn)
{
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    MPI_File_errhandler_function *c_fn = ampi_cxx_file_handler(ampi::away(fn), ampi::call_file_handler);

    if (c_fn == 0)
        ampi::raise(MPI_ERR_NO_MEM);
    else
        ampi::check(MPI_File_create_errhandler(c_fn, &errhandler));
    return errhandler;
}

inline int Comm::Create_keyval(Copy_attr_function *copy, Delete_attr_function *release, void *extra_state)
{
    int number = MPI_KEYVAL_INVALID;

    ampi::check(MPI_Comm_create_keyval(ampi::copy_comm_attr, ampi::delete_comm_attr, &number,
                                       ampi::keyval<Comm>(copy, release, extra_state)));
    return number;
}

inline int Datatype::Create_keyval(Copy_attr_function *copy, Delete_attr_function *release, void *extra_state)
{
    int number = MPI_KEYVAL_INVALID;

    ampi::check(MPI_Type_create_keyval(ampi::copy_type_attr, ampi::delete_type_attr, &number,
                                       ampi::keyval<Datatype>(copy, release, extra_state)));
    return number;
}

inline int Win::Create_keyval(Copy_attr_function *copy, Delete_attr_function *release, void *extra_state)
{
    int number = MPI_KEYVAL_INVALID;

    ampi::check(MPI_Win_create_keyval(ampi::copy_win_attr, ampi::delete_win_attr, &number,
                                      ampi::keyval<Win>(copy, release, extra_state)));
    return number;
}

inline Grequest Grequest::Start(Query_function *query, Free_function *free, Cancel_function *cancel, void *extra_state)
{
    MPI_Request request = MPI_REQUEST_NULL;
    ampi::Generalized *g = new ampi::Generalized;

    g->query = query;
    g->free = free;
    g->cancel = cancel;
    g->extra_state = extra_state;
    ampi::check(MPI_Grequest_start(ampi::query_request, ampi::free_request, ampi::cancel_request, g, &request));
    return request;
}
