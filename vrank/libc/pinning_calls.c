/* Functions of the C library that leave something of the process behind, inside the library, where nobody can take it along: libraries
 * that ld.so loads for it, descriptors. The rank stays in its worker from then on. Files that the library maps go along: redirect.c. */
#include <langinfo.h>
#include <locale.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "vrank/core/pin.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/bindings.h"
#include "vrank/libc/ldso.h"
#include "vrank/libc/pinning.h"
#include "vrank/libc/redirect.h"

enum { SETLOCALE, NEWLOCALE, MLOCKALL, FIRST };

#define VR_MAPS "it has maps of its C library's"

#define VR_PINNING_CALLS(name, why) why,
static const char *const reasons[] = {
#include "vrank/libc/pinning_calls.h"
#include "vrank/libc/pinning_calls_shared.h"
};
#undef VR_PINNING_CALLS

#define COUNT (FIRST + sizeof reasons / sizeof reasons[0])

static uint64_t places[COUNT]; /* of the functions, as offsets from a rank's images, or addresses where libraries are shared */

/* ---- locales: those other than C are maps of files, and their character sets may need libraries ---- */

static void *own(int index)
{
	return (void *)((vr_ldso ? 0 : vr_current->images) + places[index]);
}

static int is_other(const char *name)
{
	return strcmp(name, "C") && strcmp(name, "POSIX");
}

static int is_built_in(const char *charset)
{
	return !strcmp(charset, "UTF-8") || !strcmp(charset, "ANSI_X3.4-1968");
}

static void look_at(const char *name, const char *charset)
{
	if (!is_built_in(charset))
		vr_rank_pin(vr_current, "it has loaded the locale %.40s, and libraries for %.20s", name, charset);
}

static void prepare(const char *name)
{
	if (name && is_other(name) && vr_redirect())
		vr_rank_pin(vr_current, "it has loaded a locale, and its C library cannot be told how");
}

static char *pinning_setlocale(int category, const char *name)
{
	char *(*set)(int, const char *) = own(SETLOCALE);
	char *(*info)(nl_item) = (void *)vr_current->entry.libc[VR_LIBC_LANGINFO];
	prepare(name);
	char *now = set(category, name);
	if (name && now && is_other(now))
		look_at(now, info(CODESET));
	return now;
}

static locale_t pinning_newlocale(int mask, const char *name, locale_t base)
{
	locale_t (*make)(int, const char *, locale_t) = own(NEWLOCALE);
	char *(*info)(nl_item, locale_t) = (void *)vr_current->entry.libc[VR_LIBC_LANGINFO_L];
	prepare(name);
	locale_t l = make(mask, name, base);
	if (l && name && is_other(name))
		look_at(name, info(CODESET, l));
	return l;
}

/* Of the worker's memory most is not there, and would be made if it were to be locked at once. */
static int pinning_mlockall(int flags)
{
	vr_rank_pin(vr_current, "it has locked memory");
	return mlockall(flags | MCL_ONFAULT);
}

/* ---- all others ---- */

/* Called by the thunks: what they shall go on with. */
void *vr_stay(int index);

void *vr_stay(int index)
{
	if (strcmp(reasons[index], VR_MAPS) || vr_redirect())
		vr_rank_pin(vr_current, "%s", reasons[index]);
	return own(FIRST + index);
}

#define VR_PINNING_CALLS(name, why) void vr_pinning_##name(void);
#include "vrank/libc/pinning_calls.h"
#include "vrank/libc/pinning_calls_shared.h"
#undef VR_PINNING_CALLS

#define VR_PINNING_CALLS(name, why) {#name, vr_pinning_##name},
const struct vr_binding vr_pinning_bindings[] = {
	{"setlocale", pinning_setlocale},
	{"newlocale", pinning_newlocale},
	{"mlockall", pinning_mlockall},
#include "vrank/libc/pinning_calls.h"
	{0, 0},
};

const struct vr_binding vr_pinning_shared_bindings[] = {
#include "vrank/libc/pinning_calls_shared.h"
	{0, 0},
};
#undef VR_PINNING_CALLS

static const struct vr_binding *binding(int index)
{
	int n = sizeof vr_pinning_bindings / sizeof vr_pinning_bindings[0] - 1;
	return index < n ? &vr_pinning_bindings[index] : &vr_pinning_shared_bindings[index - n];
}

const char *vr_pinning_name(int index)
{
	return binding(index)->name;
}

void vr_pinning_place(int index, uint64_t place)
{
	places[index] = place;
}

int vr_pinning_has_place(int index)
{
	return places[index] != 0;
}
