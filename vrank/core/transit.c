/* Ranks that have left their PE and not arrived at the next one: see vr_freeze.travelling. */
#include "vrank/core/transit.h"
#include "vrank/core/idle.h"

void vr_job_ring(void)
{
	for (int i = 0; i < vr_job->pes; i++)
		vr_pe_ring(&vr_job->pe[i]);
}

void vr_transit_begins(void)
{
	atomic_fetch_add(&vr_job->freeze.travelling, 1);
}

void vr_transit_ends(void)
{
	if (atomic_fetch_sub(&vr_job->freeze.travelling, 1) == 1 && vr_unlikely(atomic_load(&vr_job->freeze.wanted)))
		vr_job_ring();
}
