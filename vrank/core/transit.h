/* Ranks that have left their PE and not arrived at the next one: see vr_freeze.travelling. transit.c. */
#ifndef VRANK_TRANSIT_H
#define VRANK_TRANSIT_H

/* PE stack, or any that takes part in a move: a rank leaves its PE, and has arrived at the next one. */
void vr_transit_begins(void);
void vr_transit_ends(void);

/* Any thread of any worker: end the sleep of all PEs. */
void vr_job_ring(void);

#endif
