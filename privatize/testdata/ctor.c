/* Something to initialise. */
static int ready;
static __attribute__((constructor)) void begin(void) { ready = 1; }
int main(void) { return !ready; }
