/* Ranks that cannot touch each other's memory: see isolate.h. */
#include "vrank/core/isolate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vrank/core/access.h"
#include "vrank/core/hooks.h"

#define KEYS 16
#define IMAGES 128 /* writable parts of the image area */
#define PLAIN (PROT_READ | PROT_WRITE)

int vr_isolated;

static int closed; /* the key of slices that no rank may use */
static int nkeys;
static struct {
	int key;
	int64_t rank; /* whose it is in this process, or -1 */
} keys[KEYS];
static int8_t *place_of; /* by rank: its place in `keys` and 1, or 0 */

static uint64_t images[IMAGES][2];
static int nimages, stack_protection = PLAIN;

/* Threads of a process have what their creator had, and the first one begins without any key; so this comes before there are others. */
static void begin(int argc, char **argv, char **envp)
{
	(void)argc, (void)argv, (void)envp;
	if (vr_pkru_exists())
		vr_pkru_set(VR_PKRU_OPEN);
}
__attribute__((section(".preinit_array"), used)) static void (*const before_all)(int, char **, char **) = begin;

static int key_alloc(void)
{
	return (int)syscall(SYS_pkey_alloc, 0, 0);
}

const char *vr_isolate_setup(void)
{
	const struct vr_layout *l = &vr_job->layout;
	closed = vr_pkru_exists() ? key_alloc() : -1;
	if (closed < 0)
		return "the processor, or the system, has no protection keys";
	for (int key; nkeys < KEYS && (key = key_alloc()) > 0; nkeys++) {
		keys[nkeys].key = key;
		keys[nkeys].rank = -1;
	}
	place_of = calloc((size_t)vr_job->ranks, sizeof *place_of);
	if (!nkeys || !place_of)
		return nkeys ? strerror(ENOMEM) : "there is one protection key only";
	if (syscall(SYS_pkey_mprotect, vr_job->slices, (uint64_t)vr_job->ranks * l->slice_size, PLAIN, closed))
		return strerror(errno);
	vr_isolated = 1;
	return NULL;
}

void vr_isolate_images(const uint64_t *ranges, int n, int stack_has_code)
{
	nimages = n < IMAGES ? n : IMAGES;
	memcpy(images, ranges, (size_t)nimages * sizeof *images);
	stack_protection = stack_has_code ? PLAIN | PROT_EXEC : PLAIN;
}

/* ---- giving keys to memory ---- */

static void set_key(uint64_t lo, uint64_t hi, int protection, int key)
{
	if (lo < hi)
		syscall(SYS_pkey_mprotect, lo, hi - lo, protection, key); /* what fails stays as it is, and faults of its own rank are admitted */
}

/* Some of it may have another protection, which it keeps. What is said of a rank that is elsewhere does not matter here. */
static void set_key_of_part(const struct vr_rank *r, uint64_t lo, uint64_t hi, int key)
{
	struct iso_range special;
	int protection;
	while (lo < hi && r && (protection = vr_core_hooks.protected_part(r, lo, hi, &special)) >= 0) {
		set_key(lo, special.lo, PLAIN, key);
		set_key(special.lo, special.hi, protection, key);
		lo = special.hi;
	}
	set_key(lo, hi, PLAIN, key);
}

/* All that the rank may write to, but for libraries that it has opened at run time: their code lies between. */
static void set_key_of_slice(int64_t id, int key)
{
	const struct vr_layout *l = &vr_job->layout;
	const struct vr_rank *r = vr_rank_of((int32_t)id), *mine = vr_is_mine(r) ? r : NULL;
	uint64_t slice = vr_job->slices + (uint64_t)id * l->slice_size, libraries = slice + l->libraries, behind = libraries + l->libraries_size;
	struct iso_range parts[VR_ACCESS_SPANS];
	set_key(slice + l->stack, slice + l->images, stack_protection, key);
	for (int i = 0; i < nimages; i++)
		set_key(slice + l->images + images[i][0], slice + l->images + images[i][1], PLAIN, key);
	int n = vr_access_open(id, parts);
	for (int i = 0; i < n; i++) {
		set_key_of_part(mine, parts[i].lo, parts[i].hi < libraries ? parts[i].hi : libraries, key);
		set_key_of_part(mine, parts[i].lo > behind ? parts[i].lo : behind, parts[i].hi, key);
	}
}

void vr_isolate_libraries(const struct vr_rank *r)
{
	const struct vr_layout *l = &vr_job->layout;
	set_key(r->slice + l->libraries, r->slice + l->libraries + l->libraries_size, PLAIN, 0);
}

void vr_isolate_mapped(int64_t id, uint64_t lo, uint64_t hi)
{
	const struct vr_layout *l = &vr_job->layout;
	uint64_t slice = vr_job->slices + (uint64_t)id * l->slice_size;
	int place = place_of[id], is_library = lo >= slice + l->libraries && hi <= slice + l->libraries + l->libraries_size;
	if (is_library && vr_is_mine(vr_rank_of((int32_t)id)))
		return;
	set_key(lo, hi, PLAIN, place ? keys[place - 1].key : closed);
}

/* ---- giving keys to ranks ---- */

static int has_threads(int64_t id)
{
	const struct vr_rank *r = vr_rank_of((int32_t)id);
	return vr_is_mine(r) && atomic_load(&r->threads);
}

/* One that nobody has, or at random: where ranks run in turn the one that has waited longest is the next to run. Threads leave one over. */
static int choose(void)
{
	static uint32_t random;
	for (int i = 0; i < nkeys; i++)
		if (keys[i].rank < 0)
			return i;
	random = random * 1664525 + 1013904223;
	int at = (int)((uint64_t)random * (uint64_t)nkeys >> 32);
	while (has_threads(keys[at].rank))
		at = (at + 1) % nkeys;
	return at;
}

static int assign(int64_t id)
{
	int at = choose();
	if (keys[at].rank >= 0) {
		set_key_of_slice(keys[at].rank, closed);
		place_of[keys[at].rank] = 0;
	}
	keys[at].rank = id;
	place_of[id] = (int8_t)(at + 1);
	set_key_of_slice(id, keys[at].key);
	return at;
}

int vr_isolate_close(void)
{
	struct vr_rank *r = vr_current;
	if (vr_likely(!vr_isolated) || !r || vr_thread)
		return 0;
	int was_open = !vr_isolate_open(), at = place_of[r->id] - 1;
	if (vr_unlikely(at < 0))
		at = assign(r->id);
	vr_pkru_set(vr_pkru_only(keys[at].key));
	return was_open;
}

const char *vr_isolate_may_thread(void)
{
	int held = 0;
	if (!vr_isolated || atomic_load(&vr_current->threads))
		return NULL;
	int opened = vr_isolate_open();
	for (int i = 0; i < nkeys; i++)
		held += keys[i].rank >= 0 && has_threads(keys[i].rank);
	vr_isolate_restore(opened);
	return held < nkeys - 1 ? NULL : "threads of other ranks of its worker have all protection keys of +isolate: take more workers (+p)";
}

/* ---- what the runtime touches ---- */

static int64_t slice_at(uint64_t address)
{
	uint64_t at = address - vr_job->slices;
	return at < (uint64_t)vr_job->ranks * vr_job->layout.slice_size ? (int64_t)(at / vr_job->layout.slice_size) : -1;
}

/* What a rank may touch, or 0 while it has no key. */
static uint32_t own_of(int32_t id)
{
	return place_of[id] ? vr_pkru_only(keys[place_of[id] - 1].key) : 0;
}

static VR_THREAD_LOCAL uint32_t step_from; /* what the thread may touch but for the instruction that it carries out; or 0 */

/* Code of ranks lies in slices, that of the runtime does not. What is its own is never kept from code: the C library's handler that cancels threads
 * is that of the rank which has set it last, and it begins, like all handlers, with no key. */
int vr_isolate_admit(uint64_t address, ucontext_t *uc)
{
	int64_t id = slice_at(address), code = slice_at((uint64_t)uc->uc_mcontext.gregs[REG_RIP]);
	uint32_t has = vr_pkru_interrupted(uc), mine = vr_current ? own_of(vr_current->id) : 0;
	int is_own = vr_current && id == vr_current->id;
	if (id < 0 || (code >= 0 && code != id && !is_own))
		return 0;
	if (is_own && mine && has != mine) {
		vr_pkru_set_interrupted(uc, mine);
		return 1;
	}
	step_from = has;
	vr_pkru_set_interrupted(uc, VR_PKRU_OPEN);
	vr_step_set(uc, 1);
	return 1;
}

int vr_isolate_stepped(ucontext_t *uc)
{
	if (!step_from)
		return 0;
	vr_pkru_set_interrupted(uc, step_from);
	vr_step_set(uc, 0);
	step_from = 0;
	return 1;
}
