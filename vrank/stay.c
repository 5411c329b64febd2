/* Functions of the C library that leave something of the process behind, inside the library, where nobody can take it along: maps of
 * files, libraries that ld.so loads for it, descriptors. The rank stays in its worker from then on. */
#include <locale.h>
#include <stddef.h>
#include <string.h>

#include "bind.h"
#include "life.h"

enum { SETLOCALE, NEWLOCALE, FIRST };

#define VR_STAYS(name, why) why,
static const char *const reasons[] = {
#include "stay_list.h"
};

#define COUNT (FIRST + sizeof reasons / sizeof reasons[0])

static uint64_t places[COUNT]; /* of the C library's functions, as offsets from a rank's images */

/* ---- locales: those other than C are maps of files ---- */

static void *own(int index)
{
	return (void *)(vr_current->images + places[index]);
}

static int is_other(const char *name)
{
	return strcmp(name, "C") && strcmp(name, "POSIX");
}

static void stay_for_locale(const char *name)
{
	vr_rank_pin(vr_current, "it has loaded the locale %.60s", name);
}

static char *stay_setlocale(int category, const char *name)
{
	char *(*set)(int, const char *) = own(SETLOCALE);
	char *now = set(category, name);
	if (name && now && is_other(now))
		stay_for_locale(now);
	return now;
}

static locale_t stay_newlocale(int mask, const char *name, locale_t base)
{
	locale_t (*make)(int, const char *, locale_t) = own(NEWLOCALE);
	locale_t l = make(mask, name, base);
	for (int i = 0; l && i < 13; i++)
		if (l->__names[i] && is_other(l->__names[i])) {
			stay_for_locale(l->__names[i]);
			break;
		}
	return l;
}

/* ---- all others ---- */

/* Called by the thunks: what they shall go on with. */
void *vr_stay(int index);

void *vr_stay(int index)
{
	vr_rank_pin(vr_current, "%s", reasons[index]);
	return own(FIRST + index);
}

#define VR_STAYS(name, why) void vr_stay_##name(void);
#include "stay_list.h"
#define VR_STAYS(name, why) {#name, vr_stay_##name},
const struct vr_binding vr_stay_bindings[COUNT + 1] = {
	{"setlocale", stay_setlocale},
	{"newlocale", stay_newlocale},
#include "stay_list.h"
	{0, 0},
};

void vr_stay_place(int index, uint64_t place)
{
	places[index] = place;
}
