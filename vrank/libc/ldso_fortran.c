/* Fortran's units where ranks share the library that has them. The standard units belong to all ranks; another one is that of the worker in which
 * it was opened, be it by a statement that only reads or writes. */
#include "vrank/core/pin.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/bindings.h"
#include "vrank/libc/ldso_fortran.h"

struct vr_fortran_library vr_fortran_library;

/* What gfortran's code gives to each such statement begins with this. */
struct statement {
	int32_t flags, unit;
};

static void begin(const struct statement *s)
{
	if (s->unit > 0 && s->unit != 5 && s->unit != 6)
		vr_rank_pin(vr_current, "it has opened unit %d of Fortran, which is its worker's", s->unit);
	vr_current->statements++;
}

typedef void (*function)(struct statement *s);

static void st_read(struct statement *s)
{
	begin(s);
	((function)vr_fortran_library.read)(s);
}

static void st_read_done(struct statement *s)
{
	((function)vr_fortran_library.read_done)(s);
	vr_current->statements--;
}

static void st_write(struct statement *s)
{
	begin(s);
	((function)vr_fortran_library.write)(s);
}

static void st_write_done(struct statement *s)
{
	((function)vr_fortran_library.write_done)(s);
	vr_current->statements--;
}

const struct vr_binding vr_fortran_bindings[] = {
	{"_gfortran_st_read", st_read},
	{"_gfortran_st_read_done", st_read_done},
	{"_gfortran_st_write", st_write},
	{"_gfortran_st_write_done", st_write_done},
	{0, 0},
};
