/* pthread_key_create and kin. The values of the C library lie in the thread's own control block, which ranks of a worker
 * share and the runtime uses too; so ranks get keys and values of their own, in their slices. */
#include <errno.h>
#include <stddef.h>

#include "vrank/core/rank_memory.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/keys.h"

#define KEYS 1024 /* PTHREAD_KEYS_MAX */

struct key {
	int used;
	void (*destructor)(void *);
};

struct vr_rank *vr_placing;

static struct vr_rank *owner(void)
{
	return vr_current ? vr_current : vr_placing;
}

static struct key *keys_of(struct vr_rank *r)
{
	if (!r)
		return NULL;
	if (!r->keys)
		r->keys = vr_rank_calloc(r, KEYS, sizeof(struct key));
	return r->keys;
}

static void ***values(void)
{
	static void **none;
	struct vr_rank *r = owner();
	return vr_thread ? &vr_thread->keys : r ? &r->key_values : &none;
}

int vr_bind_pthread_key_create(unsigned *key, void (*destructor)(void *))
{
	struct key *k = keys_of(owner());
	for (unsigned i = 0; k && i < KEYS; i++) {
		if (k[i].used)
			continue;
		k[i] = (struct key){1, destructor};
		*key = i;
		return 0;
	}
	return k ? EAGAIN : ENOMEM;
}

int vr_bind_pthread_key_delete(unsigned key)
{
	struct key *k = keys_of(owner());
	if (!k || key >= KEYS || !k[key].used)
		return EINVAL;
	k[key].used = 0;
	if (*values())
		(*values())[key] = NULL;
	return 0;
}

void *vr_bind_pthread_getspecific(unsigned key)
{
	void **v = *values();
	return v && key < KEYS ? v[key] : NULL;
}

int vr_bind_pthread_setspecific(unsigned key, const void *value)
{
	struct key *k = keys_of(owner());
	void ***v = values();
	if (!k || key >= KEYS || !k[key].used)
		return EINVAL;
	if (!*v && !(*v = vr_rank_calloc(owner(), KEYS, sizeof(void *))))
		return ENOMEM;
	(*v)[key] = (void *)value;
	return 0;
}

/* Destructors may set values again; POSIX asks for a few rounds. */
void vr_keys_end(void ***at)
{
	struct key *k = vr_current->keys;
	void **v = *at;
	if (!v)
		return;
	for (int round = 0, again = 1; again && round < 4; round++) {
		again = 0;
		for (unsigned i = 0; i < KEYS; i++) {
			void *value = v[i];
			v[i] = NULL;
			if (!value || !k[i].used || !k[i].destructor)
				continue;
			k[i].destructor(value);
			again = 1;
		}
	}
	vr_rank_free(vr_current, v);
	*at = NULL;
}
