/* Handle tables: objects of one kind of one rank by index. A slot that was freed is taken again as late as possible, so that a handle
 * which a program kept for too long names nothing, rather than something else. Datatypes are the exception: there are programs that
 * free one, make the like again, and go on with the old handle, since all MPI libraries give them the same one. */
#include "ampi/ampi.h"

#include <string.h>

#define FIRST_ROOM 16
#define MAX_ROOM 0x1000000u

void *ampi_lookup(const struct ampi_table *t, enum ampi_kind kind, uint64_t handle)
{
	uint32_t i = AMPI_INDEX(handle);
	return AMPI_IS(kind, handle) && i < t->room ? t->slot[i] : NULL;
}

static int grow(struct vr_rank *r, struct ampi_table *t)
{
	uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
	void **slot = room > MAX_ROOM ? NULL : vr_rank_realloc(r, t->slot, room * sizeof *slot);
	if (!slot)
		return -1;
	memset(slot + t->room, 0, (room - t->room) * sizeof *slot);
	t->slot = slot;
	t->next = t->room;
	t->room = room;
	return 0;
}

/* At most half of the slots are taken, so the next free one is near. */
uint64_t ampi_enter(struct vr_rank *r, struct ampi_table *t, enum ampi_kind kind, void *object)
{
	if (2 * t->used >= t->room && grow(r, t))
		return 0;
	while (t->slot[t->next])
		t->next = (t->next + 1) & (t->room - 1);
	uint32_t i = t->next;
	t->next = (i + 1) & (t->room - 1);
	t->slot[i] = object;
	t->used++;
	return AMPI_HANDLE(kind, i);
}

void ampi_remove(struct ampi_table *t, uint64_t handle)
{
	t->slot[AMPI_INDEX(handle)] = NULL;
	t->used--;
	if (AMPI_IS(AMPI_TYPE, handle))
		t->next = AMPI_INDEX(handle);
}
