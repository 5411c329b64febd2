/* MPI_Sendrecv and MPI_Sendrecv_replace (MPI 5.0 section 3.11): both sides at once. */
#include "ampi.h"

#include <string.h>

static int finish_both(MPI_Request *both, MPI_Status *status)
{
	MPI_Status s[2];
	int error = ampi_Waitall(2, both, s);
	if (status != MPI_STATUS_IGNORE) {
		s[0].MPI_ERROR = status->MPI_ERROR; /* a call with one status leaves that field alone */
		*status = s[0];
	}
	return error == MPI_ERR_IN_STATUS ? (s[0].MPI_ERROR ? s[0].MPI_ERROR : s[1].MPI_ERROR) : error;
}

/* The receive is started first, so a message to oneself finds it. */
static int sendrecv(const void *send, MPI_Count scount, MPI_Datatype stype, int dest, int stag, void *recv, MPI_Count rcount,
		    MPI_Datatype rtype, int source, int rtag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Request both[2];
	int error = ampi_Irecv_c(recv, rcount, rtype, source, rtag, comm, &both[0]);
	if (error)
		return error;
	error = ampi_Isend_c(send, scount, stype, dest, stag, comm, &both[1]);
	if (error) {
		ampi_Cancel(&both[0]);
		ampi_Request_free(&both[0]);
		return error;
	}
	return finish_both(both, status);
}

/* The data to send is packed away first. */
static int replace(int fn, void *buf, MPI_Count count, MPI_Datatype type, int dest, int stag, int source, int rtag, MPI_Comm comm,
		   MPI_Status *status)
{
	const struct vr_type *t = ampi_type(type);
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	if (!t)
		return ampi_bad_type(c, type, fn);
	if (count < 0)
		return ampi_raise(c, MPI_ERR_COUNT, fn, "count is %lld", (long long)count);
	int64_t bytes = count * t->size;
	void *copy = vr_rank_alloc(vr_current, bytes);
	if (!copy)
		return ampi_raise(c, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	vr_type_pack(t, count, buf, copy, bytes);
	int error = sendrecv(copy, bytes, MPI_PACKED, dest, stag, buf, count, type, source, rtag, comm, status);
	vr_rank_free(vr_current, copy);
	return error;
}

int ampi_Sendrecv(const void *send, int scount, MPI_Datatype stype, int dest, int stag, void *recv, int rcount, MPI_Datatype rtype,
		  int source, int rtag, MPI_Comm comm, MPI_Status *status)
{
	return sendrecv(send, scount, stype, dest, stag, recv, rcount, rtype, source, rtag, comm, status);
}

int ampi_Sendrecv_c(const void *send, MPI_Count scount, MPI_Datatype stype, int dest, int stag, void *recv, MPI_Count rcount,
		    MPI_Datatype rtype, int source, int rtag, MPI_Comm comm, MPI_Status *status)
{
	return sendrecv(send, scount, stype, dest, stag, recv, rcount, rtype, source, rtag, comm, status);
}

int ampi_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int stag, int source, int rtag, MPI_Comm comm,
			  MPI_Status *status)
{
	return replace(AMPI_FN_MPI_Sendrecv_replace, buf, count, type, dest, stag, source, rtag, comm, status);
}

int ampi_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype type, int dest, int stag, int source, int rtag, MPI_Comm comm,
			    MPI_Status *status)
{
	return replace(AMPI_FN_MPI_Sendrecv_replace_c, buf, count, type, dest, stag, source, rtag, comm, status);
}
