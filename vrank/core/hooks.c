/* The words of hooks.h. */
#include "vrank/core/hooks.h"

int vr_directories, vr_masks, vr_have_threads, vr_stealable_on, vr_forked;
_Atomic int vr_signals_news, vr_timers_armed;
struct vr_steal_policy vr_steal_policy;
VR_THREAD_LOCAL int vr_vforked;
VR_THREAD_LOCAL struct vr_thread *vr_thread;
