/* Checking the arguments of collective calls; the text of an error names the argument. */
#include "ampi/coll/coll.h"

const struct ampi_names ampi_send_names = {"sendbuf", "sendcount", "sendtype"};
const struct ampi_names ampi_recv_names = {"recvbuf", "recvcount", "recvtype"};
const struct ampi_names ampi_one_names = {"buffer", "count", "datatype"};

int ampi_check_root(struct ampi_caller *c, int root)
{
	int n = ampi_peer_count(c->comm);
	if (vr_likely((uint32_t)root < (uint32_t)n) || (c->comm->is_inter && (root == MPI_ROOT || root == MPI_PROC_NULL)))
		return MPI_SUCCESS;
	if (c->comm->is_inter)
		return ampi_raise(c->comm, MPI_ERR_ROOT, c->fn, "root is %d: neither MPI_ROOT, nor MPI_PROC_NULL, nor a rank of the remote group of %d",
				  root, n);
	return ampi_raise(c->comm, MPI_ERR_ROOT, c->fn, "root is %d, in a communicator of %d", root, n);
}

int ampi_check_count(struct ampi_caller *c, const char *name, int64_t count)
{
	if (vr_likely(count >= 0))
		return MPI_SUCCESS;
	return ampi_raise(c->comm, MPI_ERR_COUNT, c->fn, "%s is %lld", name, (long long)count);
}

int ampi_check_type(struct ampi_caller *c, const char *name, MPI_Datatype handle, const struct vr_type **out)
{
	const struct vr_type *t = *out = ampi_type(handle);
	if (vr_likely(t && (t->flags & VR_TYPE_COMMITTED)))
		return MPI_SUCCESS;
	if (handle == MPI_DATATYPE_NULL)
		return ampi_raise(c->comm, MPI_ERR_TYPE, c->fn, "%s is MPI_DATATYPE_NULL", name);
	if (t)
		return ampi_raise(c->comm, MPI_ERR_TYPE, c->fn, "%s is not committed", name);
	return ampi_raise(c->comm, MPI_ERR_TYPE, c->fn, "%s (handle 0x%lx) is not a datatype, or was freed", name, (unsigned long)handle);
}

int ampi_no_in_place(struct ampi_caller *c, const char *name, const char *who)
{
	return ampi_raise(c->comm, MPI_ERR_BUFFER, c->fn, "%s is MPI_IN_PLACE, which %s", name, who);
}

static int check_buffer(struct ampi_caller *c, const char *name, const void *buf, int64_t count, const struct vr_type *type)
{
	if (vr_unlikely(buf == MPI_IN_PLACE))
		return ampi_no_in_place(c, name, "this call does not take here");
	/* Derived types may hold absolute addresses, relative to MPI_BOTTOM. */
	if (vr_unlikely(!buf && count && (type->flags & VR_TYPE_PREDEFINED)))
		return ampi_raise(c->comm, MPI_ERR_BUFFER, c->fn, "%s is a null pointer", name);
	return MPI_SUCCESS;
}

int ampi_check_data(struct ampi_caller *c, const struct ampi_names *n, const void *buf, int64_t count, MPI_Datatype handle,
		    const struct vr_type **out)
{
	int error;
	if ((error = ampi_check_count(c, n->count, count)) || (error = ampi_check_type(c, n->type, handle, out)))
		return error;
	return check_buffer(c, n->buf, buf, count, *out);
}

static int check_block(struct ampi_caller *c, const struct ampi_names *n, struct ampi_layout *l, int i)
{
	const struct vr_type *type;
	int64_t count = ampi_layout_count(l, i);
	int error;
	if (vr_unlikely(count < 0))
		return ampi_raise(c->comm, MPI_ERR_COUNT, c->fn, "%ss[%d] is %lld", n->count, i, (long long)count);
	if (!l->types)
		return MPI_SUCCESS;
	if ((error = ampi_check_type(c, n->type, l->types[i], &type)))
		return error;
	return MPI_SUCCESS;
}

/* A block of a null buffer that has data, and whose type and displacement cannot be absolute addresses. */
static int is_nowhere(struct ampi_layout *l, int i)
{
	const struct vr_type *type = l->types ? ampi_type(l->types[i]) : l->type;
	return (type->flags & VR_TYPE_PREDEFINED) && ampi_layout_count(l, i) && !(l->types && l->wide);
}

int ampi_check_layout(struct ampi_caller *c, const struct ampi_names *n, struct ampi_layout *l, MPI_Datatype handle)
{
	return ampi_check_blocks(c, n, l, handle, ampi_peer_count(c->comm));
}

int ampi_check_blocks(struct ampi_caller *c, const struct ampi_names *n, struct ampi_layout *l, MPI_Datatype handle, int blocks)
{
	int error;
	if (!l->counts)
		return ampi_check_data(c, n, l->base, l->count, handle, &l->type);
	if (!l->displs)
		return ampi_raise(c->comm, MPI_ERR_ARG, c->fn, "the displacements for %s are a null pointer", n->buf);
	if (!l->types && (error = ampi_check_type(c, n->type, handle, &l->type)))
		return error;
	for (int i = 0; i < blocks; i++) {
		if ((error = check_block(c, n, l, i)))
			return error;
		if (vr_unlikely(!l->base) && is_nowhere(l, i))
			return ampi_raise(c->comm, MPI_ERR_BUFFER, c->fn, "%s is a null pointer", n->buf);
	}
	return l->base == MPI_IN_PLACE ? ampi_no_in_place(c, n->buf, "this call does not take here") : MPI_SUCCESS;
}

int ampi_check_alias(struct ampi_caller *c, const void *send, int64_t send_count, const void *recv, int64_t recv_count)
{
	/* MPI_BOTTOM on both sides says nothing about where the data is. */
	if (vr_likely(send != recv || !send || !send_count || !recv_count))
		return MPI_SUCCESS;
	return ampi_raise(c->comm, MPI_ERR_BUFFER, c->fn, "sendbuf and recvbuf are the same: pass MPI_IN_PLACE");
}
