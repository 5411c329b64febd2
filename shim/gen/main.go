// Command gen turns the facts of the MPI standard in shim/data into everything that has to follow
// them: mpi.h, the function table, the shim's jumps, the Fortran bindings, the names of the C++ bindings and the runtime's table.
//
//	gen -root <repository> [-out <other root>]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// output is one generated file, named relative to the repository.
type output struct {
	path  string
	write func(w io.Writer, std *standard)
}

var outputs = []output{
	{"shim/include/mpi.h", writeHeader},
	{"shim/table.h", writeTable},
	{"shim/src/jump_gen.S", writeJumps},
	{"shim/src/fortran_gen.c", writeWrappers},
	{"shim/src/cxx_gen.c", writeCxxObjects},
	{"shim/include/mpicxx/names.h", writeCxxNames},
	{"shim/include/mpicxx/hide.h", writeCxxHide},
	{"shim/include/mpicxx/unhide.h", writeCxxUnhide},
	{"shim/src/fortran_f08_gen.c", writeF08Wrappers},
	{"shim/include/mpif.h", writeInclude},
	{"shim/fortran/mpi.f90", writeModule},
	{"shim/fortran/mpi_f08_types.f90", writeTypes},
	{"shim/fortran/mpi_f08.f90", writeF08},
	{"shim/index_gen.go", writeIndex},
	{"ampi/table_gen.c", writeRuntime},
	{"ampi/guard_gen_amd64.S", writeGuards},
	{"ampi/functions_gen.h", writeFunctions},
	{"ampi/names_gen.c", writeNames},
}

func main() {
	root := flag.String("root", "..", "repository to read shim/data from")
	out := flag.String("out", "", "write below this directory instead of the repository")
	flag.Parse()
	if *out == "" {
		*out = *root
	}
	if err := generate(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "shim/gen:", err)
		os.Exit(1)
	}
}

func generate(root, out string) error {
	std, err := readStandard(filepath.Join(root, "shim", "data"))
	if err != nil {
		return err
	}
	for _, o := range outputs {
		if err := writeOutput(filepath.Join(out, o.path), o, std); err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
	}
	return nil
}

func writeOutput(path string, o output, std *standard) error {
	var text bytes.Buffer
	o.write(&text, std)
	body := text.Bytes()
	if strings.HasSuffix(path, ".go") {
		formatted, err := format.Source(body)
		if err != nil {
			return err
		}
		body = formatted
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, body, 0o644)
}
