package privatize

/*
#include <dlfcn.h>
#include <stddef.h>

// As sys/platform/x86.h has it since glibc 2.33, which is when ld.so began to look into glibc-hwcaps.
struct leaf {
	unsigned cpuid[4], active[4];
};

enum { EBX = 1, ECX };

#define BIT(n) (1u << (n))

// Which bits the x86-64 psABI asks for. Active are those that processor and kernel have and that GLIBC_TUNABLES has not taken away.
static const struct wanted {
	int level;
	unsigned leaf, word, bits;
} wants[] = {
	{2, 0, ECX, BIT(0) | BIT(9) | BIT(13) | BIT(19) | BIT(20) | BIT(23)}, // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT
	{2, 2, ECX, BIT(0)},                                                  // LAHF
	{3, 0, ECX, BIT(12) | BIT(22) | BIT(28) | BIT(29)},                   // FMA, MOVBE, AVX, F16C
	{3, 1, EBX, BIT(3) | BIT(5) | BIT(8)},                                // BMI1, AVX2, BMI2
	{3, 2, ECX, BIT(5)},                                                  // LZCNT
	{4, 1, EBX, BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31)},         // AVX512 F, DQ, CD, BW, VL
};

static int priv_cpu_level(void)
{
	const struct leaf *(*leaf_of)(unsigned) = dlsym(RTLD_DEFAULT, "__x86_get_cpuid_feature_leaf");
	if (!leaf_of)
		return 1;
	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
		const struct leaf *leaf = leaf_of(wants[i].leaf);
		if (!leaf || (leaf->active[wants[i].word] & wants[i].bits) != wants[i].bits)
			return wants[i].level - 1;
	}
	return 4;
}
*/
import "C"

import (
	"fmt"
	"sync"
)

// hwcaps are the folders below glibc-hwcaps that ld.so would look into on this processor, the best ones first.
var hwcaps = sync.OnceValue(func() (names []string) {
	for level := int(C.priv_cpu_level()); level > 1; level-- {
		names = append(names, fmt.Sprintf("x86-64-v%d", level))
	}
	return names
})
