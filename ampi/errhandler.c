/* Error handlers: making, attaching and freeing them (MPI 5.0 section 9.3). */
#include "ampi/errhandler.h"

static int is_predefined(MPI_Errhandler h)
{
	return h == MPI_ERRORS_ARE_FATAL || h == MPI_ERRORS_RETURN || h == MPI_ERRORS_ABORT;
}

static struct ampi_errhandler *find_errhandler(MPI_Errhandler h)
{
	return ampi_lookup(&ampi_me()->errhandlers, AMPI_ERRHANDLER, (uint64_t)h);
}

/* One that the program may still name: objects may go on with a handler that it has freed. */
static struct ampi_errhandler *named(MPI_Errhandler h)
{
	struct ampi_errhandler *e = find_errhandler(h);
	return e && e->named ? e : NULL;
}

void ampi_errhandler_hold(uint64_t handle)
{
	struct ampi_errhandler *h = find_errhandler((MPI_Errhandler)handle);
	if (h)
		h->refs++;
}

void ampi_errhandler_release(uint64_t handle)
{
	struct ampi_errhandler *h = find_errhandler((MPI_Errhandler)handle);
	if (!h || --h->refs)
		return;
	ampi_remove(&ampi_me()->errhandlers, handle);
	vr_rank_free(vr_current, h);
}

int ampi_errhandler_create(int fn, enum ampi_kind kind, void *function, MPI_Errhandler *out)
{
	if (!function)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "the function is a null pointer");
	struct ampi_errhandler *h = vr_rank_calloc(vr_current, 1, sizeof *h);
	uint64_t handle = h ? ampi_enter(vr_current, &ampi_me()->errhandlers, AMPI_ERRHANDLER, h) : 0;
	if (!handle) {
		vr_rank_free(vr_current, h);
		return ampi_no_memory(NULL, fn);
	}
	*h = (struct ampi_errhandler){.handle = handle, .refs = 1, .named = 1, .kind = kind, .fn = function};
	*out = (MPI_Errhandler)handle;
	return MPI_SUCCESS;
}

static const char *kind_name(int kind)
{
	static const char *const names[] = {
		[AMPI_COMM] = "communicators", [AMPI_WIN] = "windows", [AMPI_FILE] = "files", [AMPI_SESSION] = "sessions"};
	return names[kind];
}

int ampi_errhandler_check(const struct ampi_culprit *at, int fn, MPI_Errhandler h)
{
	struct ampi_errhandler *e = named(h);
	if (is_predefined(h) || (e && e->kind == (int)at->kind))
		return MPI_SUCCESS;
	if (h == MPI_ERRHANDLER_NULL)
		return ampi_raise_on(at, MPI_ERR_ERRHANDLER, fn, "errhandler is MPI_ERRHANDLER_NULL");
	if (e)
		return ampi_raise_on(at, MPI_ERR_ERRHANDLER, fn, "errhandler is for %s, not for %s", kind_name(e->kind), kind_name(at->kind));
	return ampi_raise_on(at, MPI_ERR_ERRHANDLER, fn, "errhandler (handle 0x%lx) is not an error handler, or was freed", (unsigned long)h);
}

int ampi_errhandler_set(const struct ampi_culprit *at, int fn, uint64_t *place, MPI_Errhandler h)
{
	int error = ampi_errhandler_check(at, fn, h);
	if (error)
		return error;
	ampi_errhandler_hold((uint64_t)h);
	ampi_errhandler_release(*place);
	*place = (uint64_t)h;
	return MPI_SUCCESS;
}

int ampi_errhandler_get(uint64_t place, MPI_Errhandler *out)
{
	struct ampi_errhandler *h = find_errhandler((MPI_Errhandler)place);
	if (h) {
		h->refs++;
		h->named++;
	}
	*out = (MPI_Errhandler)place;
	return MPI_SUCCESS;
}

/* May be called before MPI_Init: sessions want handlers then. */
int ampi_Errhandler_free(MPI_Errhandler *h)
{
	const int fn = AMPI_FN_MPI_Errhandler_free;
	struct ampi_errhandler *e = named(*h);
	if (!e && !is_predefined(*h))
		return ampi_raise(NULL, MPI_ERR_ERRHANDLER, fn, "errhandler (handle 0x%lx) is not an error handler, or was freed", (unsigned long)*h);
	if (e) {
		e->named--;
		ampi_errhandler_release((uint64_t)*h);
	}
	*h = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}
