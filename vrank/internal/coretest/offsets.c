/* Where the fields of the shared structures lie: offsetof as the core's compiler sees it. */
#include "vrank/internal/coretest/harness.h"

#include "vrank/core/job.h"
#include "vrank/core/switch.h"

#define F(object, field) {#object, #field, offsetof(struct object, field), sizeof(((struct object *)0)->field)}
#define WHOLE(object) {#object, "", alignof(struct object), sizeof(struct object)}

const struct ct_offset ct_offsets[] = {
	WHOLE(vr_rank), F(vr_rank, id), F(vr_rank, context.state), F(vr_rank, context.sp), F(vr_rank, context.run_next), F(vr_rank, switches),
	F(vr_rank, heap), F(vr_rank, slice), F(vr_rank, context.rank), F(vr_rank, magic), F(vr_rank, requests), F(vr_rank, free_requests),
	F(vr_rank, context.need), F(vr_rank, context.wait), F(vr_rank, context.call), F(vr_rank, inbox), F(vr_rank, pe), F(vr_rank, on_wake), F(vr_rank, wake_next),
	F(vr_rank, matcher), F(vr_rank, counters), F(vr_rank, threads),
	WHOLE(vr_pe), F(vr_pe, id), F(vr_pe, head), F(vr_pe, tail), F(vr_pe, timers), F(vr_pe, budget), F(vr_pe, free), F(vr_pe, nfree),
	F(vr_pe, pool_next), F(vr_pe, pool_end), F(vr_pe, switches), F(vr_pe, idle_ticks), F(vr_pe, tp), F(vr_pe, wake), F(vr_pe, inbox), F(vr_pe, asleep), F(vr_pe, core),
	F(vr_pe, watched), F(vr_pe, freed),
	WHOLE(vr_job), F(vr_job, magic), F(vr_job, layout), F(vr_job, slices), F(vr_job, ticks_per_second), F(vr_job, stop), F(vr_job, started),
	F(vr_job, next_context), F(vr_job, idle), F(vr_job, activity), F(vr_job, deadlock), F(vr_job, world_team), F(vr_job, arena_lock), F(vr_job, arena_next),
	{"vr_job", "pe", offsetof(struct vr_job, pe), 0},
	WHOLE(vr_env), F(vr_env, node), F(vr_env, source), F(vr_env, tag), F(vr_env, bytes), F(vr_env, inline_data), F(vr_env, sender),
	F(vr_env, bucket_next), F(vr_env, arrival_prev), {"vr_env", "data", offsetof(struct vr_env, data), 0},
	WHOLE(vr_request), F(vr_request, env), F(vr_request, rank), F(vr_request, flags),
	WHOLE(vr_work), F(vr_work, node),
	WHOLE(vr_frame), F(vr_frame, mxcsr), F(vr_frame, fpu_control), F(vr_frame, fpu_status), F(vr_frame, r15), F(vr_frame, r14), F(vr_frame, r13),
	F(vr_frame, r12), F(vr_frame, rbx), F(vr_frame, rbp), F(vr_frame, rip),
	{"constants", "VR_LINE", VR_LINE, 0}, {"constants", "VR_COLOURS", VR_COLOURS, 0}, {"constants", "VR_MPI_STATE", VR_MPI_STATE, 0},
	{"constants", "VR_CONTROL_BLOCK", VR_CONTROL_BLOCK, 0}, {"constants", "VR_NEAR_REQUESTS", VR_NEAR_REQUESTS, 0},
	{0, 0, 0, 0},
};
