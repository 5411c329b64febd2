/* What communicators tell remote calls. */
#ifndef AMPI_RPC_CLOSED_H
#define AMPI_RPC_CLOSED_H

#include <stdint.h>

/* Rank stack. The rank has no communicator with this context any more: calls on it are refused, not kept until there is one. */
void ampi_rpc_closed(uint32_t context);

#endif
