/* Accumulate and get_accumulate (MPI 5.0 sections 12.3.3 and 12.3.4), and their forms with requests. */
#include "ampi/window/accumulate.h"
#include "ampi/window/request.h"

/* A buffer of the origin as an array of elements that can be worked on. */
struct array {
	void *at;
	void *copy; /* in the slice, or NULL: it is the buffer itself */
};

static int is_array(struct vr_data d, const struct vr_type *element)
{
	if (!ampi_is_aligned((char *)d.buf + d.type->true_lb, element))
		return 0;
	return d.type == element || ((d.type->flags & VR_TYPE_CONTIGUOUS) && element->extent == element->size);
}

static int array_open(struct array *a, const struct ampi_rma *o, struct vr_data d, const struct ampi_combine *c)
{
	a->copy = NULL;
	a->at = (char *)d.buf + (d.type == c->element ? 0 : d.type->true_lb);
	if (vr_likely(is_array(d, c->element)))
		return MPI_SUCCESS;
	a->at = a->copy = vr_rank_alloc(vr_current, c->n * c->element->extent);
	return a->copy ? MPI_SUCCESS : ampi_win_no_memory(o->win, o->fn);
}

static struct vr_data elements_at(void *at, const struct ampi_combine *c)
{
	return (struct vr_data){at, c->n, c->element};
}

/* What the call combines with. */
static int array_read(struct array *a, const struct ampi_rma *o, struct vr_data d, const struct ampi_combine *c)
{
	int error = array_open(a, o, d, c);
	if (!error && vr_unlikely(a->copy != NULL))
		vr_type_copy(elements_at(a->at, c), d, c->n * c->element->size);
	return error;
}

static void array_close(struct array *a)
{
	if (vr_unlikely(a->copy != NULL))
		vr_rank_free(vr_current, a->copy);
}

static int check_length(const struct ampi_rma *o, struct vr_data d)
{
	int64_t has = d.count * d.type->size, wanted = o->there.count * o->there.type->size;
	return vr_unlikely(has != wanted) ? ampi_rma_too_long(o, has > wanted ? has : wanted, has > wanted ? wanted : has) : MPI_SUCCESS;
}

struct operand {
	const void *buf;
	int64_t count;
	MPI_Datatype type;
};

struct target {
	int rank;
	MPI_Aint disp;
	int64_t count;
	MPI_Datatype type;
	MPI_Op op;
	MPI_Win win;
};

static int operand_open(const struct ampi_rma *o, const char *whose, struct vr_data *d, const struct operand *from)
{
	int error = ampi_rma_origin(o, whose, d, from->buf, from->count, from->type);
	return error ? error : check_length(o, *d);
}

static int accumulate(int fn, const struct operand *origin, const struct target *t)
{
	struct ampi_rma o;
	struct ampi_combine c = {0};
	struct vr_data from;
	struct array in;
	int error = ampi_rma_open(&o, fn, t->win, t->rank, t->disp, t->count, t->type);
	if (vr_unlikely(error))
		return error == AMPI_RMA_NOTHING ? MPI_SUCCESS : error;
	if ((error = ampi_combine_open(&c, &o, t->op, 0)) || (error = operand_open(&o, "origin", &from, origin)) ||
	    (error = array_read(&in, &o, from, &c)))
		return error;
	c.in = in.at;
	error = ampi_combine_there(&o, &c);
	array_close(&in);
	return error;
}

/* The origin's operand is not looked at with MPI_NO_OP. */
static int get_accumulate(int fn, const struct operand *origin, const struct operand *result, const struct target *t)
{
	struct ampi_rma o;
	struct ampi_combine c = {0};
	struct vr_data from = {0}, to;
	struct array in = {0}, out;
	int error = ampi_rma_open(&o, fn, t->win, t->rank, t->disp, t->count, t->type);
	if (vr_unlikely(error))
		return error == AMPI_RMA_NOTHING ? MPI_SUCCESS : error;
	if ((error = ampi_combine_open(&c, &o, t->op, 1)) || (error = operand_open(&o, "result", &to, result)) ||
	    (t->op != MPI_NO_OP && (error = operand_open(&o, "origin", &from, origin))) || (t->op != MPI_NO_OP && (error = array_read(&in, &o, from, &c))))
		return error;
	if (!(error = array_open(&out, &o, to, &c))) {
		c.in = in.at;
		c.result = out.at;
		error = ampi_combine_there(&o, &c);
		if (out.copy)
			vr_type_copy(to, elements_at(out.copy, &c), c.n * c.element->size);
		array_close(&out);
	}
	array_close(&in);
	return error;
}

#define ORIGIN(Count) const void *origin_addr, Count origin_count, MPI_Datatype origin_type
#define RESULT(Count) void *result_addr, Count result_count, MPI_Datatype result_type
#define TARGET(Count) int target_rank, MPI_Aint target_disp, Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win
#define ORIGIN_ARGS (&(struct operand){origin_addr, origin_count, origin_type})
#define RESULT_ARGS (&(struct operand){result_addr, result_count, result_type})
#define TARGET_ARGS (&(struct target){target_rank, target_disp, target_count, target_type, op, win})

int ampi_Accumulate(ORIGIN(int), TARGET(int))
{
	return accumulate(AMPI_FN_MPI_Accumulate, ORIGIN_ARGS, TARGET_ARGS);
}

int ampi_Accumulate_c(ORIGIN(MPI_Count), TARGET(MPI_Count))
{
	return accumulate(AMPI_FN_MPI_Accumulate_c, ORIGIN_ARGS, TARGET_ARGS);
}

int ampi_Get_accumulate(ORIGIN(int), RESULT(int), TARGET(int))
{
	return get_accumulate(AMPI_FN_MPI_Get_accumulate, ORIGIN_ARGS, RESULT_ARGS, TARGET_ARGS);
}

int ampi_Get_accumulate_c(ORIGIN(MPI_Count), RESULT(MPI_Count), TARGET(MPI_Count))
{
	return get_accumulate(AMPI_FN_MPI_Get_accumulate_c, ORIGIN_ARGS, RESULT_ARGS, TARGET_ARGS);
}

int ampi_Raccumulate(ORIGIN(int), TARGET(int), MPI_Request *request)
{
	int fn = AMPI_FN_MPI_Raccumulate, error = ampi_rma_request_check(win, fn, target_rank);
	return error ? error : ampi_rma_request(request, accumulate(fn, ORIGIN_ARGS, TARGET_ARGS));
}

int ampi_Raccumulate_c(ORIGIN(MPI_Count), TARGET(MPI_Count), MPI_Request *request)
{
	int fn = AMPI_FN_MPI_Raccumulate_c, error = ampi_rma_request_check(win, fn, target_rank);
	return error ? error : ampi_rma_request(request, accumulate(fn, ORIGIN_ARGS, TARGET_ARGS));
}

int ampi_Rget_accumulate(ORIGIN(int), RESULT(int), TARGET(int), MPI_Request *request)
{
	int fn = AMPI_FN_MPI_Rget_accumulate, error = ampi_rma_request_check(win, fn, target_rank);
	return error ? error : ampi_rma_request(request, get_accumulate(fn, ORIGIN_ARGS, RESULT_ARGS, TARGET_ARGS));
}

int ampi_Rget_accumulate_c(ORIGIN(MPI_Count), RESULT(MPI_Count), TARGET(MPI_Count), MPI_Request *request)
{
	int fn = AMPI_FN_MPI_Rget_accumulate_c, error = ampi_rma_request_check(win, fn, target_rank);
	return error ? error : ampi_rma_request(request, get_accumulate(fn, ORIGIN_ARGS, RESULT_ARGS, TARGET_ARGS));
}
