/* What the runtime's AMPI_Iget_wait and the shim's AMPI_Iget_data agree on: the status says where the data is. */
#ifndef SHIM_IGET_H
#define SHIM_IGET_H

#include <stdint.h>
#include <string.h>

#define IGET_TAG (-20011) /* no message has it */

/* The internal words of a status: bytes in the first two, and the address of the data from the fourth on. */
static inline void iget_status_read(const int internal[5], int64_t *bytes, const void **data)
{
	memcpy(bytes, &internal[0], sizeof *bytes);
	memcpy(data, &internal[3], sizeof *data);
}

#endif
