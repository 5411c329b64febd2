/* What follows the argument of a call: short, since the smallest messages are the fastest. From the end on: the room for an answer in 4 bytes (all
 * ones: 8 bytes before have it), the token's word, then the rest of the token and the rank of the origin where they are needed. */
#include "ampi/rpc/rpc.h"

#include <string.h>

#define TOKEN_REST (sizeof(struct cs_token) - sizeof(uint64_t))

static void put(char **end, const void *data, size_t n)
{
	*end -= n;
	memcpy(*end, data, n);
}

uint32_t ampi_rpc_pack(const struct ampi_rpc_call *c, int is_world, char room[VR_LINE])
{
	char *at = room + VR_LINE;
	uint32_t capacity = c->capacity < UINT32_MAX ? c->capacity : UINT32_MAX;
	put(&at, &capacity, sizeof capacity);
	put(&at, &c->token.word, sizeof c->token.word);
	if (capacity == UINT32_MAX)
		put(&at, &c->capacity, sizeof c->capacity);
	if (!cs_token_is_short(c->token.word))
		put(&at, c->token.identity, TOKEN_REST);
	if (!is_world)
		put(&at, &c->origin, sizeof c->origin);
	return room + VR_LINE - at;
}

static int get(const char **end, int64_t *bytes, void *data, int64_t n)
{
	if (*bytes < n)
		return 0;
	*end -= n;
	*bytes -= n;
	memcpy(data, *end, n);
	return 1;
}

uint32_t ampi_rpc_unpack(struct ampi_rpc_call *c, int is_world, const char *end, int64_t bytes)
{
	const char *at = end;
	uint32_t capacity;
	if (!get(&at, &bytes, &capacity, sizeof capacity) || !get(&at, &bytes, &c->token.word, sizeof c->token.word))
		return 0;
	c->capacity = capacity;
	if (capacity == UINT32_MAX && !get(&at, &bytes, &c->capacity, sizeof c->capacity))
		return 0;
	if (!cs_token_is_short(c->token.word) && !get(&at, &bytes, c->token.identity, TOKEN_REST))
		return 0;
	if (!is_world && !get(&at, &bytes, &c->origin, sizeof c->origin))
		return 0;
	return end - at;
}
