/* Definitions for unresolved.c, in a program without main. */
int nobody_has_this(void) { return 0; }
int nor_this(void) { return 0; }
