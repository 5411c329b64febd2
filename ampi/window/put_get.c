/* Put and get (MPI 5.0 sections 12.3.1 and 12.3.2), and their forms with requests (12.3.5), which are complete at once. */
#include "ampi/window/request.h"
#include "ampi/window/rma.h"

static inline int put(int fn, const void *origin, int64_t count, MPI_Datatype type, int target, MPI_Aint disp, int64_t target_count,
		      MPI_Datatype target_type, MPI_Win win)
{
	struct ampi_rma o;
	struct vr_data from;
	int error = ampi_rma_open(&o, fn, win, target, disp, target_count, target_type);
	if (vr_unlikely(error))
		return error == AMPI_RMA_NOTHING ? MPI_SUCCESS : error;
	if (vr_unlikely((error = ampi_rma_origin(&o, "origin", &from, origin, count, type))))
		return error;
	int64_t bytes = count * from.type->size, room = target_count * o.there.type->size;
	if (vr_unlikely(bytes > room))
		return ampi_rma_too_long(&o, bytes, room);
	if (vr_unlikely(!ampi_rma_is_here(&o)))
		return ampi_rma_remote_put(&o, from, bytes);
	ampi_rma_copy(ampi_rma_there(&o), from, bytes);
	return MPI_SUCCESS;
}

static inline int get(int fn, void *origin, int64_t count, MPI_Datatype type, int target, MPI_Aint disp, int64_t target_count,
		      MPI_Datatype target_type, MPI_Win win)
{
	struct ampi_rma o;
	struct vr_data to;
	int error = ampi_rma_open(&o, fn, win, target, disp, target_count, target_type);
	if (vr_unlikely(error))
		return error == AMPI_RMA_NOTHING ? MPI_SUCCESS : error;
	if (vr_unlikely((error = ampi_rma_origin(&o, "origin", &to, origin, count, type))))
		return error;
	int64_t bytes = target_count * o.there.type->size, room = count * to.type->size;
	if (vr_unlikely(bytes > room))
		return ampi_rma_too_long(&o, bytes, room);
	if (vr_unlikely(!ampi_rma_is_here(&o)))
		return ampi_rma_remote_get(&o, to, bytes);
	ampi_rma_copy(to, ampi_rma_there(&o), bytes);
	return MPI_SUCCESS;
}

#define OPERANDS(Count)                                                                                                                                      \
	Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, Count target_count, MPI_Datatype target_type, MPI_Win win

int ampi_Put(const void *origin, OPERANDS(int))
{
	return put(AMPI_FN_MPI_Put, origin, origin_count, origin_type, target, disp, target_count, target_type, win);
}

int ampi_Put_c(const void *origin, OPERANDS(MPI_Count))
{
	return put(AMPI_FN_MPI_Put_c, origin, origin_count, origin_type, target, disp, target_count, target_type, win);
}

int ampi_Get(void *origin, OPERANDS(int))
{
	return get(AMPI_FN_MPI_Get, origin, origin_count, origin_type, target, disp, target_count, target_type, win);
}

int ampi_Get_c(void *origin, OPERANDS(MPI_Count))
{
	return get(AMPI_FN_MPI_Get_c, origin, origin_count, origin_type, target, disp, target_count, target_type, win);
}

int ampi_Rput(const void *origin, OPERANDS(int), MPI_Request *request)
{
	int fn = AMPI_FN_MPI_Rput, error = ampi_rma_request_check(win, fn, target);
	return error ? error : ampi_rma_request(request, put(fn, origin, origin_count, origin_type, target, disp, target_count, target_type, win));
}

int ampi_Rput_c(const void *origin, OPERANDS(MPI_Count), MPI_Request *request)
{
	int fn = AMPI_FN_MPI_Rput_c, error = ampi_rma_request_check(win, fn, target);
	return error ? error : ampi_rma_request(request, put(fn, origin, origin_count, origin_type, target, disp, target_count, target_type, win));
}

int ampi_Rget(void *origin, OPERANDS(int), MPI_Request *request)
{
	int fn = AMPI_FN_MPI_Rget, error = ampi_rma_request_check(win, fn, target);
	return error ? error : ampi_rma_request(request, get(fn, origin, origin_count, origin_type, target, disp, target_count, target_type, win));
}

int ampi_Rget_c(void *origin, OPERANDS(MPI_Count), MPI_Request *request)
{
	int fn = AMPI_FN_MPI_Rget_c, error = ampi_rma_request_check(win, fn, target);
	return error ? error : ampi_rma_request(request, get(fn, origin, origin_count, origin_type, target, disp, target_count, target_type, win));
}
