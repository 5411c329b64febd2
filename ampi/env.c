/* Inquiries and memory (MPI 5.0 chapter 9): all answered on the rank's stack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ampi/ampi.h"
#include "isomalloc/heap.h"

double ampi_Wtime(void)
{
	return vr_now() * 1e-9;
}

double ampi_Wtick(void)
{
	return 1e-9;
}

int ampi_Get_processor_name(char *name, int *length)
{
	if (gethostname(name, MPI_MAX_PROCESSOR_NAME - 1))
		strcpy(name, "localhost");
	name[MPI_MAX_PROCESSOR_NAME - 1] = 0;
	*length = (int)strlen(name);
	return MPI_SUCCESS;
}

int ampi_Get_version(int *version, int *subversion)
{
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return MPI_SUCCESS;
}

int ampi_Get_library_version(char *version, int *length)
{
	*length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "ampirun, virtual MPI ranks; MPI %d.%d", MPI_VERSION, MPI_SUBVERSION);
	return MPI_SUCCESS;
}

int ampi_Abi_get_version(int *major, int *minor)
{
	*major = MPI_ABI_VERSION;
	*minor = MPI_ABI_SUBVERSION;
	return MPI_SUCCESS;
}

int ampi_Get_address(const void *location, MPI_Aint *address)
{
	*address = (MPI_Aint)location;
	return MPI_SUCCESS;
}

MPI_Aint ampi_Aint_add(MPI_Aint base, MPI_Aint disp)
{
	return base + disp;
}

MPI_Aint ampi_Aint_diff(MPI_Aint a, MPI_Aint b)
{
	return a - b;
}

/* The one hint of the standard: at least what malloc gives, which is 16. */
static int alignment(MPI_Info info, size_t *align)
{
	const int fn = AMPI_FN_MPI_Alloc_mem;
	char value[32] = "";
	int flag = 0, error;
	char *end;
	*align = 16;
	if (info == MPI_INFO_NULL)
		return MPI_SUCCESS;
	error = ampi_serve_as(fn, AMPI_FN_MPI_Info_get,
			      (uint64_t[]){(uint64_t)info, (uint64_t)"mpi_minimum_memory_alignment", sizeof value - 1, (uint64_t)value, (uint64_t)&flag}, 5);
	if (error || !flag)
		return error;
	unsigned long n = strtoul(value, &end, 10);
	if (end == value || *end || !n || (n & (n - 1)) || n > 1ul << 30)
		return ampi_raise(NULL, MPI_ERR_INFO_VALUE, fn, "mpi_minimum_memory_alignment is \"%s\", not a power of two", value);
	*align = n < 16 ? 16 : n;
	return MPI_SUCCESS;
}

int ampi_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	const int fn = AMPI_FN_MPI_Alloc_mem;
	size_t align;
	if (vr_current->mpi_state != VR_MPI_RUNNING)
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	if (size < 0)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "size is %ld", (long)size);
	int error = alignment(info, &align);
	if (error)
		return error;
	void *p = iso_heap_memalign(vr_current->heap, align, size ? size : 1);
	if (!p)
		return ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "no room for %ld bytes: see +slice", (long)size);
	*(void **)baseptr = p;
	return MPI_SUCCESS;
}

static int is_mine(const void *p)
{
	uint64_t heap = vr_current->slice + vr_job->layout.heap;
	return (uint64_t)p >= heap && (uint64_t)p - heap < vr_job->layout.heap_size && (uint64_t)p % 16 == 0;
}

int ampi_Free_mem(void *base)
{
	const int fn = AMPI_FN_MPI_Free_mem;
	if (vr_current->mpi_state != VR_MPI_RUNNING)
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	if (base && !is_mine(base))
		return ampi_raise(NULL, MPI_ERR_BASE, fn, "base is %p, which MPI_Alloc_mem has not given", base);
	vr_rank_free(vr_current, base);
	return MPI_SUCCESS;
}

/* The standard leaves its meaning to profiling tools; without one it does nothing (MPI 5.0 section 15.2.4). */
int ampi_Pcontrol(const int level, ...)
{
	(void)level;
	return MPI_SUCCESS;
}

/* Handles and integers are the same numbers. */
#define INTS(X, type)                                                                                                               \
	int ampi_##X##_toint(type h)                                                                                                  \
	{                                                                                                                             \
		return (int)(intptr_t)h;                                                                                              \
	}                                                                                                                             \
	type ampi_##X##_fromint(int h)                                                                                                \
	{                                                                                                                             \
		return (type)(intptr_t)h;                                                                                             \
	}
INTS(Comm, MPI_Comm)
INTS(Errhandler, MPI_Errhandler)
INTS(File, MPI_File)
INTS(Group, MPI_Group)
INTS(Info, MPI_Info)
INTS(Message, MPI_Message)
INTS(Op, MPI_Op)
INTS(Request, MPI_Request)
INTS(Session, MPI_Session)
INTS(Type, MPI_Datatype)
INTS(Win, MPI_Win)
