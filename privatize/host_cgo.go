package privatize

/*
#include <dlfcn.h>
#include <stdio.h>

// A variable of libc tells where libc is: a function's address may be that of a stub in our own program.
static const char *priv_libc_path(void)
{
	Dl_info info;

	return dladdr(stdout, &info) ? info.dli_fname : "";
}
*/
import "C"

// hostLibc returns the C library of this process.
func hostLibc() string {
	return C.GoString(C.priv_libc_path())
}
