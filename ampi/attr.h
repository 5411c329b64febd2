/* Lists of attributes, the same for every kind of object. Rank stack; they call the program's functions. */
#ifndef AMPI_ATTR_H
#define AMPI_ATTR_H

#include <stdint.h>

struct ampi_comm;

#define AMPI_KEYVAL 12 /* kind of a key's number, beside enum ampi_kind: keys are int, not handles */

struct ampi_attr {
	struct ampi_attr *next; /* newest first */
	int keyval;
	void *value;
};

/* The callbacks of communicators, datatypes and windows differ in the type of the handle only. */
typedef int ampi_copy_fn(uint64_t object, int keyval, void *extra, void *in, void *out, int *flag);
typedef int ampi_delete_fn(uint64_t object, int keyval, void *value, void *extra);

/* c and fn say where errors are raised. */
int ampi_keyval_create(int fn, void *copy, void *delete, void *extra, int *keyval);
int ampi_keyval_free(int fn, int *keyval);
int ampi_attr_set(struct ampi_comm *c, int fn, struct ampi_attr **list, uint64_t object, int keyval, void *value);
int ampi_attr_get(struct ampi_comm *c, int fn, struct ampi_attr **list, int keyval, void *value, int *flag);
int ampi_attr_delete(struct ampi_comm *c, int fn, struct ampi_attr **list, uint64_t object, int keyval);

/* Return what a callback returned, without raising it. */
int ampi_attr_delete_all(struct ampi_attr **list, uint64_t object);
int ampi_attr_copy_all(const struct ampi_attr *from, uint64_t object, struct ampi_attr **to);

#endif
