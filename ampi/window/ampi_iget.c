/* AMPI's gets without a buffer: the data waits in the request until AMPI_Iget_free (AMPI manual, "Extensions"). They need no epoch. */
#include "ampi/p2p/request.h"
#include "ampi/window/rma.h"
#include "iget.h"

struct iget {
	struct ampi_activity activity;
	int32_t source;
	int64_t bytes;
	char data[];
};

static void fill(MPI_Status *s, struct iget *g)
{
	ampi_status_set(s, g->source, IGET_TAG, g->bytes, (uint64_t)g->data, 0);
}

static int status(struct vr_request *r, MPI_Status *s)
{
	fill(s, r->extra);
	return MPI_SUCCESS;
}

static const struct ampi_request_class iget_class = {.status = status};

static struct iget *iget_of(MPI_Request h)
{
	struct vr_request *r = ampi_request(h);
	return r && r->kind == VR_REQ_COMPOUND && ampi_activity(r)->class == &iget_class ? r->extra : NULL;
}

/* Outside of the epochs of MPI. */
static int locate(struct ampi_rma *o, int fn, MPI_Win win, int rank, MPI_Aint disp, int64_t count, MPI_Datatype type)
{
	int error;
	*o = (struct ampi_rma){.win = ampi_win(win), .fn = fn, .rank = rank};
	if (!o->win)
		return ampi_bad_win(win, fn);
	if ((error = ampi_rma_check_type(o, "targ", count, type, &o->there.type)) || (error = ampi_win_check_rank(o->win, fn, "rank", rank)))
		return error;
	o->target = &o->win->member[rank];
	o->there.count = count;
	return ampi_rma_locate(o, disp);
}

/* The displacement and datatype of the origin say how the program will use the data. */
int ampi_AMPI_Iget(MPI_Aint orgdisp, int orgcnt, MPI_Datatype orgtype, int rank, MPI_Aint targdisp, int targcnt, MPI_Datatype targtype, MPI_Win win,
		   MPI_Request *request)
{
	const int fn = AMPI_FN_AMPI_Iget;
	struct ampi_rma o;
	(void)orgdisp, (void)orgcnt, (void)orgtype;
	int error = locate(&o, fn, win, rank, targdisp, targcnt, targtype);
	if (error)
		return error;
	int64_t bytes = targcnt * o.there.type->size;
	struct vr_request *r = ampi_request_make_part(&iget_class, sizeof(struct iget) + bytes, sizeof(struct iget));
	if (!r)
		return ampi_win_no_memory(o.win, fn);
	struct iget *g = r->extra;
	struct vr_data to = {g->data, bytes, vr_type_predefined((uint64_t)MPI_BYTE)};
	g->source = rank;
	g->bytes = bytes;
	if (ampi_rma_is_here(&o))
		ampi_rma_copy(to, ampi_rma_there(&o), bytes);
	else
		error = ampi_rma_remote_get(&o, to, bytes);
	if (error) {
		ampi_request_discard(r);
		return error;
	}
	r->flags |= VR_RQ_DONE;
	*request = ampi_request_handle(r);
	return MPI_SUCCESS;
}

static int bad_iget(int fn, MPI_Win win, MPI_Request h)
{
	const struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	return ampi_win_raise(w, MPI_ERR_REQUEST, fn, "request (handle 0x%lx) is not one that AMPI_Iget has given, or was freed", (unsigned long)h);
}

int ampi_AMPI_Iget_wait(MPI_Request *request, MPI_Status *s, MPI_Win win)
{
	struct iget *g = iget_of(*request);
	if (!g || !ampi_win(win))
		return bad_iget(AMPI_FN_AMPI_Iget_wait, win, *request);
	if (s != MPI_STATUS_IGNORE)
		fill(s, g);
	return MPI_SUCCESS;
}

int ampi_AMPI_Iget_free(MPI_Request *request, MPI_Status *s, MPI_Win win)
{
	(void)s;
	if (!iget_of(*request) || !ampi_win(win))
		return bad_iget(AMPI_FN_AMPI_Iget_free, win, *request);
	ampi_request_discard(ampi_request(*request));
	*request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}
