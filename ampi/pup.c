/* What AMPI_Register_pup registers, see pup.h. AMPI's manual says what a function may do when: the same function is called three times. */
#include "ampi/pup.h"

#include "ampi/ampi.h"
#include "ampi/migrate.h"
#include "shim/pup.h"

struct ampi_pup_entry {
	MPI_PupFn fn;
	void *data;
	struct ampi_pup packed; /* data is NULL, but from packing to unpacking */
};

int ampi_AMPI_Register_pup(MPI_PupFn fn, void *data, int *idx)
{
	struct ampi_rank *me = ampi_me();
	struct ampi_pup_entry *more = vr_rank_realloc(vr_current, me->pups, (size_t)(me->npups + 1) * sizeof *more);
	if (!more)
		return ampi_raise(NULL, MPI_ERR_NO_MEM, AMPI_FN_AMPI_Register_pup, "no memory");
	me->pups = more;
	more[me->npups] = (struct ampi_pup_entry){.fn = fn, .data = data};
	*idx = me->npups++;
	ampi_is_told_changes();
	return MPI_SUCCESS;
}

int ampi_AMPI_Get_pup_data(int idx, void *data)
{
	struct ampi_rank *me = ampi_me();
	if (idx < 0 || idx >= me->npups)
		return ampi_raise(NULL, MPI_ERR_ARG, AMPI_FN_AMPI_Get_pup_data, "idx is %d, and AMPI_Register_pup was called %d times", idx, me->npups);
	*(void **)data = me->pups[idx].data;
	return MPI_SUCCESS;
}

/* ---- the calls ---- */

/* A function may register others, which moves the entries. */
static uint64_t call(int32_t i, const struct ampi_pup *way)
{
	struct ampi_pup p = *way;
	struct ampi_pup_entry e = ampi_me()->pups[i];
	if (e.fn)
		e.fn(&p, e.data);
	return p.at;
}

static int pack(int fn, int32_t i, int leaves)
{
	uint64_t size = call(i, &(struct ampi_pup){.mode = AMPI_PUP_SIZING});
	char *data = vr_rank_alloc(vr_current, size ? size : 1);
	if (!data)
		return ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	struct ampi_pup p = {.mode = AMPI_PUP_PACKING, .deletes = leaves, .size = size, .data = data};
	ampi_me()->pups[i].packed = p;
	uint64_t at = call(i, &p);
	if (at == size)
		return MPI_SUCCESS;
	return ampi_raise(NULL, MPI_ERR_OTHER, fn, "function %d of AMPI_Register_pup packs %llu bytes, and said %llu when it was asked for the size", i,
			  (unsigned long long)at, (unsigned long long)size);
}

static int unpack(int fn, int32_t i)
{
	struct ampi_pup p = ampi_me()->pups[i].packed;
	p.mode = AMPI_PUP_UNPACKING;
	p.deletes = 0;
	uint64_t at = call(i, &p);
	if (at == p.size)
		return MPI_SUCCESS;
	return ampi_raise(NULL, MPI_ERR_OTHER, fn, "function %d of AMPI_Register_pup unpacks %llu bytes of %llu", i, (unsigned long long)at,
			  (unsigned long long)p.size);
}

int ampi_pups_pack(int fn, int leaves)
{
	int error = MPI_SUCCESS;
	for (int32_t i = 0; !error && i < ampi_me()->npups; i++)
		error = pack(fn, i, leaves);
	return error;
}

void ampi_pups_drop(void)
{
	for (int32_t i = 0; i < ampi_me()->npups; i++) {
		vr_rank_free(vr_current, ampi_me()->pups[i].packed.data);
		ampi_me()->pups[i].packed.data = NULL;
	}
}

int ampi_pups_unpack(int fn)
{
	int error = MPI_SUCCESS;
	for (int32_t i = 0; i < ampi_me()->npups; i++) {
		int failed = ampi_me()->pups[i].packed.data ? unpack(fn, i) : MPI_SUCCESS;
		error = error ? error : failed;
	}
	ampi_pups_drop();
	return error;
}
