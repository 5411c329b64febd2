/* Hints of communicators, and splits that an info object guides (MPI 5.0 sections 7.4.2 and 7.4.4). */
#include "ampi/comm/comm_make.h"

#include <string.h>
#include <strings.h>

int ampi_hints_take(struct ampi_comm *parent, int fn, struct ampi_comm *c, MPI_Info info)
{
	if (info == MPI_INFO_NULL)
		return MPI_SUCCESS;
	int klass = ampi_serve_class(AMPI_FN_COMM_HINTS, (uint64_t[]){(uint64_t)info, (uint64_t)&c->info}, 2);
	return klass ? ampi_raise(parent, klass, fn, "%s", vr_context->call.text) : MPI_SUCCESS;
}

int ampi_info_value(MPI_Info info, const char *key, char *value, int room)
{
	int found = 0;
	uint64_t args[] = {(uint64_t)info, (uint64_t)key, (uint64_t)&room, (uint64_t)value, (uint64_t)&found};
	if (info == MPI_INFO_NULL)
		return 0;
	return !ampi_serve_class(AMPI_FN_MPI_Info_get_string, args, 5) && found;
}

int ampi_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
	const int fn = AMPI_FN_MPI_Comm_set_info;
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	if (info == MPI_INFO_NULL)
		return ampi_raise(c, MPI_ERR_INFO, fn, "info is MPI_INFO_NULL");
	return ampi_hints_take(c, fn, c, info);
}

int ampi_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
	const int fn = AMPI_FN_MPI_Comm_get_info;
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	int klass = ampi_serve_class(AMPI_FN_COMM_INFO, (uint64_t[]){c->info, (uint64_t)info}, 2);
	return klass ? ampi_raise(c, klass, fn, "%s", vr_context->call.text) : MPI_SUCCESS;
}

/* ---- splitting by type ---- */

enum { ALL_TOGETHER, NONE = MPI_UNDEFINED };

/* All members are on this node, so they share memory. No hardware resource below the node is told apart. */
static int color_by_resource(MPI_Info info)
{
	char value[MPI_MAX_INFO_VAL + 1];
	int known = ampi_info_value(info, "mpi_hw_resource_type", value, sizeof value) && !strcmp(value, "mpi_shared_memory");
	return known ? ALL_TOGETHER : NONE;
}

static int color_by_pset(MPI_Info info)
{
	char value[MPI_MAX_INFO_VAL + 1];
	if (!ampi_info_value(info, "mpi_pset_name", value, sizeof value))
		return NONE;
	return !strcasecmp(value, "mpi://WORLD") ? ALL_TOGETHER : !strcasecmp(value, "mpi://SELF") ? 1 + vr_current->id : NONE;
}

/* 1: *color is set; 0: no such type. A split without a guide looks for a smaller resource than the one that all share; there is none. */
static int color_of_type(int split_type, MPI_Info info, int *color)
{
	*color = NONE;
	switch (split_type) {
	case MPI_COMM_TYPE_SHARED:
	case AMPI_COMM_TYPE_HOST:
		*color = ALL_TOGETHER;
		return 1;
	case AMPI_COMM_TYPE_PROCESS:
	case AMPI_COMM_TYPE_WTH:
		*color = 1 + vr_pe->id;
		return 1;
	case MPI_COMM_TYPE_HW_GUIDED:
		*color = color_by_resource(info);
		return 1;
	case MPI_COMM_TYPE_RESOURCE_GUIDED:
		*color = color_by_resource(info);
		if (*color == NONE)
			*color = color_by_pset(info);
		return 1;
	}
	return split_type == MPI_COMM_TYPE_HW_UNGUIDED || split_type == MPI_UNDEFINED;
}

int ampi_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
	struct ampi_shm_coll m;
	struct ampi_comm *c;
	int color, error = ampi_make_open(&m, AMPI_FN_MPI_Comm_split_type, comm, newcomm);
	if (error)
		return error;
	if (!color_of_type(split_type, info, &color))
		return ampi_raise(m.comm, MPI_ERR_ARG, m.fn, "split_type %d is not a type of the standard", split_type);
	if ((error = ampi_split_to_handle(&m, color, key, newcomm)) || !(c = ampi_comm(*newcomm)))
		return error;
	return ampi_hints_take(m.comm, m.fn, c, info);
}
