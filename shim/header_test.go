package shim_test

import (
	"os"
	"path/filepath"
	"strings"
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

// useBindings uses every class of the C++ bindings, and names that are macros elsewhere.
const useBindings = `
#define BOOL int
#define Status int
#include <stdio.h>
#include <mpi.h>
#include <stdlib.h>
#ifndef SEEK_SET
#error SEEK_SET has to stay a macro
#endif
BOOL plain(FILE *f) { Status n = fseek(f, 0, SEEK_SET); switch (n) { case SEEK_CUR: return 1; } return n; }
#undef BOOL
#undef Status
using namespace MPI;
static void add(const void *, void *, int, const MPI::Datatype &) {}
static void handle(MPI::Comm &, int *, ...) {}
static void handle_win(MPI::Win &, int *, ...) {}
static void handle_file(MPI::File &, int *, ...) {}
int all(MPI::Intracomm &comm, MPI::File &file, MPI::Win &win)
{
    bool periods[1] = {true};
    int dims[1] = {1};
    MPI::Cartcomm cart = comm.Create_cart(1, dims, periods, false);
    MPI::Intercomm parent = MPI::Comm::Get_parent();
    MPI::Request requests[2];
    MPI::Op op;
    op.Init(add, true);
    comm.Set_errhandler(MPI::Comm::Create_errhandler(handle));
    win.Set_errhandler(MPI::Win::Create_errhandler(handle_win));
    file.Set_errhandler(MPI::File::Create_errhandler(handle_file));
    file.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    file.Seek(0, MPI::SEEK_SET);
    file.Seek(0, SEEK_SET);
    MPI::Request::Waitall(2, requests);
    return cart == comm || parent != MPI::COMM_NULL || MPI::INT == MPI_INT || MPI::SEEK_END == SEEK_END;
}
int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    MPI::BOOL.Get_size();
    MPI::Finalize();
}
`

// TestBindingsCompile checks the C++ bindings without what hides warnings of them, and that programs need not have them.
func TestBindingsCompile(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("include")); err != nil {
		t.Fatal(err)
	}
	header := filepath.Join(dir, "mpicxx.h")
	text, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
	}
	open := strings.Replace(string(text), "#pragma GCC system_header\n", "", 1)
	if open == string(text) {
		t.Fatal("mpicxx.h is no system header any more")
	}
	source := filepath.Join(dir, "use.cc")
	for path, text := range map[string]string{header: open, source: useBindings,
		filepath.Join(dir, "skip.cc"): "#include <mpi.h>\nstruct MPI {};\nint main() { return MPI_Initialized(0); }\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, std := range []string{"c++98", "c++11", "c++17", "c++20"} {
		for _, option := range []string{"-fexceptions", "-fno-exceptions", "-fno-rtti"} {
			command(t, "g++", "-std="+std, option, "-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Werror", "-fkeep-inline-functions",
				"-I"+dir, "-S", "-o", os.DevNull, source)
		}
	}
	for _, macro := range []string{"AMPI_SKIP_MPICXX", "MPICH_SKIP_MPICXX", "OMPI_SKIP_MPICXX", "MPI_NO_CPPBIND", "_MPICC_H"} {
		command(t, "g++", "-D"+macro, "-Wall", "-Werror", "-Iinclude", "-fsyntax-only", filepath.Join(dir, "skip.cc"))
	}
}
