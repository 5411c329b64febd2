package shim_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the .want files of testdata anew")

// Each program is linked with record.c, a runtime that writes down how it was called; the .want file says which C
// arguments each Fortran call has to arrive with, and what has to come back.
func TestFortranArguments(t *testing.T) {
	for _, source := range []string{"args.f90", "old.f"} {
		t.Run(source, func(t *testing.T) {
			got := command(t, link(t, "gfortran", source, "record.c"))
			golden := filepath.Join("testdata", strings.TrimSuffix(source, filepath.Ext(source))+".want")
			if *rewrite {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			compareLines(t, got, string(want))
		})
	}
}

func compareLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; i < len(g) || i < len(w); i++ {
		switch {
		case i >= len(g):
			t.Fatalf("line %d missing: %q", i+1, w[i])
		case i >= len(w):
			t.Fatalf("line %d too much: %q", i+1, g[i])
		case g[i] != w[i]:
			t.Errorf("line %d\n got %q\nwant %q", i+1, g[i], w[i])
		}
	}
}

// mpif.h is included by programs in both source forms, with any line length limit.
func TestIncludeFileInBothForms(t *testing.T) {
	const body = "      subroutine s\n      implicit none\n      include 'mpif.h'\n      print *, MPI_COMM_WORLD, MPI_WTIME()\n      end\n"
	for _, form := range []string{"-ffixed-form", "-ffree-form"} {
		source := filepath.Join(t.TempDir(), "use.f90")
		if err := os.WriteFile(source, []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
		command(t, "gfortran", form, "-Wall", "-Wno-unused-parameter", "-Werror", "-Iinclude", "-fsyntax-only", source)
	}
}

// What legacy programs pass through "use mpi": first elements for arrays, MPI_STATUS_IGNORE for several statuses,
// constants, text, derived types and sections for buffers.
func TestModuleTakesLegacyCalls(t *testing.T) {
	shimObjects(t)
	dir := t.TempDir()
	compileModules(t, dir)
	command(t, "gfortran", "-Wall", "-Werror", "-I"+dir, "-fsyntax-only", "testdata/legacy.f90")
}
