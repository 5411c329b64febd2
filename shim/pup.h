/* What a pup_er points to. The runtime makes it, for a call of a function of AMPI_Register_pup; pup_int and its kin, which are in the program,
 * work with it. */
#ifndef AMPIRUN_PUP_H
#define AMPIRUN_PUP_H

#include <stdint.h>

enum ampi_pup_mode { AMPI_PUP_SIZING = 1, AMPI_PUP_PACKING, AMPI_PUP_UNPACKING };

struct ampi_pup {
	int32_t mode; /* enum ampi_pup_mode */
	int32_t deletes; /* the rank is to go elsewhere: the function may free what it has packed */
	uint64_t at; /* bytes that have gone by */
	uint64_t size; /* of data; what does not fit goes by uncopied, and the runtime tells from `at` */
	char *data; /* NULL when sizing */
};

#endif
