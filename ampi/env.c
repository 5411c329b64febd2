/* Inquiries and memory (MPI 5.0 chapter 9): all answered on the rank's stack. */
#include "ampi.h"

#include <string.h>
#include <unistd.h>

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

int ampi_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	(void)info;
	if (size < 0)
		return ampi_raise(NULL, MPI_ERR_ARG, AMPI_FN_MPI_Alloc_mem, "size is %ld", (long)size);
	void *p = vr_rank_alloc(vr_current, size);
	if (!p)
		return ampi_raise(NULL, MPI_ERR_NO_MEM, AMPI_FN_MPI_Alloc_mem, "no room for %ld bytes: see +slice", (long)size);
	*(void **)baseptr = p;
	return MPI_SUCCESS;
}

int ampi_Free_mem(void *base)
{
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
