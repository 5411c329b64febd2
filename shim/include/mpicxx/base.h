/* What all classes share: basic types, exceptions, the check behind every call, and handles. */

typedef MPI_Aint Aint;
typedef MPI_Offset Offset;
typedef MPI_Fint Fint;

class Comm;
class Nullcomm;
class Intracomm;
class Intercomm;
class Cartcomm;
class Graphcomm;
class Distgraphcomm;
class Datatype;
class File;
class Win;

/* CMake's FindMPI looks for the bindings by these names. */
using ::MPI_Finalize;
using ::MPI_Init;

/* What a failed call throws when the error handler is ERRORS_THROW_EXCEPTIONS. */
class Exception {
public:
    explicit Exception(int error_code) : code(error_code)
    {
        int length = 0;

        text[0] = '\0';
        MPI_Error_string(code, text, &length);
    }
    int Get_error_code() const { return code; }
    int Get_error_class() const
    {
        int error_class = MPI_ERR_UNKNOWN;

        MPI_Error_class(code, &error_class);
        return error_class;
    }
    const char *Get_error_string() const { return text; }

private:
    int code;
    char text[MPI_MAX_ERROR_STRING];
};

/* Helpers of the bindings. */
namespace ampi {

/* Throws what an error handler has left to throw. Without exceptions in the program, the error ends it. */
inline __attribute__((noinline, cold)) void fail()
{
    int code = ampi_cxx_pending;

    if (code == MPI_SUCCESS)
        return;
    ampi_cxx_pending = MPI_SUCCESS;
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
    throw Exception(code);
#else
    MPI_Abort(MPI_COMM_WORLD, code);
#endif
}

/* Every call goes through this. */
inline void check(int error_code)
{
    if (__builtin_expect(error_code != MPI_SUCCESS, 0))
        fail();
}

/* An error that the bindings find themselves. */
inline void raise(int error_class)
{
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, error_class);
    fail();
}

/* An array of C handles or of statuses: the objects consist of nothing else. */
template <class C, class Object> inline C *array(Object objects[]) { return reinterpret_cast<C *>(objects); }
template <class C, class Object> inline const C *array(const Object objects[]) { return reinterpret_cast<const C *>(objects); }

/* An array of logicals, which C takes as integers. */
class Logicals {
public:
    explicit Logicals(int n) : size(n > 0 ? n : 0), ints(new int[size + 1]()) {}
    Logicals(int n, const bool from[]) : size(n > 0 ? n : 0), ints(from == 0 ? 0 : new int[size + 1]())
    {
        for (int i = 0; ints != 0 && i < size; i++)
            ints[i] = from[i];
    }
    ~Logicals() { delete[] ints; }
    void store(bool to[]) const
    {
        for (int i = 0; i < size; i++)
            to[i] = ints[i] != 0;
    }
    operator int *() const { return ints; }

private:
    int size;
    int *ints;
    Logicals(const Logicals &);
    Logicals &operator=(const Logicals &);
};

/* A C handle. It converts to and from C, compares, and has no virtual functions, so that it is as good as the C handle
 * in arrays and needs no constructor before main. */
template <class C> class Handle {
public:
    operator C() const { return handle; }
    bool operator==(const Handle &other) const { return handle == other.handle; }
    bool operator!=(const Handle &other) const { return handle != other.handle; }
    bool operator==(C other) const { return handle == other; }
    bool operator!=(C other) const { return handle != other; }

protected:
    explicit Handle(C h) : handle(h) {}
    C handle;
};

}
