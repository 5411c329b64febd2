/* What the C library maps for itself: locales, named semaphores, streams over maps. Do they work in a rank that may be moved at any time? */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <locale.h>
#include <semaphore.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static void meanwhile(void)
{
	for (int i = 0; i < 20; i++) {
		check_others_run();
		usleep(200);
	}
}

static void knows_utf8(void)
{
	const char *text = "\xc3\xa9t\xc3\xa9 \xe2\x82\xac"; /* with two accents, and the sign of the euro */
	wchar_t wide[16];
	char back[32], out[32];

	CHECK(mbstowcs(wide, text, 16) == 5 && wide[0] == 0xe9 && wide[4] == 0x20ac);
	CHECK(wcstombs(back, wide, sizeof back) == 9 && !strcmp(back, text));
	CHECK(iswalpha(wide[0]) && towupper(wide[0]) == 0xc9 && wcwidth(wide[4]) == 1);
	CHECK(snprintf(out, sizeof out, "%ls", wide) == 9 && !strcmp(out, text));
	CHECK(strcoll("a", "b") < 0 && MB_CUR_MAX == 6);
}

static void locales(void)
{
	locale_t own, copy;

	CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL);
	knows_utf8();
	meanwhile();
	knows_utf8();
	CHECK(!strcmp(setlocale(LC_CTYPE, NULL), "C.UTF-8"));
	CHECK(setlocale(LC_ALL, "C") != NULL && MB_CUR_MAX == 1);
	meanwhile();
	for (int i = 0; i < 5; i++) {
		CHECK((own = newlocale(LC_ALL_MASK, "C.UTF-8", NULL)) != NULL);
		CHECK((copy = duplocale(own)) != NULL);
		CHECK(uselocale(rank % 2 ? own : copy) == LC_GLOBAL_LOCALE);
		knows_utf8();
		check_others_run();
		knows_utf8();
		CHECK(uselocale(LC_GLOBAL_LOCALE) == (rank % 2 ? own : copy));
		freelocale(own);
		usleep(200);
		freelocale(copy);
	}
	CHECK(setlocale(LC_ALL, "") != NULL);
	CHECK(setlocale(LC_CTYPE, rank % 2 ? "C.UTF-8" : "C") != NULL);
	meanwhile();
	if (rank % 2)
		knows_utf8();
	else
		CHECK(MB_CUR_MAX == 1);
}

static void semaphores(void)
{
	char name[64];
	int value;
	sem_t *s;

	snprintf(name, sizeof name, "/library_maps.%d.%d", (int)getpid(), rank);
	CHECK((s = sem_open(name, O_CREAT | O_EXCL, 0600, 2)) != SEM_FAILED);
	CHECK(sem_unlink(name) == 0);
	for (int i = 0; i < 5; i++) {
		CHECK(sem_wait(s) == 0);
		meanwhile();
		CHECK(sem_post(s) == 0);
	}
	CHECK(sem_getvalue(s, &value) == 0 && value == 2);
	CHECK(sem_close(s) == 0);
}

static void streams(void)
{
	char name[] = "/tmp/library_maps.XXXXXX", line[64], want[64];
	int fd = mkstemp(name);
	FILE *f = fdopen(fd, "w");

	for (int i = 0; i < 20000; i++)
		fprintf(f, "rank %d line %d\n", rank, i);
	CHECK(fclose(f) == 0);
	CHECK((f = fopen(name, "rm")) != NULL && unlink(name) == 0);
	for (int i = 0; i < 20000; i++) {
		if (i % 1000 == 0)
			check_others_run();
		snprintf(want, sizeof want, "rank %d line %d\n", rank, i);
		if (!fgets(line, sizeof line, f) || strcmp(line, want)) {
			CHECK(!"the line is there");
			break;
		}
	}
	CHECK(fclose(f) == 0);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	locales();
	semaphores();
	streams();
	return check_end("library_maps");
}
