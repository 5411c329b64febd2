/* File: input and output. */

class File : public ampi::Handle<MPI_File> {
public:
    typedef void Errhandler_function(File &file, int *error_code, ...);
    typedef Errhandler_function Errhandler_fn;

    File() : ampi::Handle<MPI_File>(MPI_FILE_NULL) {}
    File(MPI_File file) : ampi::Handle<MPI_File>(file) {}

    static File Open(const Intracomm &comm, const char *filename, int amode, const Info &info)
    {
        MPI_File file = MPI_FILE_NULL;

        ampi::check(MPI_File_open(comm, filename, amode, info, &file));
        return file;
    }
    void Close() { ampi::check(MPI_File_close(&handle)); }
    static void Delete(const char *filename, const Info &info) { ampi::check(MPI_File_delete(filename, info)); }
    void Set_size(Offset size) { ampi::check(MPI_File_set_size(handle, size)); }
    void Preallocate(Offset size) { ampi::check(MPI_File_preallocate(handle, size)); }
    void Sync() { ampi::check(MPI_File_sync(handle)); }
    Offset Get_size() const
    {
        Offset size = 0;

        ampi::check(MPI_File_get_size(handle, &size));
        return size;
    }
    Group Get_group() const
    {
        MPI_Group group = MPI_GROUP_NULL;

        ampi::check(MPI_File_get_group(handle, &group));
        return group;
    }
    int Get_amode() const
    {
        int amode = 0;

        ampi::check(MPI_File_get_amode(handle, &amode));
        return amode;
    }
    void Set_info(const Info &info) { ampi::check(MPI_File_set_info(handle, info)); }
    Info Get_info() const
    {
        MPI_Info info = MPI_INFO_NULL;

        ampi::check(MPI_File_get_info(handle, &info));
        return info;
    }
    void Set_view(Offset disp, const Datatype &etype, const Datatype &filetype, const char *datarep, const Info &info)
    {
        ampi::check(MPI_File_set_view(handle, disp, etype, filetype, datarep, info));
    }
    void Get_view(Offset &disp, Datatype &etype, Datatype &filetype, char *datarep) const
    {
        MPI_Datatype c_etype = etype, c_filetype = filetype;

        ampi::check(MPI_File_get_view(handle, &disp, &c_etype, &c_filetype, datarep));
        etype = c_etype;
        filetype = c_filetype;
    }
    void Set_atomicity(bool flag) { ampi::check(MPI_File_set_atomicity(handle, flag)); }
    bool Get_atomicity() const
    {
        int flag = 0;

        ampi::check(MPI_File_get_atomicity(handle, &flag));
        return flag != 0;
    }
    Aint Get_type_extent(const Datatype &datatype) const
    {
        Aint extent = 0;

        ampi::check(MPI_File_get_type_extent(handle, datatype, &extent));
        return extent;
    }

    void Seek(Offset offset, int whence) { ampi::check(MPI_File_seek(handle, offset, c_whence(whence))); }
    void Seek_shared(Offset offset, int whence) { ampi::check(MPI_File_seek_shared(handle, offset, c_whence(whence))); }
    Offset Get_position() const
    {
        Offset offset = 0;

        ampi::check(MPI_File_get_position(handle, &offset));
        return offset;
    }
    Offset Get_position_shared() const
    {
        Offset offset = 0;

        ampi::check(MPI_File_get_position_shared(handle, &offset));
        return offset;
    }
    Offset Get_byte_offset(Offset view_offset) const
    {
        Offset offset = 0;

        ampi::check(MPI_File_get_byte_offset(handle, view_offset, &offset));
        return offset;
    }

/* Blocking transfers at the file pointers and at offsets, each with and without a status. */
#define AMPI_CXX_TRANSFER(Name, name, buffer) \
    void Name(buffer buf, int count, const Datatype &datatype, Status &status) \
    { \
        ampi::check(MPI_File_##name(handle, buf, count, datatype, ampi::c(status))); \
    } \
    void Name(buffer buf, int count, const Datatype &datatype) \
    { \
        ampi::check(MPI_File_##name(handle, buf, count, datatype, MPI_STATUS_IGNORE)); \
    }
    AMPI_CXX_TRANSFER(Read, read, void *)
    AMPI_CXX_TRANSFER(Read_all, read_all, void *)
    AMPI_CXX_TRANSFER(Read_shared, read_shared, void *)
    AMPI_CXX_TRANSFER(Read_ordered, read_ordered, void *)
    AMPI_CXX_TRANSFER(Write, write, const void *)
    AMPI_CXX_TRANSFER(Write_all, write_all, const void *)
    AMPI_CXX_TRANSFER(Write_shared, write_shared, const void *)
    AMPI_CXX_TRANSFER(Write_ordered, write_ordered, const void *)
#undef AMPI_CXX_TRANSFER

#define AMPI_CXX_TRANSFER_AT(Name, name, buffer) \
    void Name(Offset offset, buffer buf, int count, const Datatype &datatype, Status &status) \
    { \
        ampi::check(MPI_File_##name(handle, offset, buf, count, datatype, ampi::c(status))); \
    } \
    void Name(Offset offset, buffer buf, int count, const Datatype &datatype) \
    { \
        ampi::check(MPI_File_##name(handle, offset, buf, count, datatype, MPI_STATUS_IGNORE)); \
    }
    AMPI_CXX_TRANSFER_AT(Read_at, read_at, void *)
    AMPI_CXX_TRANSFER_AT(Read_at_all, read_at_all, void *)
    AMPI_CXX_TRANSFER_AT(Write_at, write_at, const void *)
    AMPI_CXX_TRANSFER_AT(Write_at_all, write_at_all, const void *)
#undef AMPI_CXX_TRANSFER_AT

/* Transfers in two halves. */
#define AMPI_CXX_SPLIT(Name, name, buffer) \
    void Name##_begin(buffer buf, int count, const Datatype &datatype) \
    { \
        ampi::check(MPI_File_##name##_begin(handle, buf, count, datatype)); \
    } \
    AMPI_CXX_END(Name, name, buffer)
#define AMPI_CXX_SPLIT_AT(Name, name, buffer) \
    void Name##_begin(Offset offset, buffer buf, int count, const Datatype &datatype) \
    { \
        ampi::check(MPI_File_##name##_begin(handle, offset, buf, count, datatype)); \
    } \
    AMPI_CXX_END(Name, name, buffer)
#define AMPI_CXX_END(Name, name, buffer) \
    void Name##_end(buffer buf, Status &status) { ampi::check(MPI_File_##name##_end(handle, buf, ampi::c(status))); } \
    void Name##_end(buffer buf) { ampi::check(MPI_File_##name##_end(handle, buf, MPI_STATUS_IGNORE)); }
    AMPI_CXX_SPLIT(Read_all, read_all, void *)
    AMPI_CXX_SPLIT(Read_ordered, read_ordered, void *)
    AMPI_CXX_SPLIT(Write_all, write_all, const void *)
    AMPI_CXX_SPLIT(Write_ordered, write_ordered, const void *)
    AMPI_CXX_SPLIT_AT(Read_at_all, read_at_all, void *)
    AMPI_CXX_SPLIT_AT(Write_at_all, write_at_all, const void *)
#undef AMPI_CXX_SPLIT
#undef AMPI_CXX_SPLIT_AT
#undef AMPI_CXX_END

    Request Iread(void *buf, int count, const Datatype &datatype)
    {
        MPI_Request request = MPI_REQUEST_NULL;

        ampi::check(MPI_File_iread(handle, buf, count, datatype, &request));
        return request;
    }
    Request Iwrite(const void *buf, int count, const Datatype &datatype)
    {
        MPI_Request request = MPI_REQUEST_NULL;

        ampi::check(MPI_File_iwrite(handle, buf, count, datatype, &request));
        return request;
    }
    Request Iread_shared(void *buf, int count, const Datatype &datatype)
    {
        MPI_Request request = MPI_REQUEST_NULL;

        ampi::check(MPI_File_iread_shared(handle, buf, count, datatype, &request));
        return request;
    }
    Request Iwrite_shared(const void *buf, int count, const Datatype &datatype)
    {
        MPI_Request request = MPI_REQUEST_NULL;

        ampi::check(MPI_File_iwrite_shared(handle, buf, count, datatype, &request));
        return request;
    }
    Request Iread_at(Offset offset, void *buf, int count, const Datatype &datatype)
    {
        MPI_Request request = MPI_REQUEST_NULL;

        ampi::check(MPI_File_iread_at(handle, offset, buf, count, datatype, &request));
        return request;
    }
    Request Iwrite_at(Offset offset, const void *buf, int count, const Datatype &datatype)
    {
        MPI_Request request = MPI_REQUEST_NULL;

        ampi::check(MPI_File_iwrite_at(handle, offset, buf, count, datatype, &request));
        return request;
    }

    static Errhandler Create_errhandler(Errhandler_function *fn);
    void Set_errhandler(const Errhandler &errhandler)
    {
        ampi::check(MPI_File_set_errhandler(handle, ampi_cxx_file_errhandler(errhandler.handle)));
    }
    Errhandler Get_errhandler() const
    {
        MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;

        ampi::check(MPI_File_get_errhandler(handle, &errhandler));
        return ampi_cxx_errhandler(errhandler);
    }
    void Call_errhandler(int error_code) const
    {
        MPI_File_call_errhandler(handle, error_code);
        ampi::fail();
    }

private:
    /* See seek.h. */
    static int c_whence(int whence)
    {
        switch (whence) {
        case SEEK_SET:
            return MPI_SEEK_SET;
        case SEEK_CUR:
            return MPI_SEEK_CUR;
        case SEEK_END:
            return MPI_SEEK_END;
        }
        return whence;
    }
};
