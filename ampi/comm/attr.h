/* Lists of attributes, the same for every kind of object. Rank stack; they call the program's functions. */
#ifndef AMPI_ATTR_H
#define AMPI_ATTR_H

#include "ampi/errhandler.h"

#define AMPI_KEYVAL 12 /* kind of a key's number, beside enum ampi_kind: keys are int, not handles */

struct ampi_attr {
	struct ampi_attr *next; /* newest first */
	int keyval;
	void *value;
};

/* The callbacks of communicators, datatypes and windows differ in the type of the handle only. */
typedef int ampi_copy_fn(uint64_t object, int keyval, void *extra, void *in, void *out, int *flag);
typedef int ampi_delete_fn(uint64_t object, int keyval, void *value, void *extra);

/* An object that has attributes. Its kind is that of the keys that fit: AMPI_COMM, AMPI_TYPE or AMPI_WIN. */
struct ampi_holder {
	enum ampi_kind kind;
	uint64_t object; /* handle */
	struct ampi_attr **list;
	struct ampi_culprit at; /* where errors are raised */
	int fn;
};

int ampi_keyval_create(int fn, enum ampi_kind kind, void *copy, void *delete, void *extra, int *keyval);
int ampi_keyval_free(int fn, enum ampi_kind kind, int *keyval);
int ampi_attr_set(const struct ampi_holder *h, int keyval, void *value);
int ampi_attr_get(const struct ampi_holder *h, int keyval, void *value, int *flag);
int ampi_attr_delete(const struct ampi_holder *h, int keyval);

/* AMPI's predefined attributes of communicators and windows, by which a worker is a process with one thread; NULL for others. */
const int *ampi_place_attr(int keyval);

/* Return what a callback returned, without raising it. */
int ampi_attr_delete_all(struct ampi_attr **list, uint64_t object);
int ampi_attr_copy_all(const struct ampi_attr *from, uint64_t object, struct ampi_attr **to);

#endif
