/* A job that was saved while it was frozen goes on in other processes: its structures are made fit for them, once, before anybody
 * else uses them. Ranks then arrive as if they had moved. */
#ifndef VRANK_RESTART_H
#define VRANK_RESTART_H

#include "vrank/core/job.h"

/* So many PEs can the job have, whose descriptors lie below those of its ranks. */
static inline int vr_job_most_pes(const struct vr_job *job)
{
	return job->fd_count ? (job->fd_first - 64) / 3 : VR_MAX_PES;
}

/* PE 0, vr_job set, nobody else runs: the job has so many PEs from now on. With as many as before, ranks stay with theirs. */
void vr_job_restart(int pes);

/* PE stack: what the rank has in processes becomes this one's; its images are ready. NULL, or what is wrong. */
const char *vr_rank_restart(struct vr_rank *r);

/* PE stack: what this process has of a rank and its slice has not goes there, until vr_rank_attach, after which it is here again. NULL, or
 * why that cannot be. The rank's descriptors stay. */
const char *vr_rank_detach(struct vr_rank *r);
const char *vr_rank_attach(struct vr_rank *r);

#endif
