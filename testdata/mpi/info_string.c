/* Does Info_get_string follow the rules of its length, and may Info objects be used before Init and after Finalize? */
#include "check.h"

static void get_string(MPI_Info info)
{
	char text[16];
	int n = 0, flag = -1;

	MPI_Info_get_string(info, "key", &n, NULL, &flag); /* asks for the length, NUL included */
	CHECK(flag && n == 6);
	memset(text, 'x', sizeof text);
	n = 3;
	MPI_Info_get_string(info, "key", &n, text, &flag);
	CHECK(flag && n == 6 && strcmp(text, "va") == 0 && text[3] == 'x');
	n = sizeof text;
	MPI_Info_get_string(info, "key", &n, text, &flag);
	CHECK(flag && n == 6 && strcmp(text, "value") == 0);
	n = 5;
	text[0] = 'q';
	MPI_Info_get_string(info, "other", &n, text, &flag);
	CHECK(!flag && n == 5 && text[0] == 'q');
}

int main(int argc, char **argv)
{
	MPI_Info early, late, env;
	char *arguments[] = {"program", "one", NULL};
	char text[256];
	int n, flag;

	MPI_Info_create(&early);
	MPI_Info_set(early, "key", "value");
	MPI_Info_create_env(2, arguments, &env);
	MPI_Info_get_nkeys(env, &n);
	MPI_Info_free(&env);
	check_begin(&argc, &argv);
	CHECK(n >= 0);
	get_string(early);
	n = sizeof text;
	MPI_Info_get_string(MPI_INFO_ENV, "thread_level", &n, text, &flag);
	CHECK(!flag || strncmp(text, "MPI_THREAD_", 11) == 0);
	MPI_Barrier(WORLD);
	MPI_Finalize();
	MPI_Info_create(&late);
	MPI_Info_set(late, "key", "value");
	MPI_Info_get_nkeys(late, &n);
	if (n != 1)
		return 1;
	MPI_Info_free(&late);
	MPI_Info_free(&early);
	if (rank == 0)
		puts("PASS info_string");
	return 0;
}
