/* Pointers and tokens, and what verification allows. */
#include "ampi/rpc/rpc.h"

#include <string.h>

#include "vrank/libc/process.h"

static int knows(const struct ampi_rpc_group *g, int32_t rank)
{
	int32_t low = 0, n = g->n;
	while (n > 0) {
		int32_t half = n / 2;
		if (g->world[low + half] == rank)
			return 1;
		if (g->world[low + half] < rank) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return 0;
}

const char *ampi_rpc_getenv(const char *name)
{
	size_t n = strlen(name);
	for (char **e = vr_environment(); e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

int ampi_rpc_enforces(struct ampi_rpc *s)
{
	if (vr_unlikely(!s->enforces_is_set)) {
		const char *value = ampi_rpc_getenv("AMPI_RPC_ENFORCE");
		s->enforces = value && !strcmp(value, "1");
		s->enforces_is_set = 1;
	}
	return s->enforces;
}

/* The table with the pointer's segment marked goes to standard error, as it says more than a line can. */
static int refuse(struct ampi_comm *c, int fn, struct ampi_rpc *s, const struct cs_segment *at, const void *pointer, const char *what)
{
	ampi_rpc_print_table(s, at);
	return ampi_raise(c, MPI_ERR_ARG, fn, "what is at %p %s", pointer, what);
}

int ampi_rpc_token(struct ampi_comm *c, int fn, const void *pointer, int32_t dest, int is_call, struct cs_token *out)
{
	struct ampi_rpc *s = ampi_rpc_of(vr_current);
	struct cs_table *t = s ? cs_rank_table(&s->segments) : NULL;
	const struct cs_segment *at;
	if (vr_unlikely(!t))
		return ampi_no_memory(c, fn);
	enum cs_outcome outcome = cs_tokenize(t, (uint64_t)pointer, 0, out, &at);
	if (vr_likely(at && at == t->primary))
		return MPI_SUCCESS;
	int is_known = at && at->index && (!at->group || dest < 0 || knows(at->group, dest));
	if (outcome == CS_OK && !is_known)
		outcome = cs_tokenize(t, (uint64_t)pointer, 1, out, NULL);
	if (outcome == CS_OK && is_call && !(at->flags & CS_CODE))
		outcome = CS_DATA;
	if (vr_unlikely(outcome != CS_OK))
		return refuse(c, fn, s, at, pointer, cs_outcome_text(outcome));
	if (vr_unlikely(!is_known && ampi_rpc_enforces(s)))
		return refuse(c, fn, s, at, pointer, "is in a segment that is not verified, and verification is enforced");
	return MPI_SUCCESS;
}

int ampi_AMPI_Token_make(const void *pointer, AMPI_Token *token)
{
	const int fn = AMPI_FN_AMPI_Token_make;
	int error = ampi_check_running(fn);
	if (error)
		return error;
	if (!token)
		return ampi_null(NULL, fn, "token");
	memset(token, 0, sizeof *token);
	return ampi_rpc_token(NULL, fn, pointer, -1, 0, (struct cs_token *)token);
}

int ampi_AMPI_Token_pointer(const AMPI_Token *token, void **pointer)
{
	const int fn = AMPI_FN_AMPI_Token_pointer;
	int error = ampi_check_running(fn);
	if (error)
		return error;
	if (!token || !pointer)
		return ampi_null(NULL, fn, token ? "pointer" : "token");
	struct ampi_rpc *s = ampi_rpc_of(vr_current);
	struct cs_table *t = s ? cs_rank_table(&s->segments) : NULL;
	uint64_t at;
	if (!t)
		return ampi_no_memory(NULL, fn);
	enum cs_outcome outcome = cs_resolve(t, (const struct cs_token *)token, &at);
	if (outcome != CS_OK)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "what token 0x%016llx means %s", (unsigned long long)token->word, cs_outcome_text(outcome));
	*pointer = (void *)at;
	return MPI_SUCCESS;
}

_Static_assert(sizeof(AMPI_Token) == sizeof(struct cs_token) && offsetof(AMPI_Token, epoch) == offsetof(struct cs_token, epoch), "one layout");
