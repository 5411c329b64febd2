/* Thread-local variables of ranks: every rank's block is used at the same place, just below the thread pointer of the PE
 * thread, inside a reserve that the worker's own executable declares. The rank that ran last stays loaded until another
 * one runs; then its bytes go to the TLS save area in its slice. */
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include "vrank/core/tls.h"
#include "vrank/core/tls_reserve.h"

/* tls_amd64.S: last in the executable's TLS segment, which ends at the thread pointer. vr_tls_setup checks. */
extern __thread char vr_tls_reserve[VR_TLS_RESERVE] __attribute__((tls_model("local-exec")));

struct vr_rank *vr_loaded;
uint64_t vr_tls_live;

static inline char *thread_pointer(void)
{
	char *tp;
	__asm__("movq %%fs:0x10, %0" : "=r"(tp)); /* pthread_self(), which glibc keeps at the thread pointer */
	return tp;
}

uint64_t vr_tls_reserve_size(void)
{
	return VR_TLS_RESERVE;
}

const char *vr_tls_setup(void)
{
	vr_pe->tp = (uint64_t)thread_pointer();
	if (vr_tls_reserve + VR_TLS_RESERVE != (char *)vr_pe->tp)
		return "the reserve for thread-local variables does not end at the thread pointer";
	return NULL;
}

/* ---- what threads pay for the reserve ----
 *
 * ld.so clears the block of every new thread, so each would touch the whole reserve. Who uses it fills it anyway, so ld.so is
 * told that the block ends before it: in its own record of the executable, among whose fields the block's image, sizes and
 * alignment stand side by side. Where they are not found, threads cost more. */

struct block {
	uint64_t image, file_size, size, align;
};

static int find_block(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_TLS)
			*(struct block *)out = (struct block){info->dlpi_addr + p->p_vaddr, p->p_filesz, p->p_memsz, p->p_align};
	}
	return 1; /* the executable comes first */
}

#define RECORD 1400 /* bytes of a record that are looked at: it has about 1,160 */

static void shorten_block(void)
{
	struct block b = {0};
	uint64_t *record = dlopen(NULL, RTLD_LAZY);
	dl_iterate_phdr(find_block, &b);
	for (size_t i = 0; record && b.size > VR_TLS_RESERVE && i < (RECORD - sizeof b) / 8; i++) {
		struct block *at = (struct block *)&record[i];
		if (at->image == b.image && at->file_size == b.file_size && at->size == b.size && at->align == b.align) {
			at->size -= VR_TLS_RESERVE;
			return;
		}
	}
}

/* Before there is any other thread. The first one never runs ranks. */
__attribute__((constructor)) static void spare_threads(void)
{
	uint64_t first = ((uint64_t)vr_tls_reserve + 4095) & -4096ul, end = ((uint64_t)vr_tls_reserve + VR_TLS_RESERVE) & -4096ul;
	shorten_block();
	madvise((void *)first, end - first, MADV_DONTNEED);
}
