/* Functions of the C library that pin a rank, pinning_calls.c. */
#ifndef VRANK_PINNING_H
#define VRANK_PINNING_H

#include "vrank/libc/bindings.h"

/* More of them: functions of the C library that leave behind what a rank cannot take along (pinning_calls.c), and where the library has the one
 * with this index, as an offset from a rank's images. PE stack, once. */
extern const struct vr_binding vr_pinning_bindings[];
void vr_pinning_place(int index, uint64_t place);

/* Where ranks share libraries there are more of them, with indices behind those, and places are addresses. NULL ends the names. */
extern const struct vr_binding vr_pinning_shared_bindings[];
const char *vr_pinning_name(int index);
int vr_pinning_has_place(int index);

#endif
