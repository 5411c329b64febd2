/* Protection keys of x86-64: each page has one of 16 keys, and a register of the thread says which keys it may use. */
#ifndef VRANK_PKRU_AMD64_H
#define VRANK_PKRU_AMD64_H

#include <stdint.h>
#include <ucontext.h>

#define VR_PKRU_OPEN 0u

/* Key 0, which all other memory has, and one more. */
static inline uint32_t vr_pkru_only(int key)
{
	return 0x55555554u & ~(3u << 2 * key);
}

static inline uint32_t vr_pkru_get(void)
{
	uint32_t value, high;
	__asm__ volatile("rdpkru" : "=a"(value), "=d"(high) : "c"(0));
	return value;
}

static inline void vr_pkru_set(uint32_t value)
{
	__asm__ volatile("wrpkru" : : "a"(value), "c"(0), "d"(0) : "memory");
}

/* Does the system let programs use the register? */
int vr_pkru_exists(void);

/* In a signal's handler: the register of the code that was interrupted. */
uint32_t vr_pkru_interrupted(const ucontext_t *uc);
void vr_pkru_set_interrupted(ucontext_t *uc, uint32_t value);

/* It is to trap after one instruction; or no more. */
static inline void vr_step_set(ucontext_t *uc, int is_on)
{
	const greg_t trap_flag = 0x100;
	greg_t *flags = &uc->uc_mcontext.gregs[REG_EFL];
	*flags = is_on ? *flags | trap_flag : *flags & ~trap_flag;
}

/* Was it a store that faulted? */
static inline int vr_fault_is_store(const ucontext_t *uc)
{
	return (uc->uc_mcontext.gregs[REG_ERR] & 2) != 0;
}

#endif
