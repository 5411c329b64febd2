/* Are FILE streams private: open files, buffers, positions, ungetc, tmpfile, and a stream redirected in one rank? */
#include "check.h"
#include <unistd.h>

static FILE *file;

static void temporary(void)
{
	char line[64];
	int n;

	file = tmpfile();
	CHECK(file != NULL);
	for (int i = 0; i < 100; i++) {
		fprintf(file, "rank %d line %d\n", rank, i);
		if (i % 25 == 0)
			check_others_run();
	}
	rewind(file);
	for (int i = 0; i < 100; i++) {
		CHECK(fgets(line, sizeof line, file) != NULL);
		CHECK(sscanf(line, "rank %*d line %d", &n) == 1 && n == i);
		if (i % 30 == 0)
			check_others_run();
	}
	ungetc('x', file);
	check_others_run();
	CHECK(fgetc(file) == 'x' && fgetc(file) == EOF && feof(file));
	fclose(file);
}

/* A buffered stream that is never flushed by hand: closed by nobody, written by exit. */
static void memory_stream(void)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	fprintf(out, "%d ", rank);
	check_others_run();
	fprintf(out, "%d", size);
	fclose(out);
	CHECK(atoi(text) == rank && length == strlen(text));
	free(text);
}

static void redirected(void)
{
	char name[] = "/tmp/stdio_files.XXXXXX", line[32] = "";
	int fd = mkstemp(name), saved;

	CHECK(fd >= 0);
	fflush(stdout);
	setvbuf(stderr, NULL, _IONBF, 0);
	saved = fileno(stdin);
	file = fdopen(fd, "w+");
	fprintf(file, "to the file of rank %d\n", rank);
	check_others_run();
	rewind(file);
	CHECK(fgets(line, sizeof line, file) && atoi(line + 20) == rank);
	CHECK(saved == fileno(stdin));
	fclose(file);
	unlink(name);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	temporary();
	memory_stream();
	redirected();
	return check_end("stdio_files");
}
