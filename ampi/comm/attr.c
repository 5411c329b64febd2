/* Attributes cached on objects of any kind (MPI 5.0 section 7.7). Callbacks run here, on the rank's own stack. */
#include "ampi/comm/attr.h"

struct ampi_keyval {
	uint32_t handle;
	int32_t refs; /* the program's and one for each attribute set */
	void *extra;
	ampi_copy_fn *copy;
	ampi_delete_fn *delete;
	int kind; /* enum ampi_kind of the objects that it is for */
	int freed;
};

static struct ampi_keyval *find_keyval(int keyval)
{
	return ampi_lookup(&ampi_me()->keyvals, AMPI_KEYVAL, (uint64_t)(uint32_t)keyval);
}

static void release_keyval(struct ampi_keyval *k)
{
	if (--k->refs)
		return;
	ampi_remove(&ampi_me()->keyvals, k->handle);
	vr_rank_free(vr_current, k);
}

int ampi_keyval_create(int fn, enum ampi_kind kind, void *copy, void *delete, void *extra, int *keyval)
{
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	struct ampi_keyval *k = vr_rank_calloc(vr_current, 1, sizeof *k);
	uint64_t h = k ? ampi_enter(vr_current, &ampi_me()->keyvals, AMPI_KEYVAL, k) : 0;
	if (!h) {
		vr_rank_free(vr_current, k);
		return ampi_no_memory(NULL, fn);
	}
	*k = (struct ampi_keyval){.handle = h, .refs = 1, .extra = extra, .copy = copy, .delete = delete, .kind = kind};
	*keyval = (int)h;
	return MPI_SUCCESS;
}

/* A key for objects of a kind. One that was freed lives on while it is set somewhere, and is got and deleted there by its number. */
static int is_alive(enum ampi_kind kind, int keyval)
{
	struct ampi_keyval *k = find_keyval(keyval);
	return k && k->kind == (int)kind;
}

/* One that may be set. */
static int is_key(enum ampi_kind kind, int keyval)
{
	return is_alive(kind, keyval) && !find_keyval(keyval)->freed;
}

static int bad_key(const struct ampi_culprit *at, int fn, enum ampi_kind kind, int keyval)
{
	struct ampi_keyval *k = find_keyval(keyval);
	if (keyval == MPI_KEYVAL_INVALID)
		return ampi_raise_on(at, MPI_ERR_KEYVAL, fn, "keyval is MPI_KEYVAL_INVALID");
	if (k && k->kind != (int)kind)
		return ampi_raise_on(at, MPI_ERR_KEYVAL, fn, "keyval %d is for objects of another kind", keyval);
	return ampi_raise_on(at, MPI_ERR_KEYVAL, fn, "keyval %d is not a key that the program made, or was freed", keyval);
}

int ampi_keyval_free(int fn, enum ampi_kind kind, int *keyval)
{
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	if (!is_alive(kind, *keyval)) {
		const struct ampi_culprit at = ampi_culprit_none(AMPI_COMM);
		return bad_key(&at, fn, kind, *keyval);
	}
	struct ampi_keyval *k = find_keyval(*keyval);
	if (!k->freed++)
		release_keyval(k);
	*keyval = MPI_KEYVAL_INVALID;
	return MPI_SUCCESS;
}

static struct ampi_attr **find_attr(struct ampi_attr **list, int keyval)
{
	while (*list && (*list)->keyval != keyval)
		list = &(*list)->next;
	return list;
}

static int call_delete(uint64_t object, struct ampi_attr *a)
{
	struct ampi_keyval *k = find_keyval(a->keyval);
	return k->delete ? k->delete(object, a->keyval, a->value, k->extra) : MPI_SUCCESS;
}

/* The link to attribute a, or to the end. */
static struct ampi_attr **link_of(struct ampi_attr **list, const struct ampi_attr *a)
{
	while (*list && *list != a)
		list = &(*list)->next;
	return list;
}

/* Deletes a, unless its delete function objects. That function may have changed the list, or deleted a itself. */
static int delete_one(struct ampi_attr **list, uint64_t object, struct ampi_attr *a)
{
	struct ampi_keyval *k = find_keyval(a->keyval);
	k->refs++; /* the function may free the key */
	int error = call_delete(object, a);
	struct ampi_attr **at = link_of(list, a);
	if (!error && *at) {
		*at = a->next;
		release_keyval(k);
		vr_rank_free(vr_current, a);
	}
	release_keyval(k);
	return error;
}

static int callback_failed(const struct ampi_holder *h, int error, const char *what, int keyval)
{
	return ampi_raise_on(&h->at, error, h->fn, "the %s function of key %d returned error %d", what, keyval, error);
}

int ampi_attr_set(const struct ampi_holder *h, int keyval, void *value)
{
	if (!is_key(h->kind, keyval))
		return bad_key(&h->at, h->fn, h->kind, keyval);
	struct ampi_attr *a = *find_attr(h->list, keyval);
	if (a) {
		int error = call_delete(h->object, a);
		if (error)
			return callback_failed(h, error, "delete", keyval);
		a = *find_attr(h->list, keyval);
	}
	if (a) {
		a->value = value;
		return MPI_SUCCESS;
	}
	a = vr_rank_alloc(vr_current, sizeof *a);
	if (!a)
		return ampi_raise_on(&h->at, MPI_ERR_NO_MEM, h->fn, "%s", vr_why_full(vr_current));
	*a = (struct ampi_attr){.next = *h->list, .keyval = keyval, .value = value};
	*h->list = a;
	find_keyval(keyval)->refs++;
	return MPI_SUCCESS;
}

int ampi_attr_get(const struct ampi_holder *h, int keyval, void *value, int *flag)
{
	if (!is_alive(h->kind, keyval))
		return bad_key(&h->at, h->fn, h->kind, keyval);
	struct ampi_attr *a = *find_attr(h->list, keyval);
	*flag = a != NULL;
	if (a)
		*(void **)value = a->value;
	return MPI_SUCCESS;
}

/* A key that was freed serves as long as its attribute is there. */
int ampi_attr_delete(const struct ampi_holder *h, int keyval)
{
	struct ampi_attr *a = *find_attr(h->list, keyval);
	if (!a && !is_alive(h->kind, keyval))
		return bad_key(&h->at, h->fn, h->kind, keyval);
	if (!a)
		return ampi_raise_on(&h->at, MPI_ERR_KEYVAL, h->fn, "keyval %d is not set on this object", keyval);
	int error = delete_one(h->list, h->object, a);
	return error ? callback_failed(h, error, "delete", keyval) : MPI_SUCCESS;
}

int ampi_attr_delete_all(struct ampi_attr **list, uint64_t object)
{
	while (*list) {
		int error = delete_one(list, object, *list);
		if (error)
			return error;
	}
	return MPI_SUCCESS;
}

#define DUP_FN ((ampi_copy_fn *)1) /* MPI_COMM_DUP_FN and kin */

static int copy_one(const struct ampi_attr *a, uint64_t from, struct ampi_attr **to)
{
	struct ampi_keyval *k = find_keyval(a->keyval);
	void *value = a->value;
	int flag = k->copy == DUP_FN;
	if (k->copy && k->copy != DUP_FN) {
		int error = k->copy(from, a->keyval, k->extra, a->value, &value, &flag);
		if (error)
			return error;
	}
	if (!flag)
		return MPI_SUCCESS;
	struct ampi_attr *n = vr_rank_alloc(vr_current, sizeof *n);
	if (!n)
		return MPI_ERR_NO_MEM;
	*n = (struct ampi_attr){.next = *to, .keyval = a->keyval, .value = value};
	*to = n;
	k->refs++;
	return MPI_SUCCESS;
}

/* Oldest first, so that the copy lists them in the same order. */
int ampi_attr_copy_all(const struct ampi_attr *from, uint64_t object, struct ampi_attr **to)
{
	if (!from)
		return MPI_SUCCESS;
	int error = ampi_attr_copy_all(from->next, object, to);
	return error ? error : copy_one(from, object, to);
}

int ampi_attrs_copy(struct ampi_comm *from, struct ampi_comm *to, int fn)
{
	(void)fn;
	return ampi_attr_copy_all(from->attrs, from->handle, &to->attrs);
}

int ampi_attrs_free(struct ampi_comm *c, int fn)
{
	(void)fn;
	return ampi_attr_delete_all(&c->attrs, c->handle);
}
