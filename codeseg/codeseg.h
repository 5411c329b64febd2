/* Code segments and tokens: how a pointer into a program's images is named so that another rank finds what it points to.
 *
 * A rank's images lie at addresses of its own. A segment (a loaded part of an image) has the same identity in all ranks that have
 * loaded the same file, so a pointer is sent as a token: a segment and an offset in it. A segment that ranks have agreed on, or that all
 * have from the start, has a number, and its tokens are 8 bytes; other tokens carry the identity.
 *
 * A table is one block of memory without pointers to anything but itself and names. It is made anew when a rank opens or closes a library. */
#ifndef CODESEG_CODESEG_H
#define CODESEG_CODESEG_H

#include <stddef.h>
#include <stdint.h>

#define CS_IDENTITY 20
#define CS_INDEX_MAX 32767 /* 15 bits, and 0 says that there is none */
#define CS_OFFSET_BITS 48
#define CS_CACHE_BITS 9
#define CS_CACHE (1 << CS_CACHE_BITS)

enum {
	CS_ACTIVE = 1, /* it is open: pointers into it can be followed */
	CS_VERIFIED = 2, /* it has a number that others know */
	CS_UNLIKE = 4, /* it was compared, and some rank has none like it */
	CS_BAD = 8, /* another one has the same identity, or there is none */
	CS_OWN = 16, /* of the program itself */
	CS_CODE = 32, /* it can be executed */
};

struct cs_segment {
	uint64_t start, end; /* addresses in this rank */
	unsigned char identity[CS_IDENTITY];
	uint32_t epoch; /* how often it was opened again after it was closed */
	uint16_t number; /* of its program header */
	uint16_t flags;
	uint32_t index; /* 0: none */
	int32_t image; /* number of the program's image, -1 for a library opened at run time */
	const char *name; /* path of such a library */
	const void *group; /* ranks that know the number: whoever verifies says what that is; NULL: all */
};

/* 8 bytes travel where the word says so (cs_token_size), else all 32. */
struct cs_token {
	uint64_t word; /* bit 63: 0, then an offset in the program's code; or 1, 15 bits of index, 48 bits of offset */
	unsigned char identity[CS_IDENTITY];
	uint32_t epoch;
};

struct cs_table {
	uint32_t n, slots, indexes;
	const struct cs_segment *primary; /* the program's code, or NULL */
	struct cs_segment *segment; /* by address */
	uint64_t *start;
	uint32_t *slot; /* by identity: 1 + number of a segment */
	uint32_t *by_index; /* likewise; CS_GONE: it is closed, or was closed since */
	uint16_t cache[CS_CACHE]; /* by page: the segment that was found there last */
};
#define CS_GONE UINT32_MAX

/* Bytes that a table of n segments takes, with numbers up to `indexes`. */
size_t cs_table_size(uint32_t n, uint32_t indexes);

/* Make a table in so much memory. Flags and indexes of the list are taken over; those with the identity of another one become bad. */
struct cs_table *cs_table_make(void *memory, const struct cs_segment *list, uint32_t n, uint32_t indexes);

/* Say that a number belonged to something that is closed now. */
void cs_table_retire(struct cs_table *t, uint32_t index);

/* The segment that holds an address, or NULL. */
const struct cs_segment *cs_find(struct cs_table *t, uint64_t address);

/* The one with an identity, or NULL. */
const struct cs_segment *cs_find_identity(const struct cs_table *t, const unsigned char *identity);

/* Make an identity of what tells files apart, which is `size` bytes (CS_IDENTITY of them count), and the number of a program header. */
void cs_identity(unsigned char *out, const unsigned char *file, size_t size, uint16_t number);

/* The same from a name, for text that may differ from what is in the file. */
void cs_identity_of_name(unsigned char *out, const char *name, uint16_t number);

enum cs_outcome { CS_OK, CS_NOWHERE, CS_CLOSED, CS_STALE, CS_DUPLICATE, CS_OUTSIDE, CS_DATA };

/* What an outcome means, in words that follow "the function at 0x1234 " or "the token ". */
const char *cs_outcome_text(enum cs_outcome o);

static inline int cs_token_is_short(uint64_t word)
{
	return !(word >> 63) || (word >> CS_OFFSET_BITS & CS_INDEX_MAX);
}

static inline size_t cs_token_size(const struct cs_token *k)
{
	return cs_token_is_short(k->word) ? sizeof k->word : sizeof *k;
}

static inline uint32_t cs_cache_place(uint64_t address)
{
	return (address >> 12) * 0x9e3779b97f4a7c15u >> (64 - CS_CACHE_BITS);
}

static inline const struct cs_segment *cs_find_fast(struct cs_table *t, uint64_t address)
{
	const struct cs_segment *s = &t->segment[t->cache[cs_cache_place(address)]];
	if (__builtin_expect(address - s->start < s->end - s->start, 1))
		return s;
	return cs_find(t, address);
}

/* The token of an address that is in a segment without a number, or in none. */
enum cs_outcome cs_tokenize_slowly(const struct cs_segment *s, uint64_t address, struct cs_token *out);

/* The token of an address. `segment`, if it is not NULL, becomes the one that holds it. by_hash: the number is not to be used. */
static inline enum cs_outcome cs_tokenize(struct cs_table *t, uint64_t address, int by_hash, struct cs_token *out, const struct cs_segment **segment)
{
	const struct cs_segment *s = cs_find_fast(t, address);
	if (segment)
		*segment = s;
	if (__builtin_expect(s && s == t->primary, 1)) {
		out->word = address - s->start;
		return CS_OK;
	}
	if (__builtin_expect(s && s->index && !by_hash, 1)) {
		out->word = 1ull << 63 | (uint64_t)s->index << CS_OFFSET_BITS | (address - s->start);
		return CS_OK;
	}
	return cs_tokenize_slowly(s, address, out);
}

/* By identity, and whatever is not as it should be. */
enum cs_outcome cs_resolve_slowly(const struct cs_table *t, const struct cs_token *k, uint64_t *address);

/* The address that a token means here. Nothing is written on failure. */
static inline enum cs_outcome cs_resolve(const struct cs_table *t, const struct cs_token *k, uint64_t *address)
{
	uint64_t index = k->word >> CS_OFFSET_BITS & CS_INDEX_MAX, offset = k->word & ((1ull << CS_OFFSET_BITS) - 1);
	const struct cs_segment *s = NULL;
	if (!(k->word >> 63))
		s = k->word >> CS_OFFSET_BITS ? NULL : t->primary;
	else if (index && index < t->indexes && t->by_index[index] - 1 < t->n)
		s = &t->segment[t->by_index[index] - 1];
	if (__builtin_expect(!s || offset >= s->end - s->start, 0))
		return cs_resolve_slowly(t, k, address);
	*address = s->start + offset;
	return CS_OK;
}

#endif
