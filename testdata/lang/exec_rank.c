/* Replaces the program in the rank itself. Under mpirun that is a process of its own, here it is not. */
#include "check.h"
#include <unistd.h>

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	execlp("true", "true", (char *)NULL);
	CHECK(!"execlp came back");
	return check_end("exec_rank");
}
