/* The library of elf.c. */
extern int elf_hook(int n);
int elf_weak(void) __attribute__((weak));
int elf_never(void) __attribute__((weak));
__attribute__((visibility("protected"))) int elf_protected = 4;
int elf_copied[3] = {1, 2, 3};
int *elf_copied_address(void) { return elf_copied; }
int *elf_protected_address(void) { return &elf_protected; }

__thread int elf_general __attribute__((tls_model("global-dynamic"))) = 21;
static __thread int local_dynamic __attribute__((tls_model("local-dynamic"))) = 22;
__thread int elf_initial __attribute__((tls_model("initial-exec"))) = 23;
int elf_tls_sum(int add)
{
	elf_general += add, local_dynamic += add, elf_initial += add;
	return elf_general + local_dynamic + elf_initial;
}

static int one(void) { return 1; }
static int two(void) { return 2; }
static int (*choose(void))(void) { __builtin_cpu_init(); return __builtin_cpu_supports("sse2") ? one : two; }
int elf_ifunc(void) __attribute__((ifunc("choose")));
static int (*const elf_table[])(void) = {elf_ifunc, one, two};
int elf_call(int i) { return elf_table[i](); }

int elf_old(void) { return 10; }
int elf_new(void) { return 20; }
__asm__(".symver elf_old, elf_versioned@ELF_1");
__asm__(".symver elf_new, elf_versioned@@ELF_2");

int elf_weak(void) { return 5; }
int elf_calls_back(int n) { return elf_hook(n) + (elf_never ? 100 : 0); }

int elf_order[8], elf_ordered;
static void __attribute__((constructor(101))) early(void) { elf_order[elf_ordered++] = 1; }
static void __attribute__((constructor)) late(void) { elf_order[elf_ordered++] = 2; }
char elf_page[65536] __attribute__((aligned(65536)));
