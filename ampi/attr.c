/* Attributes cached on communicators and datatypes (MPI 5.0 section 7.7). Callbacks run here, on the rank's own stack. */
#include "attr.h"

#include "ampi.h"

struct ampi_keyval {
	uint32_t handle;
	int32_t refs; /* the program's and one for each attribute set */
	void *extra;
	ampi_copy_fn *copy;
	ampi_delete_fn *delete;
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

int ampi_keyval_create(int fn, void *copy, void *delete, void *extra, int *keyval)
{
	struct ampi_keyval *k = vr_rank_calloc(vr_current, 1, sizeof *k);
	uint64_t h = k ? ampi_enter(vr_current, &ampi_me()->keyvals, AMPI_KEYVAL, k) : 0;
	if (!h)
		return ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	*k = (struct ampi_keyval){.handle = h, .refs = 1, .extra = extra, .copy = copy, .delete = delete};
	*keyval = (int)h;
	return MPI_SUCCESS;
}

int ampi_keyval_free(int fn, int *keyval)
{
	struct ampi_keyval *k = find_keyval(*keyval);
	if (!k || k->freed)
		return ampi_raise(NULL, MPI_ERR_KEYVAL, fn, "keyval %d is not a key, or was freed", *keyval);
	k->freed = 1;
	release_keyval(k);
	*keyval = MPI_KEYVAL_INVALID;
	return MPI_SUCCESS;
}

static struct ampi_attr **find(struct ampi_attr **list, int keyval)
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

/* Deletes *at, unless its delete function objects. */
static int delete_at(uint64_t object, struct ampi_attr **at)
{
	struct ampi_attr *a = *at;
	int error = call_delete(object, a);
	if (error)
		return error;
	*at = a->next;
	release_keyval(find_keyval(a->keyval));
	vr_rank_free(vr_current, a);
	return MPI_SUCCESS;
}

static int is_key(int keyval)
{
	struct ampi_keyval *k = find_keyval(keyval);
	return k && !k->freed;
}

int ampi_attr_set(struct ampi_comm *c, int fn, struct ampi_attr **list, uint64_t object, int keyval, void *value)
{
	if (!is_key(keyval))
		return ampi_raise(c, MPI_ERR_KEYVAL, fn, "keyval %d is not a key that can be set", keyval);
	struct ampi_attr *a = *find(list, keyval);
	if (a) {
		int error = call_delete(object, a);
		if (error)
			return ampi_raise(c, error, fn, "the delete function of key %d returned an error", keyval);
		a->value = value;
		return MPI_SUCCESS;
	}
	a = vr_rank_alloc(vr_current, sizeof *a);
	if (!a)
		return ampi_raise(c, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	*a = (struct ampi_attr){.next = *list, .keyval = keyval, .value = value};
	*list = a;
	find_keyval(keyval)->refs++;
	return MPI_SUCCESS;
}

int ampi_attr_get(struct ampi_comm *c, int fn, struct ampi_attr **list, int keyval, void *value, int *flag)
{
	if (!is_key(keyval))
		return ampi_raise(c, MPI_ERR_KEYVAL, fn, "keyval %d is not a key, or was freed", keyval);
	struct ampi_attr *a = *find(list, keyval);
	*flag = a != NULL;
	if (a)
		*(void **)value = a->value;
	return MPI_SUCCESS;
}

int ampi_attr_delete(struct ampi_comm *c, int fn, struct ampi_attr **list, uint64_t object, int keyval)
{
	struct ampi_attr **at = find(list, keyval);
	if (!is_key(keyval) || !*at)
		return ampi_raise(c, MPI_ERR_KEYVAL, fn, "keyval %d is not set here", keyval);
	int error = delete_at(object, at);
	return error ? ampi_raise(c, error, fn, "the delete function of key %d returned an error", keyval) : MPI_SUCCESS;
}

int ampi_attr_delete_all(struct ampi_attr **list, uint64_t object)
{
	while (*list) {
		int error = delete_at(object, list);
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
