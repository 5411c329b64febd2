/* Ranks that cannot be moved to another worker, and why. */
#include <stdarg.h>
#include <stdio.h>

#include "vrank/core/pin.h"

void vr_rank_pin(struct vr_rank *r, const char *why, ...)
{
	int32_t none = 0;
	if (!atomic_compare_exchange_strong(&r->is_pinned, &none, 1))
		return;
	va_list args;
	va_start(args, why);
	vsnprintf(r->pinned, sizeof r->pinned, why, args);
	va_end(args);
}
