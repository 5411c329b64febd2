/* Taking over images without Go: see rebind.h. */
#include "vrank/migrate/rebind.h"

#include <stdlib.h>

#include "vrank/core/job.h"
#include "vrank/core/xcomp.h"

static struct vr_rebind_entry *entries;
static struct vr_rebind_site *sites;
static int nentries, is_ready;
static uint64_t table;
static char *noted; /* by rank */

struct vr_rebind_entry *vr_rebind_entries(int n)
{
	nentries = n;
	return entries = calloc(n ? n : 1, sizeof *entries);
}

struct vr_rebind_site *vr_rebind_sites(int n)
{
	return sites = calloc(n ? n : 1, sizeof *sites);
}

void vr_rebind_ready(uint64_t at)
{
	table = at;
	is_ready = entries && sites;
}

int vr_rebind_is_ready(void)
{
	return is_ready;
}

void vr_rebind_note(int32_t id)
{
	if (!noted)
		noted = calloc(vr_job->ranks, 1);
	if (noted)
		noted[id] = 1;
}

/* A word that the program has changed since stays. */
static void replace(uint64_t *word, uint64_t was, uint64_t now)
{
	if (*word == was)
		*word = now;
}

int vr_rebind(struct vr_rank *r)
{
	if (!is_ready || !noted || !noted[r->id] || vr_xcomp_enter())
		return 0;
	uint64_t base = r->images, *record = (uint64_t *)(base + table);
	const struct vr_rebind_site *s = sites;
	for (int i = 0; i < nentries; s += entries[i++].sites) {
		const struct vr_rebind_entry *e = &entries[i];
		uint64_t was = record[i], now = e->is_inside ? base + e->value : e->value;
		if (was == e->recorded || (e->is_answer && !was))
			continue;
		for (uint32_t k = 0; k < e->sites; k++)
			replace((uint64_t *)(base + s[k].at), was + s[k].addend, now + s[k].addend);
		record[i] = e->recorded;
	}
	return 1;
}
