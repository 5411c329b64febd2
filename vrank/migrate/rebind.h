/* Taking over images that this process has mapped already, without Go: the addresses in them that belong to a process become this one's
 * (privatize.Rebinding). */
#ifndef VRANK_REBIND_H
#define VRANK_REBIND_H

#include "vrank/core/rank.h"

struct vr_rebind_entry {
	uint64_t value, recorded;
	uint32_t sites; /* that follow those of the entry before */
	uint16_t is_inside, is_answer;
};

struct vr_rebind_site {
	uint64_t at, addend;
};

/* Room for so many; Go fills it and then says `ready`. NULL without memory. */
struct vr_rebind_entry *vr_rebind_entries(int n);
struct vr_rebind_site *vr_rebind_sites(int n);
void vr_rebind_ready(uint64_t table);
int vr_rebind_is_ready(void);

/* PE stack: this process has the files' parts of the images of rank id, and keeps them. */
void vr_rebind_note(int32_t id);

/* PE stack: the rank's images become this process's. 0 where that needs Go. */
int vr_rebind(struct vr_rank *r);

#endif
