/* The table of segments in words. */
#include "ampi/rpc/rpc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ampi_text_add(struct ampi_text *t, const char *fmt, ...)
{
	char *at = t->length < t->room ? t->at + t->length : NULL;
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(at, at ? t->room - t->length : 0, fmt, args);
	va_end(args);
	t->length += n;
}

static const char *colour_of(const struct cs_segment *s, const struct cs_segment *marked)
{
	if (s == marked)
		return "\x1b[32m";
	if (s->flags & CS_BAD)
		return "\x1b[31m";
	return s->flags & CS_VERIFIED ? "\x1b[36m" : "";
}

static void write_row(struct ampi_text *t, const struct cs_segment *s, const struct cs_segment *marked, int colour)
{
	const char *begin = colour ? colour_of(s, marked) : "";
	ampi_text_add(t, "[%d] %s%c ", vr_current->id, begin, s == marked ? '*' : ' ');
	for (int i = 0; i < CS_IDENTITY; i++)
		ampi_text_add(t, "%02x", s->identity[i]);
	ampi_text_add(t, " %3u %5u %5u 0x%02x 0x%012llx 0x%012llx %s%s\n", s->number, s->index, s->epoch, s->flags, (unsigned long long)s->start,
		      (unsigned long long)s->end, cs_segment_name(s), *begin ? "\x1b[0m" : "");
}

void ampi_rpc_write_table(struct ampi_text *t, struct ampi_rpc *s, const struct cs_segment *marked, int colour)
{
	const struct cs_table *all = cs_rank_table(&s->segments);
	ampi_text_add(t, "[%d]   %-40s seg index epoch flag start          end            name\n", vr_current->id, "hash");
	for (uint32_t i = 0; all && i < all->n; i++)
		write_row(t, &all->segment[i], marked, colour);
}

void ampi_rpc_print_table(struct ampi_rpc *s, const struct cs_segment *marked)
{
	struct ampi_text t = {0};
	ampi_rpc_write_table(&t, s, marked, 0);
	t = (struct ampi_text){.at = vr_rank_alloc(vr_current, t.length + 1), .room = t.length + 1};
	if (!t.at)
		return;
	ampi_rpc_write_table(&t, s, marked, 0);
	vr_out_write(vr_current->id, 2, t.at, t.length);
	vr_rank_free(vr_current, t.at);
}

/* ---- for the program ---- */

static void write_token(struct ampi_text *t, struct ampi_rpc *s, const void *pointer, const struct cs_segment **at)
{
	struct cs_token k = {0};
	char name[256];
	enum cs_outcome outcome = cs_tokenize(cs_rank_table(&s->segments), (uint64_t)pointer, 0, &k, at);
	vr_object_symbol((uint64_t)pointer, name, sizeof name);
	ampi_text_add(t, "[%d] pointer 0x%012llx %s%s%s\n", vr_current->id, (unsigned long long)pointer, cs_outcome_text(outcome),
		      *name ? ", symbol " : "", name);
	if (outcome != CS_OK)
		return;
	ampi_text_add(t, "[%d] token   0x%016llx", vr_current->id, (unsigned long long)k.word);
	if (!cs_token_is_short(k.word)) {
		ampi_text_add(t, " hash ");
		for (int i = 0; i < CS_IDENTITY; i++)
			ampi_text_add(t, "%02x", k.identity[i]);
		ampi_text_add(t, " epoch %u", k.epoch);
	}
	ampi_text_add(t, "\n");
}

static void write_cache(struct ampi_text *t, struct ampi_rpc *s)
{
	const struct cs_table *all = cs_rank_table(&s->segments);
	ampi_text_add(t, "[%d] place start          name\n", vr_current->id);
	for (int i = 0; i < CS_CACHE; i++) {
		const struct cs_segment *at = &all->segment[all->cache[i]];
		if (all->cache[i])
			ampi_text_add(t, "[%d] %5d 0x%012llx %s\n", vr_current->id, i, (unsigned long long)at->start, cs_segment_name(at));
	}
}

int ampi_AMPI_Rpc_debug_text(int what, const void *pointer, int color, char *text, size_t room, size_t *length)
{
	const int fn = AMPI_FN_AMPI_Rpc_debug_text;
	struct ampi_text t = {.at = text, .room = text ? room : 0};
	const struct cs_segment *at = NULL;
	int error = ampi_check_running(fn);
	if (error)
		return error;
	struct ampi_rpc *s = ampi_rpc_of(vr_current);
	if (!s || !cs_rank_table(&s->segments))
		return ampi_no_memory(NULL, fn);
	if (!length)
		return ampi_null(NULL, fn, "length");
	if (what < AMPI_RPC_POINTER || what > AMPI_RPC_CACHE)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "what is %d", what);
	if (what == AMPI_RPC_POINTER)
		write_token(&t, s, pointer, &at);
	if (what == AMPI_RPC_CACHE)
		write_cache(&t, s);
	else
		ampi_rpc_write_table(&t, s, at, color);
	*length = t.length;
	return MPI_SUCCESS;
}
