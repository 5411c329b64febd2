/* Which symbols of a rank's images the runtime takes over, see design "Bound to ours". */
#include "bind.h"

#include <sys/uio.h>

#include "life.h"

void vr_exit(int code);
ssize_t vr_bind_writev(int fd, const struct iovec *v, int n);

const struct vr_binding vr_bindings[] = {
	{"malloc", vr_bind_malloc},
	{"calloc", vr_bind_calloc},
	{"realloc", vr_bind_realloc},
	{"reallocarray", vr_bind_reallocarray},
	{"free", vr_bind_free},
	{"cfree", vr_bind_free},
	{"memalign", vr_bind_memalign},
	{"aligned_alloc", vr_bind_memalign},
	{"posix_memalign", vr_bind_posix_memalign},
	{"valloc", vr_bind_valloc},
	{"pvalloc", vr_bind_pvalloc},
	{"malloc_usable_size", vr_bind_malloc_usable_size},
	{"mmap", vr_bind_mmap},
	{"mmap64", vr_bind_mmap},
	{"munmap", vr_bind_munmap},
	{"mremap", vr_bind_mremap},
	{"exit", vr_exit},
	{"_exit", vr_rank_exit},
	{"_Exit", vr_rank_exit},
	{"quick_exit", vr_bind_quick_exit},
	{"on_exit", vr_bind_on_exit},
	{"__cxa_atexit", vr_bind_cxa_atexit},
	{"__cxa_finalize", vr_bind_cxa_finalize},
	{"__cxa_at_quick_exit", vr_bind_cxa_at_quick_exit},
	{"__cxa_thread_atexit_impl", vr_bind_cxa_thread_atexit},
	{"__tls_get_addr", vr_bind_tls_get_addr},
	{"_dl_find_object", vr_bind_dl_find_object},
	{"dl_iterate_phdr", vr_bind_dl_iterate_phdr},
	{"dladdr", vr_bind_dladdr},
	{"sleep", vr_bind_sleep},
	{"usleep", vr_bind_usleep},
	{"nanosleep", vr_bind_nanosleep},
	{"clock_nanosleep", vr_bind_clock_nanosleep},
	{"sched_yield", vr_bind_sched_yield},
	{"write", vr_bind_write},
	{"writev", vr_bind_writev},
	{"read", vr_bind_read},
	{"fork", vr_bind_fork},
	{"__fork", vr_bind_fork},
	{0, 0},
};
