/* Does all that linkers and compilers can make of a program work: models of thread-local variables, alignments, versions, weak, protected
 * and indirect symbols, copy relocations, order of constructors, large zero data? Built in many ways by conformance/elf_test.go. */
#include "../lang/check.h"
#include <stdint.h>

#ifndef BIG_TLS
#define BIG_TLS 1000
#endif

extern int elf_copied[3], elf_protected, *elf_copied_address(void), *elf_protected_address(void);
extern __thread int elf_general, elf_initial;
int elf_tls_sum(int add), elf_ifunc(void), elf_call(int i), elf_versioned(void), elf_old_versioned(void), elf_calls_back(int n);
int elf_weak(void), elf_hook(int n);
extern int elf_order[8], elf_ordered;
extern char elf_page[65536];
__asm__(".symver elf_old_versioned, elf_versioned@ELF_1");

int elf_hook(int n) { return n * 2 + rank; }
int elf_absent(void) __attribute__((weak));
int elf_weak(void) { return 6; } /* the program's own comes first */

static char huge[1 << 30]; /* never written but at its ends */
static char wide[4096] __attribute__((aligned(2 << 20))) = "aligned to 2 MB";
static int aligned_data __attribute__((aligned(65536))) = 17;
static __thread char thread_block[BIG_TLS] = "thread";
static __thread int thread_zero[BIG_TLS / 4];
static const char *const texts[] = {"read", "only", "after", "relocation"};

static int pointed(void) { return 3; }
static int (*pointer)(void) = pointed;
static int (*resolve(void))(void) { return pointed; }
int own_ifunc(void) __attribute__((ifunc("resolve")));

static void data(void)
{
	CHECK(huge[0] == 0 && huge[sizeof huge - 1] == 0);
	huge[0] = huge[sizeof huge - 1] = (char)(rank + 1);
	CHECK((uintptr_t)wide % (2 << 20) == 0 && !strcmp(wide, "aligned to 2 MB"));
	CHECK((uintptr_t)&aligned_data % 65536 == 0 && aligned_data == 17 && (uintptr_t)elf_page % 65536 == 0);
	aligned_data = rank;
	elf_copied[1] = rank;
	*elf_protected_address() = rank;
	wide[0] = (char)('a' + rank % 26);
	check_others_run();
	CHECK(huge[0] == (char)(rank + 1) && aligned_data == rank && wide[0] == 'a' + rank % 26);
	CHECK(elf_copied == elf_copied_address() && elf_copied[1] == rank && *elf_protected_address() == rank);
	CHECK(!strcmp(texts[rank % 4], (const char *[]){"read", "only", "after", "relocation"}[rank % 4]));
}

static void thread_locals(void)
{
	CHECK(elf_general == 21 && elf_initial == 23 && elf_tls_sum(rank) == 66 + 3 * rank);
	CHECK(!strcmp(thread_block, "thread") && thread_zero[BIG_TLS / 4 - 1] == 0);
	thread_block[BIG_TLS - 1] = (char)rank;
	thread_zero[BIG_TLS / 4 - 1] = rank;
	check_others_run();
	CHECK(elf_general == 21 + rank && elf_tls_sum(0) == 66 + 3 * rank);
	CHECK(thread_block[BIG_TLS - 1] == (char)rank && thread_zero[BIG_TLS / 4 - 1] == rank && !strcmp(thread_block, "thread"));
}

static void functions(void)
{
	CHECK(elf_ifunc() == 1 && elf_call(0) == 1 && elf_call(2) == 2 && own_ifunc() == 3 && pointer() == 3);
	CHECK(elf_versioned() == 20 && elf_old_versioned() == 10);
	CHECK(elf_calls_back(5) == 10 + rank && elf_weak() == 6 && elf_absent == NULL);
	CHECK(elf_ordered == 2 && elf_order[0] == 1 && elf_order[1] == 2);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	data();
	thread_locals();
	functions();
	return check_end("elf");
}
