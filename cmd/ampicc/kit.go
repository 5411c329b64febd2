package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"ampirun/shim"
)

const (
	libraryName = "ampi_shim"
	mainLibrary = "ampi_main" // what calls a subroutine MPI_Main
	exportList  = "export.list"
)

// kit is everything that a compiler needs to make MPI programs, built and on disk.
type kit struct {
	compiler []string
	shimDir  string   // include/ and lib/
	modDir   string   // mpi.mod and mpi_f08.mod of this Fortran compiler, "" for other languages
	leniency []string // flags for programs of the time before argument checks
	pie      []string // links a position-independent program
}

func (k *kit) libDir() string { return filepath.Join(k.shimDir, "lib") }

func (k *kit) includeDirs() []string {
	dirs := []string{filepath.Join(k.shimDir, "include")}
	if k.modDir != "" {
		dirs = append(dirs, k.modDir)
	}
	return dirs
}

// defaultPIE tells whether the compiler makes position-independent executables by itself.
func (k *kit) defaultPIE() bool {
	out, err := compilerCommand(k.compiler, "-dM", "-E", "-x", "c", "/dev/null").Output()
	return err == nil && strings.Contains(string(out), "__PIE__")
}

// prepareKit builds what is missing. The library is C and is shared by all languages, so that programs of
// several languages, which see several wrappers' flags, get the same one from each.
func prepareKit(lang *language, compiler []string) (*kit, error) {
	cc := compiler
	if lang != langC {
		var err error
		if cc, err = findCompiler(langC, ""); err != nil {
			return nil, fmt.Errorf("the MPI library is built in C: %w", err)
		}
	}
	k := &kit{compiler: compiler, pie: []string{"-pie"}}
	var err error
	if k.shimDir, err = cached("shim", cc, buildShim); err != nil {
		return nil, err
	}
	if lang != langFortran {
		return k, nil
	}
	k.leniency = leniencyOf(compiler)
	if k.leniency == nil && !knowsPIE(compiler) {
		k.pie = nil
	}
	k.modDir, err = cached("mod", compiler, buildModules)
	return k, err
}

func compilerCommand(compiler []string, args ...string) *exec.Cmd {
	return exec.Command(compiler[0], append(append([]string{}, compiler[1:]...), args...)...)
}

var gfortranVersion = regexp.MustCompile(`^GNU Fortran .*?(\d+)\.\d+`)

// gfortranMajor is the version of a gfortran, 0 for other compilers.
func gfortranMajor(compiler []string) int {
	out, err := compilerCommand(compiler, "--version").Output()
	m := gfortranVersion.FindStringSubmatch(string(out))
	if err != nil || m == nil {
		return 0
	}
	major, _ := strconv.Atoi(m[1])
	return major
}

// leniencyOf lets old programs compile: since version 10 gfortran takes calls of one procedure with buffers of different
// types for errors, which is what every mpif.h program does.
func leniencyOf(compiler []string) []string {
	if gfortranMajor(compiler) < 10 {
		return nil
	}
	return []string{"-fallow-argument-mismatch"}
}

// knowsPIE tells whether a Fortran compiler takes the flag. Some versions of flang do not, and make no other programs.
func knowsPIE(compiler []string) bool {
	return gfortranMajor(compiler) > 0 || compilerCommand(compiler, "-pie", "-###", "-x", "f95", "/dev/null").Run() == nil
}

// describedArrays is the first gfortran whose descriptors of buffers the library knows; the module mpi_f08 is for these.
const describedArrays = 9

// buildShim fills dir with the headers and the library. The library's archive holds one object, linked from all
// files: it is taken whole or not at all, and only once.
func buildShim(dir string, cc []string) error {
	if err := os.CopyFS(dir, shim.Files); err != nil {
		return err
	}
	sources, err := filepath.Glob(filepath.Join(dir, "src", "*.[cS]"))
	if err != nil {
		return err
	}
	var objects []string
	for _, source := range sources {
		object := source + ".o"
		objects = append(objects, object)
		if err := quiet(compilerCommand(cc, "-std=gnu11", "-O2", "-fPIC", "-fno-lto", "-I"+filepath.Join(dir, "include"), "-I"+dir,
			"-c", source, "-o", object)); err != nil {
			return err
		}
	}
	return packShim(dir, cc, objects)
}

func packShim(dir string, cc, objects []string) error {
	lib := filepath.Join(dir, "lib")
	if err := os.Mkdir(lib, 0o777); err != nil {
		return err
	}
	whole := filepath.Join(lib, libraryName+".o")
	if err := quiet(compilerCommand(cc, append([]string{"-r", "-nostdlib", "-o", whole}, objects...)...)); err != nil {
		return err
	}
	if err := quiet(exec.Command("ar", "rcsD", filepath.Join(lib, "lib"+libraryName+".a"), whole)); err != nil {
		return err
	}
	if err := packMain(dir, cc); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "src", exportList), filepath.Join(lib, exportList)); err != nil {
		return err
	}
	for _, used := range append([]string{whole}, filepath.Join(dir, "src"), filepath.Join(dir, "main"), filepath.Join(dir, "fortran")) {
		if err := os.RemoveAll(used); err != nil {
			return err
		}
	}
	return nil
}

// packMain makes a library of its own of what is to be taken only where main is missing.
func packMain(dir string, cc []string) error {
	object := filepath.Join(dir, "main", "mpi_main.o")
	if err := quiet(compilerCommand(cc, "-std=gnu11", "-O2", "-fPIC", "-fno-lto", "-c", filepath.Join(dir, "main", "mpi_main.c"), "-o", object)); err != nil {
		return err
	}
	return quiet(exec.Command("ar", "rcsD", filepath.Join(dir, "lib", "lib"+mainLibrary+".a"), object))
}

// modules are the Fortran modules in the order of their use.
var modules = []string{"mpi_f08_types", "mpi", "mpi_f08"}

// buildModules compiles the modules; their procedures are in the library, so only the .mod files are kept.
func buildModules(dir string, fc []string) error {
	for _, module := range modules {
		if module == "mpi_f08" && gfortranMajor(fc) < describedArrays {
			continue
		}
		if err := buildModule(dir, module, fc); err != nil {
			return err
		}
	}
	return nil
}

func buildModule(dir, module string, fc []string) error {
	source := filepath.Join(dir, module+".f90")
	text, err := shim.Files.ReadFile("fortran/" + module + ".f90")
	if err != nil {
		return err
	}
	if err := os.WriteFile(source, text, 0o666); err != nil {
		return err
	}
	object := filepath.Join(dir, module+".o")
	if err := quiet(compilerCommand(fc, "-c", source, "-J", dir, "-o", object)); err != nil {
		return err
	}
	for _, used := range []string{source, object} {
		if err := os.Remove(used); err != nil {
			return err
		}
	}
	return nil
}

// quiet runs a command and shows its output only when it fails.
func quiet(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("building the MPI library: %s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}
