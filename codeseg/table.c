/* Tables of segments, and tokens: see codeseg.h. */
#include "codeseg/codeseg.h"

#include <string.h>

/* ---- identities ---- */

void cs_identity(unsigned char *out, const unsigned char *file, size_t size, uint16_t number)
{
	memset(out, 0, CS_IDENTITY);
	memcpy(out, file, size < CS_IDENTITY ? size : CS_IDENTITY);
	unsigned sum = (unsigned)out[CS_IDENTITY - 2] << 8 | out[CS_IDENTITY - 1];
	sum += number;
	out[CS_IDENTITY - 2] = sum >> 8;
	out[CS_IDENTITY - 1] = sum;
}

/* FNV-1a of 128 bits. */
void cs_identity_of_name(unsigned char *out, const char *name, uint16_t number)
{
	const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;
	unsigned __int128 h = (unsigned __int128)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * prime;
	cs_identity(out, (const unsigned char *)&h, sizeof h, number);
}

static int is_same(const unsigned char *a, const unsigned char *b)
{
	uint64_t x[2], y[2];
	uint32_t u, v;
	memcpy(x, a, sizeof x);
	memcpy(y, b, sizeof y);
	memcpy(&u, a + sizeof x, sizeof u);
	memcpy(&v, b + sizeof y, sizeof v);
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (u ^ v));
}

static uint32_t slot_of(const struct cs_table *t, const unsigned char *identity)
{
	uint64_t h;
	memcpy(&h, identity, sizeof h);
	uint32_t tail; /* segments of one file differ here */
	memcpy(&tail, identity + CS_IDENTITY - sizeof tail, sizeof tail);
	h = (h ^ tail) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 40) & (t->slots - 1);
}

/* ---- tables ---- */

static uint32_t slots_for(uint32_t n)
{
	uint32_t slots = 8;
	while (slots < 2 * n)
		slots *= 2;
	return slots;
}

size_t cs_table_size(uint32_t n, uint32_t indexes)
{
	return sizeof(struct cs_table) + (n + 1) * (sizeof(struct cs_segment) + sizeof(uint64_t)) + (slots_for(n) + indexes + 1) * sizeof(uint32_t);
}

static void insert_sorted(struct cs_table *t, const struct cs_segment *s)
{
	uint32_t at = t->n++;
	for (; at && t->segment[at - 1].start > s->start; at--)
		t->segment[at] = t->segment[at - 1];
	t->segment[at] = *s;
}

static void enter_identity(struct cs_table *t, uint32_t i)
{
	struct cs_segment *s = &t->segment[i];
	uint32_t at = slot_of(t, s->identity);
	for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
		struct cs_segment *other = &t->segment[t->slot[at] - 1];
		if (!is_same(other->identity, s->identity))
			continue;
		other->flags |= CS_BAD;
		s->flags |= CS_BAD;
		return;
	}
	t->slot[at] = i + 1;
}

static void enter_index(struct cs_table *t, uint32_t i)
{
	struct cs_segment *s = &t->segment[i];
	if (s->flags & CS_BAD || !(s->flags & CS_ACTIVE))
		s->index = 0;
	if (!s->index)
		return;
	s->flags |= CS_VERIFIED;
	t->by_index[s->index] = i + 1;
}

static int is_primary(const struct cs_segment *s)
{
	return (s->flags & (CS_OWN | CS_CODE | CS_ACTIVE)) == (CS_OWN | CS_CODE | CS_ACTIVE);
}

struct cs_table *cs_table_make(void *memory, const struct cs_segment *list, uint32_t n, uint32_t indexes)
{
	struct cs_table *t = memory;
	memset(t, 0, cs_table_size(n, indexes));
	t->slots = slots_for(n);
	t->indexes = indexes + 1;
	t->segment = (struct cs_segment *)(t + 1);
	t->start = (uint64_t *)(t->segment + n + 1); /* an empty segment ends the list: without any it is what the cache says */
	t->slot = (uint32_t *)(t->start + n + 1);
	t->by_index = t->slot + t->slots;
	for (uint32_t i = 0; i < n; i++)
		insert_sorted(t, &list[i]);
	for (uint32_t i = 0; i < n; i++) {
		t->start[i] = t->segment[i].start;
		enter_identity(t, i);
	}
	for (uint32_t i = 0; i < n; i++) {
		enter_index(t, i);
		if (!t->primary && is_primary(&t->segment[i]))
			t->primary = &t->segment[i];
	}
	return t;
}

void cs_table_retire(struct cs_table *t, uint32_t index)
{
	if (index < t->indexes && !t->by_index[index])
		t->by_index[index] = CS_GONE;
}

/* ---- finding ---- */

const struct cs_segment *cs_find(struct cs_table *t, uint64_t address)
{
	const uint64_t *base = t->start;
	uint32_t n = t->n;
	if (!n)
		return NULL;
	while (n > 1) {
		uint32_t half = n / 2;
		base += base[half] <= address ? half : 0; /* a conditional move: the way taken cannot be foreseen */
		n -= half;
	}
	const struct cs_segment *s = &t->segment[base - t->start];
	if (address - s->start >= s->end - s->start)
		return NULL;
	t->cache[cs_cache_place(address)] = (uint16_t)(s - t->segment);
	return s;
}

const struct cs_segment *cs_find_identity(const struct cs_table *t, const unsigned char *identity)
{
	for (uint32_t at = slot_of(t, identity); t->slot[at]; at = (at + 1) & (t->slots - 1)) {
		const struct cs_segment *s = &t->segment[t->slot[at] - 1];
		if (is_same(s->identity, identity))
			return s;
	}
	return NULL;
}

/* ---- tokens ---- */

enum cs_outcome cs_tokenize_slowly(const struct cs_segment *s, uint64_t address, struct cs_token *out)
{
	if (!s)
		return CS_NOWHERE;
	if (!(s->flags & CS_ACTIVE))
		return CS_CLOSED;
	if (s->flags & CS_BAD)
		return CS_DUPLICATE;
	out->word = 1ull << 63 | (address - s->start);
	memcpy(out->identity, s->identity, CS_IDENTITY);
	out->epoch = s->epoch;
	return CS_OK;
}

static enum cs_outcome resolve_identity(const struct cs_table *t, const struct cs_token *k, uint64_t *address)
{
	uint64_t offset = k->word & ((1ull << CS_OFFSET_BITS) - 1);
	const struct cs_segment *s = cs_find_identity(t, k->identity);
	if (!s)
		return CS_NOWHERE;
	if (s->flags & CS_BAD)
		return CS_DUPLICATE;
	if (!(s->flags & CS_ACTIVE))
		return CS_CLOSED;
	if (s->epoch != k->epoch)
		return CS_STALE;
	if (offset >= s->end - s->start)
		return CS_OUTSIDE;
	*address = s->start + offset;
	return CS_OK;
}

enum cs_outcome cs_resolve_slowly(const struct cs_table *t, const struct cs_token *k, uint64_t *address)
{
	if (!cs_token_is_short(k->word))
		return resolve_identity(t, k, address);
	if (!(k->word >> 63))
		return t->primary ? CS_OUTSIDE : CS_NOWHERE;
	uint64_t index = k->word >> CS_OFFSET_BITS & CS_INDEX_MAX;
	if (index >= t->indexes || !t->by_index[index])
		return CS_NOWHERE;
	return t->by_index[index] == CS_GONE ? CS_STALE : CS_OUTSIDE;
}

const char *cs_outcome_text(enum cs_outcome o)
{
	switch (o) {
	case CS_OK:
		return "is valid";
	case CS_NOWHERE:
		return "is in no segment of this rank";
	case CS_CLOSED:
		return "is in a library that this rank has closed";
	case CS_STALE:
		return "is from before its library was closed and opened again";
	case CS_DUPLICATE:
		return "is in a bad segment: another one has the same identity";
	case CS_DATA:
		return "is data, and not code";
	case CS_OUTSIDE:
		return "has an offset behind the end of its segment";
	}
	return "is unknown";
}
