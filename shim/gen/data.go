package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// prototype is one C function of the standard ABI.
type prototype struct {
	Name   string
	Result string
	Params string // as the standard prints them, "void" when there are none
}

// apiParam is one language-neutral parameter of an MPI procedure.
type apiParam struct {
	Name   string
	Kind   string
	Dir    string // in, out, inout or return
	Length string // "-" for a scalar, a parameter name, "*" or a constant for an array
	Async  bool   // ASYNCHRONOUS in the mpi_f08 module
}

// isAMPI tells the functions of AMPI from those of MPI.
func isAMPI(name string) bool { return strings.HasPrefix(name, "AMPI_") }

// constant is one named value of the standard ABI; Value is its C expression.
type constant struct {
	Name  string
	Value string
}

// standard holds every fact of the MPI standard that the generator uses.
type standard struct {
	Prototypes []prototype
	Procedures map[string][]apiParam
	Constants  []constant
	Typedefs   []string
	Names      []cxxName
	F90        map[string]string // parameter kind to its type in mpif.h and the mpi module
	Large      map[string]string // as F90, where large-count procedures have another type
	F08        map[string]string // as F90, where the mpi_f08 module has another type
}

// readStandard reads the data files in dir.
func readStandard(dir string) (*standard, error) {
	std := &standard{Procedures: map[string][]apiParam{}, F90: map[string]string{}, Large: map[string]string{}, F08: map[string]string{}}
	readers := []struct {
		file string
		add  func(fields []string) error
	}{
		{"c-prototypes.tsv", std.addPrototype},
		{"c-prototypes-ours.tsv", std.addPrototype},
		{"api.tsv", std.addParam},
		{"api-ours.tsv", std.addParam},
		{"constants.tsv", std.addConstant},
		{"constants-ours.tsv", std.addConstant},
		{"typedefs.txt", std.addTypedef},
		{"typedefs-ours.txt", std.addTypedef},
		{"kinds.tsv", std.addKind},
		{"cxx-names.tsv", std.addNames},
	}
	for _, r := range readers {
		if err := readLines(filepath.Join(dir, r.file), r.add); err != nil {
			return nil, err
		}
	}
	return std, nil
}

func readLines(path string, add func(fields []string) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := add(strings.Split(line, "\t")); err != nil {
			return fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
	}
	return nil
}

func (s *standard) addPrototype(f []string) error {
	if len(f) != 3 {
		return fmt.Errorf("want 3 fields, have %d", len(f))
	}
	s.Prototypes = append(s.Prototypes, prototype{f[0], f[1], f[2]})
	return nil
}

func (s *standard) addParam(f []string) error {
	if len(f) != 7 {
		return fmt.Errorf("want 7 fields, have %d", len(f))
	}
	params := s.Procedures[f[0]]
	if f[1] != "-" {
		params = append(params, apiParam{f[1], f[2], strings.ToLower(f[3]), f[5], f[6] == "async"})
	}
	s.Procedures[f[0]] = params
	return nil
}

// addConstant leaves out the lines that are not values: the choice of the integer types behind
// MPI_Aint and its kin is made by the header itself.
func (s *standard) addConstant(f []string) error {
	if len(f) != 2 {
		return fmt.Errorf("want 2 fields, have %d", len(f))
	}
	switch f[0] {
	case "MPI_H_ABI", "MPI_ABI_Aint", "MPI_ABI_Offset", "MPI_ABI_Count":
		return nil
	}
	s.Constants = append(s.Constants, constant{f[0], f[1]})
	return nil
}

func (s *standard) addTypedef(f []string) error {
	s.Typedefs = append(s.Typedefs, f[0])
	return nil
}

// addKind keeps the Fortran types; SMALL_ is the form without large counts, the only one that
// mpif.h and the mpi module have.
func (s *standard) addKind(f []string) error {
	if len(f) != 3 {
		return fmt.Errorf("want 3 fields, have %d", len(f))
	}
	switch f[0] {
	case "BASE_F90_KIND_MAP":
		if f[2] != "None" {
			s.F90[f[1]] = f[2]
		}
	case "SMALL_F90_KIND_MAP":
		s.F90[f[1]] = f[2]
	case "BIG_F90_KIND_MAP":
		s.Large[f[1]] = f[2]
	case "BASE_F08_KIND_MAP":
		s.F08[f[1]] = f[2]
	}
	return nil
}
