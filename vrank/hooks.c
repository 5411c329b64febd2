/* What the core calls of the rooms above it. */
#include "vrank/core/hooks.h"
#include "vrank/fault/fault.h"
#include "vrank/freeze/freeze.h"
#include "vrank/libc/directory.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/file_mapping.h"
#include "vrank/libc/preempt.h"
#include "vrank/libc/process.h"
#include "vrank/libc/protect.h"
#include "vrank/libc/signals.h"
#include "vrank/migrate/steal.h"
#include "vrank/migrate/stealable.h"
#include "vrank/p2p/p2p.h"

const struct vr_core_hooks vr_core_hooks = {
	.message = vr_p2p_handle,
	.fastbox = vr_p2p_fastbox,
	.job_made = vr_numbers_init,
	.enter_directory = vr_directory_enter,
	.enter_mask = vr_mask_enter,
	.is_mapped_file = vr_file_mapping_of,
	.protected_part = vr_protected_part,
	.poll_signals = vr_signals_poll,
	.signals_may_come = vr_signals_may_come,
	.refuse_child = vr_child_refuse,
	.is_fault_signal = vr_fault_is,
	.claim_signal = vr_signal_claim,
	.forgo_freeze = vr_freeze_forgo,
	.thread_waits = vr_preempt_begin,
	.thread_goes_on = vr_preempt_end,
	.steal = vr_steal_try,
	.others_offer = vr_stealable_exist,
	.stealable_turn = vr_stealable_turn,
	.stealable_retake = vr_stealable_retake,
};
