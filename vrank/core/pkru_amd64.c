/* Protection keys of x86-64: see pkru_amd64.h. */
#include "vrank/core/pkru_amd64.h"

#include <cpuid.h>
#include <stddef.h>

#define BIT_OSPKE (1u << 4) /* of ecx of leaf 7: the system has switched the register on */
#define STATE 9 /* its number among the components of XSAVE */
#define HEADER 512 /* of an XSAVE area: which components are there */

int vr_pkru_exists(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & BIT_OSPKE;
}

/* In the frame of a signal all components have their standard places. NULL where the register is not among them. */
static uint32_t *place_in(const ucontext_t *uc)
{
	unsigned size, at, c, d;
	char *area = (char *)uc->uc_mcontext.fpregs;
	return area && __get_cpuid_count(0xd, STATE, &size, &at, &c, &d) ? (uint32_t *)(area + at) : NULL;
}

uint32_t vr_pkru_interrupted(const ucontext_t *uc)
{
	const uint32_t *place = place_in(uc);
	return place ? *place : VR_PKRU_OPEN;
}

void vr_pkru_set_interrupted(ucontext_t *uc, uint32_t value)
{
	uint32_t *place = place_in(uc);
	if (!place)
		return;
	*place = value;
	*(uint64_t *)((char *)uc->uc_mcontext.fpregs + HEADER) |= 1ull << STATE;
}
