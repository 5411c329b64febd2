/* What ld.so would tell a program about its loaded objects: thread-local addresses, unwind tables, names. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "bind.h"
#include "life.h"

static const struct vr_object *objects;
static int nobjects;

void vr_objects_set(const struct vr_object *o, int n)
{
	objects = o;
	nobjects = n;
}

static uint64_t images_at(uint64_t pc)
{
	uint64_t id = (pc - vr_job->slices) / vr_job->layout.slice_size;
	return vr_images_of(id);
}

int vr_object_is_program(const struct vr_object *o)
{
	return o && o == objects;
}

const struct vr_object *vr_object_find(uint64_t pc, uint64_t *images)
{
	if (pc < vr_job->slices)
		return NULL;
	*images = images_at(pc);
	for (int i = 0; i < nobjects; i++)
		if (pc - *images - objects[i].offset < objects[i].span)
			return &objects[i];
	return NULL;
}

void vr_objects_copy_tls(const struct vr_rank *r, char *tp)
{
	for (int i = 0; i < nobjects; i++)
		if (objects[i].tls_module)
			memcpy(tp - r->tls_offset[objects[i].tls_module], (char *)r->images + objects[i].tls_image, objects[i].tls_filesz);
}

uint64_t vr_tls_used(const struct vr_rank *r)
{
	uint64_t most = 0;
	for (int m = 0; m < VR_TLS_MODULES; m++)
		most = r->tls_offset[m] > most ? r->tls_offset[m] : most;
	return most;
}

struct tls_index {
	uint64_t module, offset;
};

void *vr_bind_tls_get_addr(void *index)
{
	const struct tls_index *i = index;
	char *tp;
	__asm__("movq %%fs:0x10, %0" : "=r"(tp));
	return tp - vr_current->tls_offset[i->module] + i->offset;
}

int vr_bind_dl_find_object(void *pc, void *result)
{
	struct dl_find_object *r = result;
	uint64_t images;
	const struct vr_object *o = vr_object_find((uint64_t)pc, &images);
	if (!o)
		return _dl_find_object(pc, result); /* the runtime itself: exceptions may pass through its frames */
	memset(r, 0, sizeof *r);
	r->dlfo_map_start = (void *)(images + o->offset);
	r->dlfo_map_end = (void *)(images + o->offset + o->span);
	r->dlfo_eh_frame = o->eh_frame_hdr ? (void *)(images + o->eh_frame_hdr) : NULL;
	return o->eh_frame_hdr ? 0 : -1;
}

int vr_bind_dl_iterate_phdr(int (*callback)(void *info, size_t size, void *data), void *data)
{
	uint64_t images = vr_current->images;
	int stop = 0;
	for (int i = 0; i < nobjects && !stop; i++) {
		const struct vr_object *o = &objects[i];
		struct dl_phdr_info info = {.dlpi_addr = images + o->bias,
					    .dlpi_name = i ? o->name : "",
					    .dlpi_phdr = (const ElfW(Phdr) *)(images + o->phdrs),
					    .dlpi_phnum = o->nphdrs,
					    .dlpi_adds = nobjects,
					    .dlpi_tls_modid = o->tls_module};
		if (o->tls_module)
			info.dlpi_tls_data = vr_bind_tls_get_addr(&(struct tls_index){o->tls_module, 0});
		stop = callback(&info, sizeof info, data);
	}
	return stop;
}

int vr_bind_dladdr(const void *addr, void *result)
{
	Dl_info *info = result;
	uint64_t images;
	const struct vr_object *o = vr_object_find((uint64_t)addr, &images);
	if (!o)
		return 0;
	*info = (Dl_info){.dli_fname = o->name, .dli_fbase = (void *)(images + o->offset)};
	return 1;
}
