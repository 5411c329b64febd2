/* Segments of a rank: the loaded parts of its program, of the libraries linked to that, and of those that it has opened since. All ranks of a job
 * have the first two alike, so these have numbers from the start. */
#include "codeseg/images.h"

#include <link.h>
#include <string.h>

#include "vrank/core/rank_memory.h"

/* What segments are made of. */
struct source {
	const struct vr_object *object;
	const struct vr_library *library; /* NULL: an image of the program */
	int image;
	const unsigned char *identity;
	uint64_t low; /* the page of its first address in the headers, which are not the file's where ld.so has loaded it */
};

struct list {
	struct cs_segment *segment; /* NULL: they are counted */
	uint32_t n;
};

static const ElfW(Phdr) *headers(const struct vr_rank *r, const struct vr_object *o)
{
	return o->phdrs ? (const ElfW(Phdr) *)(r->images + o->phdrs) : NULL;
}

/* Text that is written to is not what is in the file. */
static int is_changeable(const ElfW(Phdr) *h)
{
	return (h->p_flags & (PF_W | PF_X)) == (PF_W | PF_X);
}

static void fill(struct cs_segment *s, const struct vr_rank *r, const struct source *from, const ElfW(Phdr) *h, uint16_t number)
{
	const struct vr_library *l = from->library;
	*s = (struct cs_segment){.number = number, .image = from->image, .name = l ? l->object.name : NULL, .epoch = l ? l->epoch : 0};
	s->start = r->images + from->object->offset + h->p_vaddr - from->low;
	s->end = s->start + h->p_memsz;
	s->flags = (l && l->is_closed ? 0 : CS_ACTIVE) | (from->image == 0 ? CS_OWN : 0) | (h->p_flags & PF_X ? CS_CODE : 0);
	if (is_changeable(h))
		cs_identity_of_name(s->identity, from->object->name, number);
	else
		cs_identity(s->identity, from->identity, VR_IDENTITY, number);
}

static uint64_t lowest_page(const ElfW(Phdr) *h, uint64_t n)
{
	uint64_t low = UINT64_MAX;
	for (uint64_t i = 0; h && i < n; i++)
		if (h[i].p_type == PT_LOAD && h[i].p_vaddr < low)
			low = h[i].p_vaddr;
	return low & ~4095ull;
}

static void add(struct list *all, const struct vr_rank *r, struct source *from)
{
	const ElfW(Phdr) *h = headers(r, from->object);
	from->low = lowest_page(h, from->object->nphdrs);
	for (uint64_t i = 0; h && i < from->object->nphdrs; i++) {
		if (h[i].p_type != PT_LOAD || !h[i].p_memsz)
			continue;
		if (all->segment)
			fill(&all->segment[all->n], r, from, &h[i], i);
		all->n++;
	}
}

static void add_all(struct list *all, const struct vr_rank *r, unsigned char (*program)[VR_IDENTITY])
{
	for (int i = 0; i < vr_nobjects; i++)
		add(all, r, &(struct source){.object = &vr_objects[i], .image = i, .identity = program[i]});
	uint32_t numbered = all->n;
	for (uint32_t i = 0; all->segment && i < numbered; i++)
		all->segment[i].index = i + 1;
	for (const struct vr_library *l = vr_library_owner(r)->libraries; l; l = l->next)
		if (l->image < 0)
			add(all, r, &(struct source){.object = &l->object, .library = l, .image = -1, .identity = l->identity});
}

uint32_t cs_program_segments(const struct vr_rank *r)
{
	struct list all = {0};
	for (int i = 0; i < vr_nobjects; i++)
		add(&all, r, &(struct source){.object = &vr_objects[i]});
	return all.n;
}

const char *cs_segment_name(const struct cs_segment *s)
{
	return s->image >= 0 ? vr_objects[s->image].name : s->name;
}

/* ---- what is known of them ---- */

static void number(const struct cs_rank *c, struct cs_segment *s)
{
	for (uint32_t i = 0; i < c->nverified; i++) {
		const struct cs_verified *v = &c->verified[i];
		if (memcmp(v->identity, s->identity, CS_IDENTITY) || v->epoch != s->epoch)
			continue;
		if (s->index && v->group)
			continue; /* what all ranks know comes first */
		s->index = v->index;
		s->group = v->group;
	}
	for (uint32_t i = 0; i < c->nunlike; i++)
		if (!memcmp(c->unlike[i], s->identity, CS_IDENTITY))
			s->flags |= CS_UNLIKE;
}

static uint32_t last_index(const struct cs_rank *c, uint32_t last)
{
	for (uint32_t i = 0; i < c->nverified; i++)
		last = c->verified[i].index > last ? c->verified[i].index : last;
	return last;
}

static int learn_program(struct cs_rank *c)
{
	struct vr_rank *r = vr_current;
	if (c->program)
		return 0;
	if (!(c->program = vr_rank_calloc(r, vr_nobjects, VR_IDENTITY)))
		return -1;
	for (int i = 0; i < vr_nobjects; i++)
		vr_object_identity(i, c->program[i]);
	return 0;
}

struct cs_table *cs_rank_remake(struct cs_rank *c)
{
	struct vr_rank *r = vr_current;
	c->changes = &vr_library_owner(r)->library_changes;
	if (learn_program(c))
		return NULL;
	struct list all = {0};
	add_all(&all, r, c->program);
	uint32_t last = last_index(c, all.n), seen = *c->changes;
	all.segment = vr_rank_calloc(r, all.n + 1, sizeof *all.segment);
	void *memory = vr_rank_alloc(r, cs_table_size(all.n, last));
	if (!all.segment || !memory) {
		vr_rank_free(r, all.segment);
		vr_rank_free(r, memory);
		return NULL;
	}
	all.n = 0;
	add_all(&all, r, c->program);
	for (uint32_t i = 0; i < all.n; i++)
		number(c, &all.segment[i]);
	vr_rank_free(r, c->table);
	c->table = cs_table_make(memory, all.segment, all.n, last);
	c->seen = seen;
	vr_rank_free(r, all.segment);
	for (uint32_t i = 0; i < c->nverified; i++)
		cs_table_retire(c->table, c->verified[i].index);
	return c->table;
}

/* ---- agreements ---- */

static int has_room(void **list, uint32_t n, uint32_t *room, size_t size)
{
	if (n < *room)
		return 1;
	uint32_t more = *room ? 2 * *room : 16;
	void *larger = vr_rank_realloc(vr_current, *list, more * size);
	if (!larger)
		return 0;
	*list = larger;
	*room = more;
	return 1;
}

int cs_rank_verify(struct cs_rank *c, const struct cs_segment *s, uint32_t index, const void *group)
{
	struct cs_verified v = {.index = index, .epoch = s->epoch, .group = group};
	memcpy(v.identity, s->identity, CS_IDENTITY);
	if (!has_room((void **)&c->verified, c->nverified, &c->room, sizeof v))
		return -1;
	c->verified[c->nverified++] = v;
	return cs_rank_remake(c) ? 0 : -1;
}

int cs_rank_note_unlike(struct cs_rank *c, const struct cs_segment *s)
{
	if (s->flags & CS_UNLIKE)
		return 0;
	if (!has_room((void **)&c->unlike, c->nunlike, &c->unlike_room, sizeof *c->unlike))
		return -1;
	memcpy(c->unlike[c->nunlike++], s->identity, CS_IDENTITY);
	return cs_rank_remake(c) ? 0 : -1;
}
