/* Before glibc 2.34 the C library reaches the thread library by a table of its own: addresses of functions, each mixed with the process's
 * pointer guard. A thread that has another guard would jump to nowhere when it locks a stream. The table has no name, but
 * no other words turn into addresses of that library's code when the guard is taken out. */
#include "privatize/libpthread/forwards.h"

#include <link.h>
#include <string.h>

struct search {
	uint64_t code, code_size; /* of libpthread.so.0 */
	uint64_t data, data_size; /* of libc.so.6: what stays writable */
	uint64_t protected_to;
};

static int is_named(const struct dl_phdr_info *info, const char *name)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	return !strcmp(slash ? slash + 1 : info->dlpi_name, name);
}

static int note_parts(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	int is_libc = is_named(info, "libc.so.6"), is_threads = is_named(info, "libpthread.so.0");
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + h->p_vaddr;
		if (is_threads && h->p_type == PT_LOAD && h->p_flags & PF_X)
			s->code = at, s->code_size = h->p_memsz;
		if (is_libc && h->p_type == PT_LOAD && h->p_flags & PF_W)
			s->data = at, s->data_size = h->p_memsz;
		if (is_libc && h->p_type == PT_GNU_RELRO)
			s->protected_to = at + h->p_memsz;
	}
	return 0;
}

static uint64_t mix(uint64_t v, uint64_t guard)
{
	v ^= guard;
	return v << 17 | v >> 47;
}

static uint64_t unmix(uint64_t v, uint64_t guard)
{
	return (v >> 17 | v << 47) ^ guard;
}

void priv_libpthread_forwards(uint64_t old_guard, uint64_t new_guard)
{
	struct search s = {0};
	dl_iterate_phdr(note_parts, &s);
	uint64_t end = (s.data + s.data_size) & -8ul, begin = s.data < s.protected_to && s.protected_to < end ? s.protected_to : s.data;
	for (uint64_t *w = (uint64_t *)((begin + 7) & -8ul); s.code_size && (uint64_t)w < end; w++) {
		uint64_t function = unmix(*w, old_guard);
		if (function - s.code < s.code_size)
			*w = mix(function, new_guard);
	}
}
