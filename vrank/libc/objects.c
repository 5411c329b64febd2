/* What ld.so would tell a program about its loaded objects: thread-local addresses, unwind tables, names. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unwind.h>

#include "vrank/core/job.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/keys.h"
#include "vrank/libc/library.h"
#include "vrank/libc/objects.h"

const struct vr_object *vr_objects;
int vr_nobjects;

void vr_objects_set(const struct vr_object *o, int n)
{
	vr_objects = o;
	vr_nobjects = n;
}

static uint64_t images_at(uint64_t pc)
{
	uint64_t id = (pc - vr_job->slices) / vr_job->layout.slice_size;
	return vr_images_of(id);
}

const struct vr_object *vr_object_program(void)
{
	return vr_nobjects ? vr_objects : NULL;
}

int vr_object_is_program(const struct vr_object *o)
{
	return o && o == vr_objects;
}

/* One that the rank which pc belongs to has opened at run time. */
static const struct vr_object *opened_at(uint64_t pc, uint64_t images)
{
	const struct vr_layout *l = &vr_job->layout;
	uint64_t id = (pc - vr_job->slices) / l->slice_size, at = (pc - vr_job->slices) % l->slice_size;
	if (at < l->libraries || at - l->libraries >= l->libraries_size)
		return NULL;
	for (const struct vr_library *lib = vr_rank_of((int32_t)id)->libraries; lib; lib = lib->next)
		if (lib->image < 0 && pc - images - lib->object.offset < lib->object.span)
			return &lib->object;
	return NULL;
}

const struct vr_object *vr_object_find(uint64_t pc, uint64_t *images)
{
	if (!vr_job || pc < vr_job->slices || (pc - vr_job->slices) / vr_job->layout.slice_size >= (uint64_t)vr_job->ranks)
		return NULL; /* above the slices lies what ld.so has loaded */
	*images = images_at(pc);
	for (int i = 0; i < vr_nobjects; i++)
		if (pc - *images - vr_objects[i].offset < vr_objects[i].span)
			return &vr_objects[i];
	return opened_at(pc, *images);
}

int vr_host_find(uint64_t pc, struct vr_host_image *out)
{
	struct dl_find_object o;
	if (_dl_find_object((void *)pc, &o) || !o.dlfo_eh_frame)
		return 0;
	*out = (struct vr_host_image){.path = o.dlfo_link_map->l_name, .bias = o.dlfo_link_map->l_addr, .eh_frame_hdr = (uint64_t)o.dlfo_eh_frame};
	return 1;
}

void vr_objects_copy_tls(const struct vr_rank *r, char *tp)
{
	for (int i = 0; i < vr_nobjects; i++)
		if (vr_objects[i].tls_module)
			memcpy(tp - r->tls_offset[vr_objects[i].tls_module], (char *)r->images + vr_objects[i].tls_image, vr_objects[i].tls_filesz);
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

/* A resolver that runs while the images of a rank are made or taken over: the rank's block is not in place yet, and where another one's is. */
static void *tls_of_placing(const struct tls_index *i)
{
	const struct vr_rank *r = vr_placing;
	char *end = vr_job->layout.tls_size ? (char *)r : (char *)vr_pe->tp;
	return end - r->tls_offset[i->module] + i->offset;
}

void *vr_bind_tls_get_addr(void *index)
{
	const struct tls_index *i = index;
	if (vr_unlikely(!vr_current))
		return tls_of_placing(i);
	char *tp;
	__asm__("movq %%fs:0x10, %0" : "=r"(tp));
	uint64_t below = vr_current->tls_offset[i->module];
	if (vr_unlikely(!below))
		return (char *)vr_library_tls(i->module) + i->offset;
	return tp - below + i->offset;
}

typedef int (*find_function)(void *pc, struct dl_find_object *result);
typedef int (*iterate_function)(int (*callback)(struct dl_phdr_info *info, size_t size, void *data), void *data);

static iterate_function host_iterate(void)
{
	static iterate_function iterate;
	if (!iterate)
		iterate = (iterate_function)dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return iterate;
}

/* Fills a struct dl_find_object if its dlfo_map_start, which holds the address that is looked for, is of this object. */
static int fill_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct dl_find_object *r = data;
	uint64_t pc = (uint64_t)r->dlfo_map_start, low = UINT64_MAX, high = 0, frames = 0;
	int inside = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + h->p_vaddr;
		if (h->p_type == PT_GNU_EH_FRAME)
			frames = at;
		if (h->p_type != PT_LOAD)
			continue;
		low = at < low ? at : low;
		high = at + h->p_memsz > high ? at + h->p_memsz : high;
		inside |= pc - at < h->p_memsz;
	}
	if (!inside)
		return 0;
	*r = (struct dl_find_object){.dlfo_map_start = (void *)low, .dlfo_map_end = (void *)high, .dlfo_eh_frame = (void *)frames};
	return 1;
}

/* What _dl_find_object does, for ld.so before glibc 2.35. */
static int search_loaded(void *pc, struct dl_find_object *result)
{
	Dl_info name;
	*result = (struct dl_find_object){.dlfo_map_start = pc};
	if (!host_iterate()(fill_loaded, result) || !dladdr1(pc, &name, (void **)&result->dlfo_link_map, RTLD_DL_LINKMAP))
		return -1;
	return result->dlfo_eh_frame ? 0 : -1;
}

/* ld.so's, for what it has loaded: exceptions may pass through frames of the runtime. */
static int find_loaded(void *pc, struct dl_find_object *result)
{
	static find_function ask;
	if (!ask) {
		ask = (find_function)dlvsym(RTLD_NEXT, "_dl_find_object", "GLIBC_2.35");
		ask = ask ? ask : search_loaded;
	}
	return ask(pc, result);
}

static int find_unwind_object(void *pc, struct dl_find_object *r)
{
	uint64_t images;
	const struct vr_object *o = vr_object_find((uint64_t)pc, &images);
	if (!o)
		return find_loaded(pc, r);
	memset(r, 0, sizeof *r);
	r->dlfo_map_start = (void *)(images + o->offset);
	r->dlfo_map_end = (void *)(images + o->offset + o->span);
	r->dlfo_eh_frame = o->eh_frame_hdr ? (void *)(images + o->eh_frame_hdr) : NULL;
	return o->eh_frame_hdr ? 0 : -1;
}

/* A rank's C library has ld.so open libgcc_s for frames of its own that have something to clean up, as pthread_once has: so
 * what is thrown through them is handled in part by the worker's libgcc_s, which has to know about registers by then. It does
 * once it has looked at any stack. */
static _Unwind_Reason_Code stop(struct _Unwind_Context *context, void *unused)
{
	(void)context, (void)unused;
	return _URC_END_OF_STACK;
}

void vr_unwinder_prepare(uint64_t backtrace)
{
	if (backtrace)
		((_Unwind_Reason_Code(*)(_Unwind_Trace_Fn, void *))backtrace)(stop, NULL);
}

static void prepare_own(void)
{
	void *gcc = dlopen("libgcc_s.so.1", RTLD_NOW);
	vr_unwinder_prepare(gcc ? (uint64_t)dlsym(gcc, "_Unwind_Backtrace") : 0);
}

/* The worker's libgcc_s then asks for the program's frames, too: this definition comes before ld.so's. */
int _dl_find_object(void *pc, struct dl_find_object *result)
{
	return find_unwind_object(pc, result);
}

int vr_bind_dl_find_object(void *pc, void *result)
{
	static pthread_once_t prepared = PTHREAD_ONCE_INIT;
	pthread_once(&prepared, prepare_own);
	return find_unwind_object(pc, result);
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
	int stop = 0, count = vr_nobjects;
	for (const struct vr_library *l = first; l; l = l->next)
		count += l->image < 0;
	for (int i = 0; i < vr_nobjects && !stop; i++)
		stop = tell(&vr_objects[i], i ? vr_objects[i].name : "", count, callback, data);
	for (const struct vr_library *l = first; l && !stop; l = l->next)
		if (l->image < 0)
			stop = tell(&l->object, l->object.name, count, callback, data);
	return stop;
}
