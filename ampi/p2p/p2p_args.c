/* What is wrong with the arguments of point-to-point calls. */
#include "ampi/p2p/p2p_args.h"

int ampi_bad_count(struct ampi_comm *c, int fn, MPI_Count count)
{
	const char *why = count < 0 ? "" : ", more than any buffer holds";
	return ampi_raise(c, MPI_ERR_COUNT, fn, "count is %lld%s", (long long)count, why);
}

int ampi_bad_buffer(struct ampi_comm *c, int fn, const void *buf)
{
	if (buf == MPI_IN_PLACE)
		return ampi_raise(c, MPI_ERR_BUFFER, fn, "buf is MPI_IN_PLACE, which this call does not take");
	return ampi_raise(c, MPI_ERR_BUFFER, fn, "buf is a null pointer, with a count above 0");
}

int ampi_bad_peer(const struct ampi_transfer *t, const char *name, int peer)
{
	return ampi_raise(t->comm, MPI_ERR_RANK, t->fn, "%s is %d, in a communicator of %d", name, peer, ampi_peer_count(t->comm));
}

int ampi_bad_tag(const struct ampi_transfer *t, int tag)
{
	return ampi_raise(t->comm, MPI_ERR_TAG, t->fn, "tag is %d", tag);
}

int ampi_bad_pointer(struct ampi_comm *c, int fn, const char *name)
{
	return ampi_raise(c, MPI_ERR_ARG, fn, "%s is a null pointer", name);
}

int ampi_receive_failed(struct ampi_comm *c, int fn, int error, MPI_Count count)
{
	if (error == MPI_ERR_TRUNCATE)
		return ampi_raise(c, error, fn, "the message is longer than the buffer of %lld elements", (long long)count);
	if (error == MPI_ERR_TYPE)
		return ampi_raise(c, error, fn, "the message ends inside of an element of the buffer's type");
	return error == MPI_ERR_NO_MEM ? ampi_no_memory(c, fn) : ampi_raise(c, error, fn, "the receive failed");
}
