/*
 * What of the area can be touched: the blocks, in steps that double, and the mappings. The rest is closed, so that stray stores fault. Who opens
 * and closes memory is a function of the process; without one all is open.
 */
#include "heap_internal.h"

#define ISO_OPEN_MIN ((size_t)1 << 20) /* of the block area, at least */

static iso_heap_access access_change;

void iso_heap_on_access(iso_heap_access change)
{
	access_change = change;
}

/* How far to open for blocks that end at `top`: twice as far as they reach. */
static uintptr_t iso_access_goal(const struct iso_heap *h, uintptr_t top)
{
	size_t need = top + ISO_CHUNK_DATA - (uintptr_t)h;

	return iso_up((uintptr_t)h + (need < ISO_OPEN_MIN / 2 ? ISO_OPEN_MIN : 2 * need), ISO_PAGE);
}

void iso_access_init(struct iso_heap *h)
{
	uintptr_t goal = iso_access_goal(h, h->top);

	h->open = access_change && goal < h->end ? goal : h->end;
}

int iso_access_open(struct iso_heap *h, uintptr_t lo, uintptr_t hi)
{
	if (access_change && access_change(h, lo, hi, 1) != 0)
		return 0;
	h->changes++;
	return 1;
}

/* 0: it is as it was, and has to be emptied by other means. */
int iso_access_close(struct iso_heap *h, uintptr_t lo, uintptr_t hi)
{
	if (!access_change || access_change(h, lo, hi, 0) != 0)
		return 0;
	h->changes++;
	return 1;
}

/* Blocks are to reach to `top`, which is below the mappings. 1 when they can. */
int iso_access_extend(struct iso_heap *h, uintptr_t top)
{
	uintptr_t goal = iso_access_goal(h, top);

	if (goal > h->ceiling)
		goal = h->ceiling;
	if (goal > h->open) {
		if (!iso_access_open(h, h->open, goal))
			return 0;
		h->open = goal;
	}
	return 1;
}

/* Free memory at the end of the blocks has been given back: when little of what is open is in use, some is closed. */
void iso_access_shrink(struct iso_heap *h)
{
	uintptr_t goal = iso_access_goal(h, h->top);

	if (h->fresh <= goal && h->open > (uintptr_t)h && h->open - (uintptr_t)h > 2 * (goal - (uintptr_t)h) && iso_access_close(h, goal, h->open))
		h->open = goal;
}

static void iso_access_list(struct iso_range *out, size_t *n, size_t max, uintptr_t lo, uintptr_t hi)
{
	if (*n && (out[*n - 1].hi >= lo || *n == max))
		out[*n - 1].hi = hi > out[*n - 1].hi ? hi : out[*n - 1].hi;
	else
		out[(*n)++] = (struct iso_range){lo, hi};
}

size_t iso_heap_open(const struct iso_heap *h, struct iso_range *out, size_t max)
{
	size_t n = 0;

	iso_access_list(out, &n, max, iso_down((uintptr_t)h, ISO_PAGE), h->open);
	for (size_t i = 0; i < h->extents.count; i++)
		iso_access_list(out, &n, max, h->extents.at[i].lo, h->extents.at[i].hi);
	return n;
}

uint64_t iso_heap_changes(const struct iso_heap *h)
{
	return h->changes;
}

enum iso_place iso_heap_place(const struct iso_heap *h, uintptr_t addr)
{
	if (addr < h->top)
		return ISO_IN_BLOCKS;
	for (size_t i = 0; i < h->extents.count; i++)
		if (addr >= h->extents.at[i].lo && addr < h->extents.at[i].hi)
			return ISO_IN_MAPPING;
	return addr < h->ceiling ? ISO_PAST_BLOCKS : ISO_NOT_MAPPED;
}
