/* Does a program find itself: its file, its values from the kernel, its loaded objects, its names; and has it its own conventions? */
#define _GNU_SOURCE
#include "check.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <link.h>
#include <locale.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int in_main_program = 1;

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The file, under all names, by all ways; and a child that runs it again. */
static void file(const char *self)
{
	char link[PATH_MAX] = "", real[PATH_MAX] = "", by_pid[64];
	Elf64_Ehdr a, b;
	int status;

	CHECK(readlink("/proc/self/exe", link, sizeof link - 1) > 0 && strcmp(last_part(link), last_part(self)) == 0);
	CHECK(realpath("/proc/self/exe", real) == real && strcmp(last_part(real), last_part(self)) == 0);
	char *allocated = realpath(link, NULL);
	CHECK(allocated && strcmp(allocated, real) == 0);
	free(allocated);
	snprintf(by_pid, sizeof by_pid, "/proc/%d/exe", (int)getpid());
	memset(link, 0, sizeof link);
	CHECK(readlink(by_pid, link, sizeof link - 1) > 0 && strcmp(last_part(link), last_part(self)) == 0);
	int fd = open("/proc/self/exe", O_RDONLY);
	FILE *f = fopen(real, "r");
	CHECK(fd >= 0 && f && read(fd, &a, sizeof a) == sizeof a && fread(&b, sizeof b, 1, f) == 1);
	CHECK(memcmp(a.e_ident, ELFMAG, SELFMAG) == 0 && memcmp(&a, &b, sizeof a) == 0);
	close(fd);
	fclose(f);
	pid_t child = fork();
	if (child == 0) {
		execl("/proc/self/exe", self, "--child", (char *)NULL);
		_exit(127);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 33);
}

struct seen {
	int objects, main_program, libc, with_tls;
	const void *phdrs;
};

static int look(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct seen *s = data;

	CHECK(bytes >= offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(void *));
	if (s->objects++ == 0) {
		s->phdrs = info->dlpi_phdr;
		CHECK(info->dlpi_name[0] == 0);
	}
	s->libc += strstr(info->dlpi_name, "libc.so") != NULL;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr, data_at = (uintptr_t)&in_main_program, code = (uintptr_t)look;
		if (p->p_type == PT_LOAD && ((data_at >= at && data_at < at + p->p_memsz) || (code >= at && code < at + p->p_memsz)))
			s->main_program += 1 + 1000 * (s->objects - 1);
		if (p->p_type == PT_LOAD && p->p_offset == 0)
			CHECK(memcmp((void *)at, ELFMAG, SELFMAG) == 0);
	}
	return 0;
}

int main(int argc, char **argv);

static void objects(void)
{
	struct seen s = {0};
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	int interpreters = 0;

	CHECK(dl_iterate_phdr(look, &s) == 0);
	CHECK(s.objects >= 2 && s.main_program == 2 && s.libc == 1);
	CHECK(p == s.phdrs && getauxval(AT_PHENT) == sizeof *p);
	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++) {
		interpreters += p[i].p_type == PT_INTERP;
	}
	CHECK(interpreters == 1);
	uintptr_t entry = getauxval(AT_ENTRY), here = (uintptr_t)main;
	CHECK(entry && (entry > here ? entry - here : here - entry) < 1 << 20);
	CHECK(getauxval(AT_PAGESZ) == (unsigned long)sysconf(_SC_PAGESIZE) && getauxval(AT_BASE) != 0);
	errno = 0;
	CHECK(getauxval(123456) == 0 && errno == ENOENT);
}

static void names(const char *self)
{
	CHECK(strcmp(program_invocation_short_name, last_part(self)) == 0);
	CHECK(strcmp(last_part(program_invocation_name), last_part(self)) == 0);
	CHECK(strcmp(last_part((const char *)getauxval(AT_EXECFN)), last_part(self)) == 0);
}

/* Every rank is at another option when the others run. */
static void options(void)
{
	static const struct option table[] = {{"number", required_argument, NULL, 'n'}, {"flag", no_argument, NULL, 'f'}, {0}};
	char a0[] = "p", a1[] = "--number", a2[16], a3[] = "-f", a4[] = "rest", *v[] = {a0, a1, a2, a3, a4, NULL};
	int number = -1, flags = 0;

	snprintf(a2, sizeof a2, "%d", rank);
	optind = 1;
	for (int c; (c = getopt_long(5, v, "fn:", table, NULL)) != -1;) {
		if (c == 'n')
			number = atoi(optarg);
		flags += c == 'f';
		check_others_run();
	}
	CHECK(number == rank && flags == 1 && optind == 4);
}

/* Half of the ranks have another locale, of the program or of the thread. */
static void locales(void)
{
	locale_t utf = newlocale(LC_ALL_MASK, "C.UTF-8", NULL), before;

	CHECK(utf != NULL);
	CHECK(MB_CUR_MAX == 1);
	before = uselocale(rank % 2 ? utf : NULL);
	check_others_run();
	CHECK(MB_CUR_MAX == (rank % 2 ? 6u : 1u));
	CHECK(uselocale(NULL) == (rank % 2 ? utf : before));
	uselocale(before);
	CHECK(MB_CUR_MAX == 1);
	freelocale(utf);
	/* where it is installed: the decimal point */
	if (rank % 2 && setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
		check_others_run();
		CHECK(strtod("1,5", NULL) == 1.5 && *localeconv()->decimal_point == ',');
	} else {
		check_others_run();
		CHECK(strtod("1.5", NULL) == 1.5 && *localeconv()->decimal_point == '.');
	}
}

static void times(void)
{
	struct rusage before, after;
	clock_t start = clock();
	struct timespec a, b;

	CHECK(start != (clock_t)-1 && getrusage(RUSAGE_SELF, &before) == 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	while (clock() - start < CLOCKS_PER_SEC / 100)
		;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	CHECK(getrusage(RUSAGE_SELF, &after) == 0);
	CHECK((after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1e6 + after.ru_utime.tv_usec - before.ru_utime.tv_usec +
	      (after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1e6 + after.ru_stime.tv_usec - before.ru_stime.tv_usec > 3000);
	CHECK(b.tv_sec > a.tv_sec || b.tv_nsec > a.tv_nsec);
	CHECK(getrusage(RUSAGE_CHILDREN, &after) == 0 && after.ru_maxrss > 0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--child") == 0)
		return 33;
	check_begin(&argc, &argv);
	file(argv[0]);
	objects();
	names(argv[0]);
	options();
	locales();
	times();
	return check_end("itself");
}
