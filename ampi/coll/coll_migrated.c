/* Members that are not on the PE of their part: they have moved since the team was last put into parts. What belongs to the part is touched
 * by its PE alone, so they have that do what members there do themselves. */
#include "ampi/coll/coll.h"

/* Work for the PE of a part, on the stack of a member that sleeps until it is done. */
struct remote_op {
	struct vr_work work;
	struct ampi_shm_coll *call;
	struct vr_context *context;
};

static void send_out(struct ampi_shm_coll *m, void (*run)(struct vr_work *))
{
	struct remote_op e = {.work.run = run, .call = m, .context = vr_context};
	vr_pe_post(m->part->pe, &e.work);
	ampi_shm_coll_rest(m);
}

static void arrive(struct vr_work *w)
{
	struct remote_op *e = (struct remote_op *)w;
	struct vr_context *context = e->context;
	e->call->part->resting.mixed = 1;
	if (!ampi_part_arrive(e->call, context))
		return;
	e->call->leads = 1;
	vr_rank_wake(context);
}

int ampi_migrated_arrive(struct ampi_shm_coll *m)
{
	atomic_store_explicit(&m->team->stale, 1, memory_order_relaxed);
	m->leads = 0;
	send_out(m, arrive);
	return m->leads;
}

/* The leader sleeps with the others, to be sure that the part has been released before it comes back. */
static void release(struct vr_work *w)
{
	struct remote_op *e = (struct remote_op *)w;
	struct ampi_part *p = e->call->part;
	vr_waitlist_join(&p->resting, e->context);
	p->resting.mixed = 1;
	ampi_part_release(p);
}

void ampi_migrated_release(struct ampi_shm_coll *m)
{
	send_out(m, release);
}
