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

/* One that the rank which pc belongs to has opened at run time. */
static const struct vr_object *opened_at(uint64_t pc, uint64_t images)
{
	const struct vr_layout *l = &vr_job->layout;
	uint64_t id = (pc - vr_job->slices) / l->slice_size, at = (pc - vr_job->slices) % l->slice_size;
	if (id >= (uint64_t)vr_job->ranks || at < l->libraries || at - l->libraries >= l->libraries_size)
		return NULL;
	for (const struct vr_library *lib = vr_rank_of((int32_t)id)->libraries; lib; lib = lib->next)
		if (lib->image < 0 && pc - images - lib->object.offset < lib->object.span)
			return &lib->object;
	return NULL;
}

const struct vr_object *vr_object_find(uint64_t pc, uint64_t *images)
{
	if (pc < vr_job->slices)
		return NULL;
	*images = images_at(pc);
	for (int i = 0; i < nobjects; i++)
		if (pc - *images - objects[i].offset < objects[i].span)
			return &objects[i];
	return opened_at(pc, *images);
}

void vr_objects_copy_tls(const struct vr_rank *r, char *tp)
{
	for (int i = 0; i < nobjects; i++)
		if (objects[i].tls_module)
			memcpy(tp - r->tls_offset[objects[i].tls_module], (char *)r->images + objects[i].tls_image, objects[i].tls_filesz);
	for (const struct vr_library *l = vr_library_owner(r)->libraries; l; l = l->next)
		if (l->tls_offset)
			memcpy(tp - l->tls_offset, (char *)r->images + l->object.tls_image, l->object.tls_filesz);
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
	uint64_t below = vr_current->tls_offset[i->module];
	if (vr_unlikely(!below))
		return (char *)vr_library_tls(i->module) + i->offset;
	return tp - below + i->offset;
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

static int tell(const struct vr_object *o, const char *name, int count, int (*callback)(void *, size_t, void *), void *data)
{
	uint64_t images = vr_current->images;
	struct dl_phdr_info info = {.dlpi_addr = images + o->bias,
				    .dlpi_name = name,
				    .dlpi_phdr = (const ElfW(Phdr) *)(images + o->phdrs),
				    .dlpi_phnum = o->nphdrs,
				    .dlpi_adds = count,
				    .dlpi_tls_modid = o->tls_module};
	if (o->tls_module)
		info.dlpi_tls_data = vr_bind_tls_get_addr(&(struct tls_index){o->tls_module, 0});
	return callback(&info, sizeof info, data);
}

int vr_bind_dl_iterate_phdr(int (*callback)(void *info, size_t size, void *data), void *data)
{
	const struct vr_library *first = vr_library_owner(vr_current)->libraries;
	int stop = 0, count = nobjects;
	for (const struct vr_library *l = first; l; l = l->next)
		count += l->image < 0;
	for (int i = 0; i < nobjects && !stop; i++)
		stop = tell(&objects[i], i ? objects[i].name : "", count, callback, data);
	for (const struct vr_library *l = first; l && !stop; l = l->next)
		if (l->image < 0)
			stop = tell(&l->object, l->object.name, count, callback, data);
	return stop;
}
