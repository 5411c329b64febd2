/* Functions after which a rank stays that shares libraries with the other ranks of its worker (method fs), since they keep something of it:
 * VR_PINNING_CALLS(name, why) as in pinning_calls.h. */
#define OPENS "it has opened a library at run time, which lies elsewhere in other workers"
#define SETS "it has changed the environment, which is that of its worker's C library"
#define SEEDS "it has seeded random numbers, which are those of its worker's C library"
VR_PINNING_CALLS(dlopen, OPENS)
VR_PINNING_CALLS(dlmopen, OPENS)
VR_PINNING_CALLS(setenv, SETS)
VR_PINNING_CALLS(unsetenv, SETS)
VR_PINNING_CALLS(putenv, SETS)
VR_PINNING_CALLS(clearenv, SETS)
VR_PINNING_CALLS(srand, SEEDS)
VR_PINNING_CALLS(srandom, SEEDS)
VR_PINNING_CALLS(initstate, SEEDS)
VR_PINNING_CALLS(setstate, SEEDS)
VR_PINNING_CALLS(srand48, SEEDS)
VR_PINNING_CALLS(seed48, SEEDS)
VR_PINNING_CALLS(lcong48, SEEDS)
VR_PINNING_CALLS(hcreate, "it has a hash table, which is its worker's C library's")
VR_PINNING_CALLS(_ZNSt6locale6globalERKS_, "it has set the locale of C++, which is its worker's")
VR_PINNING_CALLS(_gfortran_st_open, "it has opened a unit of Fortran, which is its worker's")
#undef OPENS
#undef SETS
#undef SEEDS
