/* Win: windows for one-sided communication. */

class Win : public ampi::Handle<MPI_Win> {
public:
    typedef void Errhandler_function(Win &win, int *error_code, ...);
    typedef Errhandler_function Errhandler_fn;
    typedef int Copy_attr_function(const Win &oldwin, int keyval, void *extra_state, void *value_in, void *value_out, bool &flag);
    typedef int Delete_attr_function(Win &win, int keyval, void *value, void *extra_state);

    Win() : ampi::Handle<MPI_Win>(MPI_WIN_NULL) {}
    Win(MPI_Win win) : ampi::Handle<MPI_Win>(win) {}

    static Win Create(const void *base, Aint size, int disp_unit, const Info &info, const Intracomm &comm)
    {
        MPI_Win win = MPI_WIN_NULL;

        ampi::check(MPI_Win_create(const_cast<void *>(base), size, disp_unit, info, comm, &win));
        return win;
    }
    void Free() { ampi::check(MPI_Win_free(&handle)); }
    Group Get_group() const
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_Win_get_group(handle, &group));
        return group;
    }

    void Put(const void *origin, int origin_count, const Datatype &origin_type, int target, Aint target_disp, int target_count,
             const Datatype &target_type) const
    {
        ampi::check(MPI_Put(origin, origin_count, origin_type, target, target_disp, target_count, target_type, handle));
    }
    void Get(void *origin, int origin_count, const Datatype &origin_type, int target, Aint target_disp, int target_count,
             const Datatype &target_type) const
    {
        ampi::check(MPI_Get(origin, origin_count, origin_type, target, target_disp, target_count, target_type, handle));
    }
    void Accumulate(const void *origin, int origin_count, const Datatype &origin_type, int target, Aint target_disp,
                    int target_count, const Datatype &target_type, const Op &op) const
    {
        ampi::check(MPI_Accumulate(origin, origin_count, origin_type, target, target_disp, target_count, target_type, op, handle));
    }

    void Fence(int assertion) const { ampi::check(MPI_Win_fence(assertion, handle)); }
    void Start(const Group &group, int assertion) const { ampi::check(MPI_Win_start(group, assertion, handle)); }
    void Complete() const { ampi::check(MPI_Win_complete(handle)); }
    void Post(const Group &group, int assertion) const { ampi::check(MPI_Win_post(group, assertion, handle)); }
    void Wait() const { ampi::check(MPI_Win_wait(handle)); }
    bool Test() const
    {
        int flag = 0;

        ampi::check(MPI_Win_test(handle, &flag));
        return flag != 0;
    }
    void Lock(int lock_type, int rank, int assertion) const { ampi::check(MPI_Win_lock(lock_type, rank, assertion, handle)); }
    void Unlock(int rank) const { ampi::check(MPI_Win_unlock(rank, handle)); }

    void Get_name(char *name, int &length) const { ampi::check(MPI_Win_get_name(handle, name, &length)); }
    void Set_name(const char *name) { ampi::check(MPI_Win_set_name(handle, name)); }

    static Errhandler Create_errhandler(Errhandler_function *fn);
    void Set_errhandler(const Errhandler &errhandler)
    {
        ampi::check(MPI_Win_set_errhandler(handle, ampi_cxx_win_errhandler(errhandler.handle)));
    }
    Errhandler Get_errhandler() const
    {
        MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;

        ampi::check(MPI_Win_get_errhandler(handle, &errhandler));
        return ampi_cxx_errhandler(errhandler);
    }
    void Call_errhandler(int error_code) const
    {
        MPI_Win_call_errhandler(handle, error_code);
        ampi::fail();
    }

    static int Create_keyval(Copy_attr_function *copy, Delete_attr_function *release, void *extra_state);
    static void Free_keyval(int &keyval) { ampi::check(MPI_Win_free_keyval(&keyval)); }
    void Set_attr(int keyval, const void *value) { ampi::check(MPI_Win_set_attr(handle, keyval, const_cast<void *>(value))); }
    bool Get_attr(int keyval, void *value) const
    {
        int flag = 0;

        ampi::check(MPI_Win_get_attr(handle, keyval, value, &flag));
        return flag != 0;
    }
    void Delete_attr(int keyval) { ampi::check(MPI_Win_delete_attr(handle, keyval)); }

    static int NULL_COPY_FN(const Win &, int, void *, void *, void *, bool &flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int DUP_FN(const Win &, int, void *, void *value_in, void *value_out, bool &flag)
    {
        *static_cast<void **>(value_out) = value_in;
        flag = true;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Win &, int, void *, void *) { return MPI_SUCCESS; }
};
