/*
 * Front lists: small blocks the program freed, kept whole by exact size. A list
 * that overflows gives half of its blocks to the bins; if it runs empty soon
 * after, it was too short, and may grow twice as long from then on.
 */
#include "heap_internal.h"

#define ISO_FRONT_START_BYTES ((size_t)64 << 10)
#define ISO_FRONT_LONGEST ((uint32_t)1 << 24)

void iso_front_init(struct iso_heap *h)
{
	for (size_t i = ISO_CHUNK_MIN / 16; i < ISO_FRONT_CLASSES; i++)
		h->front[i].limit = (uint32_t)(ISO_FRONT_START_BYTES / (i * 16));
}

/* The list was empty when the program asked. */
void iso_front_missed(struct iso_front *f)
{
	if (!f->flushed)
		return;
	f->flushed = 0;
	if (f->limit < ISO_FRONT_LONGEST)
		f->limit *= 2;
}

static void iso_front_flush(struct iso_heap *h, struct iso_front *f, uint32_t keep)
{
	size_t index = (size_t)(f - h->front);

	while (f->count > keep) {
		struct iso_chunk *c = iso_front_pop(h, index);
		if (c == NULL)
			return;
		iso_chunk_release(h, c);
	}
}

void iso_front_overflow(struct iso_heap *h, struct iso_front *f)
{
	iso_front_flush(h, f, f->count / 2);
	f->flushed = 1;
}

void iso_front_flush_all(struct iso_heap *h)
{
	for (size_t i = 0; i < ISO_FRONT_CLASSES; i++)
		iso_front_flush(h, &h->front[i], 0);
}

size_t iso_front_bytes(const struct iso_heap *h)
{
	size_t sum = 0;

	for (size_t i = 0; i < ISO_FRONT_CLASSES; i++)
		sum += (size_t)h->front[i].count * i * 16;
	return sum;
}

/* Gives the list up: where it leads from here nobody knows. */
struct iso_chunk *iso_front_damaged(struct iso_heap *h, struct iso_front *f)
{
	struct iso_chunk *c = f->head;

	f->head = NULL;
	f->count = 0;
	iso_debug_corrupt(h, iso_chunk_data(c), "free block was written to");
	return NULL;
}
