/* How much room thread-local variables of ranks have: tls.c, and tls_amd64.S, which is why there is no C here. */
#ifndef VRANK_TLS_RESERVE_H
#define VRANK_TLS_RESERVE_H

#define VR_TLS_RESERVE 0x200000

#endif
