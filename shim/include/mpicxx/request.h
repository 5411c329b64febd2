/* Request, Prequest, Grequest. */

class Request : public ampi::Handle<MPI_Request> {
public:
    Request() : ampi::Handle<MPI_Request>(MPI_REQUEST_NULL) {}
    Request(MPI_Request request) : ampi::Handle<MPI_Request>(request) {}

    void Wait(Status &status) { ampi::check(MPI_Wait(&handle, ampi::c(status))); }
    void Wait() { ampi::check(MPI_Wait(&handle, MPI_STATUS_IGNORE)); }
    bool Test(Status &status) { return test(ampi::c(status)); }
    bool Test() { return test(MPI_STATUS_IGNORE); }
    bool Get_status(Status &status) const { return get_status(ampi::c(status)); }
    bool Get_status() const { return get_status(MPI_STATUS_IGNORE); }
    void Free() { ampi::check(MPI_Request_free(&handle)); }
    void Cancel() const
    {
        MPI_Request request = handle;

        ampi::check(MPI_Cancel(&request));
    }

    static int Waitany(int count, Request requests[], Status &status) { return waitany(count, requests, ampi::c(status)); }
    static int Waitany(int count, Request requests[]) { return waitany(count, requests, MPI_STATUS_IGNORE); }
    static bool Testany(int count, Request requests[], int &index, Status &status)
    {
        return testany(count, requests, index, ampi::c(status));
    }
    static bool Testany(int count, Request requests[], int &index) { return testany(count, requests, index, MPI_STATUS_IGNORE); }
    static void Waitall(int count, Request requests[], Status statuses[])
    {
        ampi::check(MPI_Waitall(count, c(requests), ampi::array<MPI_Status>(statuses)));
    }
    static void Waitall(int count, Request requests[]) { ampi::check(MPI_Waitall(count, c(requests), MPI_STATUSES_IGNORE)); }
    static bool Testall(int count, Request requests[], Status statuses[])
    {
        return testall(count, requests, ampi::array<MPI_Status>(statuses));
    }
    static bool Testall(int count, Request requests[]) { return testall(count, requests, MPI_STATUSES_IGNORE); }
    static int Waitsome(int incount, Request requests[], int indices[], Status statuses[])
    {
        return waitsome(incount, requests, indices, ampi::array<MPI_Status>(statuses));
    }
    static int Waitsome(int incount, Request requests[], int indices[])
    {
        return waitsome(incount, requests, indices, MPI_STATUSES_IGNORE);
    }
    static int Testsome(int incount, Request requests[], int indices[], Status statuses[])
    {
        return testsome(incount, requests, indices, ampi::array<MPI_Status>(statuses));
    }
    static int Testsome(int incount, Request requests[], int indices[])
    {
        return testsome(incount, requests, indices, MPI_STATUSES_IGNORE);
    }

private:
    static MPI_Request *c(Request requests[]) { return ampi::array<MPI_Request>(requests); }
    bool test(MPI_Status *status)
    {
        int flag = 0;

        ampi::check(MPI_Test(&handle, &flag, status));
        return flag != 0;
    }
    bool get_status(MPI_Status *status) const
    {
        int flag = 0;

        ampi::check(MPI_Request_get_status(handle, &flag, status));
        return flag != 0;
    }
    static int waitany(int count, Request requests[], MPI_Status *status)
    {
        int index = MPI_UNDEFINED;

        ampi::check(MPI_Waitany(count, c(requests), &index, status));
        return index;
    }
    static bool testany(int count, Request requests[], int &index, MPI_Status *status)
    {
        int flag = 0;

        ampi::check(MPI_Testany(count, c(requests), &index, &flag, status));
        return flag != 0;
    }
    static bool testall(int count, Request requests[], MPI_Status *statuses)
    {
        int flag = 0;

        ampi::check(MPI_Testall(count, c(requests), &flag, statuses));
        return flag != 0;
    }
    static int waitsome(int incount, Request requests[], int indices[], MPI_Status *statuses)
    {
        int outcount = 0;

        ampi::check(MPI_Waitsome(incount, c(requests), &outcount, indices, statuses));
        return outcount;
    }
    static int testsome(int incount, Request requests[], int indices[], MPI_Status *statuses)
    {
        int outcount = 0;

        ampi::check(MPI_Testsome(incount, c(requests), &outcount, indices, statuses));
        return outcount;
    }
};

/* A persistent request. */
class Prequest : public Request {
public:
    Prequest() {}
    Prequest(MPI_Request request) : Request(request) {}
    Prequest(const Request &request) : Request(request) {}

    void Start() { ampi::check(MPI_Start(&handle)); }
    static void Startall(int count, Prequest requests[])
    {
        ampi::check(MPI_Startall(count, ampi::array<MPI_Request>(requests)));
    }
};

/* A generalized request. */
class Grequest : public Request {
public:
    typedef int Query_function(void *extra_state, Status &status);
    typedef int Free_function(void *extra_state);
    typedef int Cancel_function(void *extra_state, bool complete);

    Grequest() {}
    Grequest(MPI_Request request) : Request(request) {}
    Grequest(const Request &request) : Request(request) {}

    static Grequest Start(Query_function *query, Free_function *free, Cancel_function *cancel, void *extra_state);
    void Complete() { ampi::check(MPI_Grequest_complete(handle)); }
};
