/* Handle tables: objects of one kind of one rank by index; free slots are reused, lowest first. */
#include "ampi.h"

#define FIRST_ROOM 16
#define MAX_ROOM 0x1000000u

void *ampi_lookup(const struct ampi_table *t, enum ampi_kind kind, uint64_t handle)
{
	uint32_t i = AMPI_INDEX(handle);
	return AMPI_IS(kind, handle) && i < t->n ? t->slot[i] : NULL;
}

static int grow(struct vr_rank *r, struct ampi_table *t)
{
	uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
	void **slot = room > MAX_ROOM ? NULL : vr_rank_realloc(r, t->slot, room * sizeof *slot);
	if (!slot)
		return -1;
	t->slot = slot;
	t->room = room;
	return 0;
}

uint64_t ampi_enter(struct vr_rank *r, struct ampi_table *t, enum ampi_kind kind, void *object)
{
	uint32_t i = t->first_free;
	while (i < t->n && t->slot[i])
		i++;
	if (i == t->room && grow(r, t))
		return 0;
	if (i == t->n)
		t->n++;
	t->slot[i] = object;
	t->first_free = i + 1;
	return AMPI_HANDLE(kind, i);
}

void ampi_remove(struct ampi_table *t, uint64_t handle)
{
	uint32_t i = AMPI_INDEX(handle);
	t->slot[i] = NULL;
	if (i < t->first_free)
		t->first_free = i;
}
