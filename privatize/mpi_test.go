package privatize

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampirun/internal/abi"
)

// loadFor resolves and loads a program with a table of ABIs of the test's own.
func loadFor(t *testing.T, prog string, table abi.Table, native abi.Binding) *Program {
	t.Helper()
	libs, err := Resolve(prog, nil, table)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.ABIs = table
	if native != nil {
		o.Fallback = native
	}
	p, err := Load(prog, libs, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// shared makes a shared library of the name that programs will need.
func shared(t *testing.T, dir, soname, source string, args ...string) string {
	t.Helper()
	return compile(t, filepath.Join(dir, soname), append([]string{"-shared", "-fPIC", "-Wl,-soname," + soname, source}, args...)...)
}

// TestFunctionsOfAnotherABI serves an ABI, which calls functions otherwise, by a row and nothing else.
func TestFunctionsOfAnotherABI(t *testing.T) {
	dir := t.TempDir()
	lib := shared(t, dir, "libother.so.7", "stage_stub.c", "-Dstage_yield=other_yield")
	prog := compile(t, "prog", "-O1", "hello.c", "-Dstage_yield=other_yield", lib)
	if err := os.Remove(lib); err != nil {
		t.Fatal(err)
	}
	other := &abi.ABI{Name: "Other", Libraries: []string{"libother.so.7"}}
	table := append(slices.Clone(stageABI), other)
	_, err := Resolve(prog, nil, table)
	wantRefusal(t, err, OtherMPI, prog, "Other", "libother.so.7", "ampicc", "libmpi_abi")

	other.Functions = func(native abi.Binding) abi.Binding {
		return func(name string) uintptr {
			if rest, ok := strings.CutPrefix(name, "other_"); ok {
				return native("stage_" + rest)
			}
			return 0
		}
	}
	p := loadFor(t, prog, table, nil)
	if p.abi != other {
		t.Errorf("the program is taken for one of %s", p.abi.Name)
	}
	runRanks(t, p, 3, ranksLine)
}

// TestLibraryForAnotherABI serves an ABI whose handles are addresses of variables by a library in every rank.
func TestLibraryForAnotherABI(t *testing.T) {
	for _, name := range []string{"installed", "absent"} {
		t.Run(name, func(t *testing.T) { testConverter(t, name == "installed") })
	}
}

func testConverter(t *testing.T, installed bool) {
	dir := t.TempDir()
	converter := shared(t, dir, "libconverter.so", "other_converter.c")
	lib := shared(t, dir, "libother.so.7", "other_converter.c", "-Wl,--defsym,ampi_native_MPI_Yield=0x1000,--defsym,PMPI_Init=0x1000") // is an MPI itself
	prog := compile(t, "prog", "-O1", "other_main.c", lib, "-Wl,-rpath,"+dir)
	if !installed {
		os.Remove(lib)
	}
	other := &abi.ABI{Name: "Other", Libraries: []string{"libother.so.7", "libother_more.so"}}
	other.Library = func() (string, error) { return converter, nil }
	native := options(t).Fallback
	p := loadFor(t, prog, append(slices.Clone(stageABI), other), func(name string) uintptr {
		if name == "MPI_Yield" {
			return native("stage_yield")
		}
		return 0xbad // not to be called: the program's functions are the converter's
	})
	if p.converter == nil || p.converter.path != converter {
		t.Fatalf("the library is not replaced: %v", p.converter)
	}
	runRanks(t, p, 3, ranksLine)
}

// TestRefuseOtherMPI has libraries of other MPI implementations at the end of chains.
func TestRefuseOtherMPI(t *testing.T) {
	dir := t.TempDir()
	link := func(soname string, needs ...string) string {
		return shared(t, dir, soname, "nothing.c", append([]string{"-Wl,--no-as-needed,-rpath," + dir}, needs...)...)
	}
	program := func(name string, needs ...string) string {
		return compile(t, filepath.Join(dir, name), append([]string{"plain.c", "-Wl,--no-as-needed,-rpath," + dir}, needs...)...)
	}
	openMPI, mpich, standard := link("libmpi.so.40"), link("libmpi.so.12"), link("libmpi_abi.so.0")
	hdf5 := link("libhdf5_openmpi.so.103", openMPI)
	netcdf := link("libnetcdf_mpi.so.19", hdf5)
	implementation := shared(t, dir, "libvendor.so.1", "nothing.c", "-Wl,--defsym,PMPI_Init=0x1000,--no-as-needed")
	for _, c := range []struct {
		prog  string
		words []string
	}{
		{program("direct", openMPI), []string{"is built for Open MPI 3 to 5 (libmpi.so.40)", "ampicc", "libmpi_abi"}},
		{program("mpich", mpich), []string{"MPICH", "Intel MPI", "libmpi.so.12"}},
		{program("chain", hdf5), []string{"needs libhdf5_openmpi.so.103, which is built for Open MPI 3 to 5 (libmpi.so.40)"}},
		{program("chains", netcdf), []string{"needs libnetcdf_mpi.so.19, which needs libhdf5_openmpi.so.103, which is built for Open MPI", "a build of libhdf5_openmpi"}},
		{program("mixed", standard, hdf5), []string{"libhdf5_openmpi.so.103"}},
		{program("vendor", implementation), []string{"libvendor.so.1", "does not know"}},
		{compile(t, filepath.Join(dir, "marked"), "-rdynamic", "unresolved.c", "-Dnobody_has_this=ompi_comm_world", "-Wl,--no-as-needed,--unresolved-symbols=ignore-all", mpich), []string{"Open MPI 1.10"}},
		{compile(t, filepath.Join(dir, "inside"), "plain.c", "-Wl,--defsym,PMPI_Init=main"), []string{"PMPI_Init", "linked into it"}},
	} {
		_, err := Resolve(c.prog, nil, nil)
		wantRefusal(t, err, OtherMPI, c.prog, c.words...)
	}
	if libs, err := Resolve(program("standard", standard), nil, slices.Concat(abi.Known, stageABI)); err != nil || slices.ContainsFunc(libs, func(l Library) bool { return l.Name == "libmpi_abi.so.0" }) {
		t.Errorf("a program for the standard ABI resolves to %v, %v", libs, err)
	}
}

// TestRefuseTwoABIs has a program whose library was built for another served ABI than itself.
func TestRefuseTwoABIs(t *testing.T) {
	dir := t.TempDir()
	other := shared(t, dir, "libother.so.7", "nothing.c")
	lib := shared(t, dir, "libuses.so", "nothing.c", "-Wl,--no-as-needed,-rpath,"+dir, other)
	prog := compile(t, "prog", "hello.c", "-Wl,--no-as-needed,-rpath,"+dir, lib)
	table := append(slices.Clone(stageABI), &abi.ABI{Name: "Other", Libraries: []string{"libother.so.7"}, Functions: stageABI[0].Functions})
	libs, err := Resolve(prog, nil, table)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.ABIs = table
	_, err = Load(prog, libs, o)
	wantRefusal(t, err, OtherMPI, prog, "the stage", "Other", "libuses.so")
}
