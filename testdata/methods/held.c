/* Does a rank stay while it uses memory that libraries of its worker have allocated, and go when that is over? */
#include <string.h>

#include "moves.h"

int main(int argc, char **argv)
{
	char name[64], line[64], *text;
	FILE *f;
	check_begin(&argc, &argv);
	printf("rank %d begins\n", rank); /* the buffer is the library's */
	CHECK(moves());
	snprintf(name, sizeof name, "held.%d", rank);
	CHECK((f = fopen(name, "w+")) != NULL);
	for (int i = 0; i < 100; i++) {
		fprintf(f, "rank %d line %d\n", rank, i);
		if (i % 25 == 0)
			moves();
	}
	rewind(f);
	for (int i = 0; i < 100; i++) {
		int number = -1, of = -1;
		CHECK(fscanf(f, "rank %d line %d\n", &of, &number) == 2 && of == rank && number == i);
	}
	fclose(f);
	remove(name);
	CHECK(moves());
	CHECK((text = strdup("kept")) != NULL);
	CHECK(!moves());
	CHECK(!strcmp(text, "kept"));
	free(text);
	CHECK(moves());
	setenv("HELD", "yes", 1);
	CHECK(!moves());
	CHECK(snprintf(line, sizeof line, "%s", getenv("HELD")) == 3);
	return check_end("held");
}
