/* The stack switch, switch_amd64.S. */
#ifndef VRANK_SWITCH_H
#define VRANK_SWITCH_H

#include <stdint.h>

/* Save this context's stack pointer in *save, go on with the one that was saved as load. */
void vr_switch(void **save, void *load);
void vr_switch_entry(void);

/* What vr_switch pops, lowest address first. */
struct vr_frame {
	uint32_t mxcsr;
	uint16_t fpu_control, fpu_status;
	uint64_t r15, r14, r13, r12, rbx, rbp;
	uint64_t rip;
};

#define VR_MXCSR_DEFAULT 0x1f80
#define VR_FPU_CONTROL_DEFAULT 0x37f

/* A stack pointer for vr_switch that starts fn(arg) on the stack ending at top (16-byte aligned). */
static inline void *vr_switch_prepare(void *top, void (*fn)(void *), void *arg)
{
	struct vr_frame *f = (struct vr_frame *)((char *)top - sizeof *f);
	*f = (struct vr_frame){.mxcsr = VR_MXCSR_DEFAULT, .fpu_control = VR_FPU_CONTROL_DEFAULT,
			       .r12 = (uint64_t)arg, .rbx = (uint64_t)fn, .rip = (uint64_t)vr_switch_entry};
	return f;
}

#endif
