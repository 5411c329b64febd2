/* The variable of a shared library, for kinds.c. */
#ifndef KINDS_H
#define KINDS_H

extern int library_global;
int *library_static(void);

#endif
