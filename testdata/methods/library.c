#include "kinds.h"

int library_global;

int *library_static(void)
{
	static int hidden;
	return &hidden;
}
