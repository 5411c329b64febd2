/* Tools in preloaded libraries: their MPI functions take the place of the runtime's in the table that a rank's program calls through. */
#include <string.h>

#include "shim/table.h"
#include "vrank/core/abort.h"
#include "vrank/core/rank_memory.h"
#include "vrank/libc/tools.h"
#include "vrank/p2p/p2p.h"

static const struct vr_tool *tools;
static int ntools;

void vr_tools_set(const struct vr_tool *list, int n)
{
	tools = list;
	ntools = n;
}

const void *vr_tools_table(struct vr_rank *r, const void *base)
{
	if (!ntools)
		return base;
	struct ampi_shim_table *t = vr_rank_alloc(r, sizeof *t);
	if (!t)
		vr_job_abort(1, "%s", vr_why_full(vr_current));
	memcpy(t, base, sizeof *t);
	for (int i = 0; i < ntools; i++)
		t->fn[tools[i].fn] = (void *)(r->images + tools[i].offset);
	return t;
}
