/* strerror and strsignal keep their texts in the thread's control block, which ranks of a worker share: here each rank has
 * its own. */
#include <stdio.h>
#include <string.h>

#include "bind.h"
#include "life.h"

#define ROOM 128

static char *text_of(char **at)
{
	if (!*at)
		*at = vr_rank_alloc(vr_current, ROOM);
	return *at;
}

char *vr_bind_strerror(int error)
{
	char *text = text_of(&vr_current->error_text);
	return text ? strerror_r(error, text, ROOM) : "out of memory";
}

char *vr_bind_strerror_l(int error, void *locale)
{
	(void)locale;
	return vr_bind_strerror(error);
}

char *vr_bind_strsignal(int signal)
{
	const char *known = sigdescr_np(signal);
	char *text = text_of(&vr_current->signal_text);
	if (known || !text)
		return (char *)(known ? known : "out of memory");
	snprintf(text, ROOM, "Unknown signal %d", signal);
	return text;
}
