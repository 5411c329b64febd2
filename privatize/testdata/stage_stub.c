/* Linked against, never loaded: the runtime provides what is in it, as it provides MPI. */
int stage_yield(void) { return 0; }
void stage_yield_(void) {}
