/* A lock for a few instructions, in memory that workers share. Whoever has it does not switch. */
#ifndef AMPI_SPIN_H
#define AMPI_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#define AMPI_SPINS 2000 /* looks before the core is left to others, one of which may have the lock */

static inline void ampi_spin_lock(_Atomic uint32_t *busy)
{
	while (__builtin_expect(atomic_exchange_explicit(busy, 1, memory_order_acquire), 0))
		for (int i = 0; atomic_load_explicit(busy, memory_order_relaxed); i++) {
			__builtin_ia32_pause();
			if (i >= AMPI_SPINS)
				sched_yield();
		}
}

static inline void ampi_spin_unlock(_Atomic uint32_t *busy)
{
	atomic_store_explicit(busy, 0, memory_order_release);
}

#endif
