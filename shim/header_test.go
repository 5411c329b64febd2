package shim_test

import (
	"os"
	"path/filepath"
	"testing"
)

// useHeader checks facts of the ABI that programs built elsewhere rely on.
const useHeader = `
#include <mpi.h>
#include <stddef.h>
#ifdef __cplusplus
#define CHECK(name, fact) static_assert(fact, #fact)
#elif __STDC_VERSION__ >= 201112L
#define CHECK(name, fact) _Static_assert(fact, #fact)
#else
#define CHECK(name, fact) typedef char check_##name[(fact) ? 1 : -1]
#endif
CHECK(status, sizeof(MPI_Status) == 32);
CHECK(error, offsetof(MPI_Status, MPI_ERROR) == 8);
CHECK(words, sizeof(MPI_Aint) == 8 && sizeof(MPI_Offset) == 8 && sizeof(MPI_Count) == 8);
CHECK(version, MPI_VERSION == 5 && MPI_SUBVERSION == 0 && MPI_ABI_VERSION == 1);
CHECK(wildcards, MPI_ANY_SOURCE == -1 && MPI_ANY_TAG == -2 && MPI_PROC_NULL == -3 && MPI_ROOT == -4);
CHECK(safety, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE == 0x3f);
#ifndef MPI_THREAD_MULTIPLE
#error constants have to be visible to the preprocessor
#endif
int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_SELF));
    MPI_Datatype types[2] = {MPI_INT, MPI_UB};
    MPI_Status status;
    MPI_Aint extent;
    MPI_Init(&argc, &argv);
    MPI_Recv(&extent, 1, types[0], MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    PMPI_Send(&extent, 1, MPI_AINT, status.MPI_SOURCE, 0, self);
    MPI_Type_extent(types[1], &extent);
    return MPI_Finalize();
}
`

func TestHeaderCompiles(t *testing.T) {
	modes := []struct{ compiler, source, std string }{
		{"gcc", "use.c", "c89"}, {"gcc", "use.c", "c99"}, {"gcc", "use.c", "c11"}, {"gcc", "use.c", "gnu17"},
		{"g++", "use.cc", "c++11"}, {"g++", "use.cc", "c++14"}, {"g++", "use.cc", "c++17"}, {"g++", "use.cc", "c++20"},
	}
	for _, m := range modes {
		t.Run(m.std, func(t *testing.T) {
			source := filepath.Join(t.TempDir(), m.source)
			if err := os.WriteFile(source, []byte(useHeader), 0o666); err != nil {
				t.Fatal(err)
			}
			command(t, m.compiler, "-std="+m.std, "-Wall", "-Wextra", "-pedantic", "-Werror",
				"-Iinclude", "-fsyntax-only", source)
		})
	}
}
