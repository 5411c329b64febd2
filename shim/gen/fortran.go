package main

import (
	"fmt"
	"strings"
)

// fParam is one argument of a Fortran procedure and, where the C function has it, its C parameter.
type fParam struct {
	apiParam
	FType string // as the standard names it: "INTEGER(KIND=MPI_ADDRESS_KIND)", "<type>", "EXTERNAL", ...
	C     cParam
}

func (p fParam) array() bool  { return p.Length != "-" && p.FType != "CHARACTER*(*)" }
func (p fParam) buffer() bool { return strings.EqualFold(p.FType, "<type>") }

// fProcedure is one MPI procedure of mpif.h and the mpi module.
type fProcedure struct {
	Name   string // MPI_Send
	Proto  prototype
	Params []fParam
	Result string // Fortran type of a function, "" for a subroutine
	Custom bool   // its C side is written by hand in src/fortran_*.c
	Large  bool   // the form with large counts, which only the mpi_f08 module has
}

// hasError tells whether the procedure ends with IERROR.
func (f fProcedure) hasError() bool {
	return f.Result == "" && f.Name != "MPI_Pcontrol" && f.Name != "MPI_F_sync_reg"
}

// symbol is the name that gfortran gives the procedure.
func (f fProcedure) symbol() string { return strings.ToLower(f.Name) + "_" }

// handWritten are the procedures whose arguments need more than a conversion one by one.
var handWritten = map[string]bool{
	"MPI_Comm_create_keyval": true, "MPI_Type_create_keyval": true, "MPI_Win_create_keyval": true,
	"MPI_Keyval_create": true, "MPI_Grequest_start": true, "MPI_Register_datarep": true,
	"MPI_Comm_spawn": true, "MPI_Comm_spawn_multiple": true,
	"MPI_Comm_get_attr": true, "MPI_Type_get_attr": true, "MPI_Win_get_attr": true, "MPI_Attr_get": true,
	"MPI_Comm_set_attr": true, "MPI_Type_set_attr": true, "MPI_Win_set_attr": true, "MPI_Attr_put": true,
	"MPI_Info_get": true, "MPI_Info_get_string": true, "MPI_Session_get_nth_pset": true,
	"MPI_F_sync_reg": true,
}

// fortranProcedures lists every procedure with a binding in mpif.h: those of the table, then the
// removed ones. MPI_SIZEOF is apart, see sizeofKinds.
func fortranProcedures(std *standard) []fProcedure {
	var list []fProcedure
	byName := map[string]prototype{}
	for _, p := range std.Prototypes {
		byName[p.Name] = p
	}
	for _, p := range std.Prototypes {
		if f, ok := fortranProcedure(std, byName, p); ok {
			list = append(list, f)
		}
	}
	list = append(list, syncProcedure(std))
	for _, p := range statusPrototypes {
		if std.Procedures[p.Name] != nil && !betweenC(p.Name) {
			list = append(list, removedProcedure(std, p))
		}
	}
	return list
}

// betweenC tells the status conversions from or to C, which exist in C only.
func betweenC(name string) bool {
	return strings.HasPrefix(name, "MPI_Status_c2") || strings.HasPrefix(name, "MPI_Status_f") && strings.HasSuffix(name, "2c")
}

// syncProcedure is MPI_F_SYNC_REG, which has no C function.
func syncProcedure(std *standard) fProcedure {
	p := std.Procedures["MPI_F_sync_reg"][0]
	buf := fParam{p, std.F90[p.Kind], parseParam("void *buf")}
	return fProcedure{Name: "MPI_F_sync_reg", Proto: prototype{"MPI_F_sync_reg", "void", "void *buf"}, Params: []fParam{buf}, Custom: true}
}

func removedProcedure(std *standard, p prototype) fProcedure {
	f := fProcedure{Name: p.Name, Proto: p, Custom: true}
	for _, a := range std.Procedures[p.Name] {
		if a.Dir != "return" {
			f.Params = append(f.Params, fParam{apiParam: a, FType: std.F90[a.Kind]})
		}
	}
	return f
}

// fortranProcedure returns the Fortran binding of p, false when there is none.
func fortranProcedure(std *standard, byName map[string]prototype, p prototype) (fProcedure, bool) {
	params, known := std.Procedures[p.Name]
	if !known || strings.HasPrefix(p.Name, "MPI_T_") {
		return fProcedure{}, false
	}
	f := fProcedure{Name: p.Name, Proto: p, Custom: handWritten[p.Name]}
	if large, ok := byName[p.Name+"_c"]; ok && onlyLarge(params) {
		f.Proto = large
	}
	return f, f.bind(params, func(kind string) string { return std.F90[kind] })
}

// bind pairs the parameters with those of the C prototype, false when Fortran cannot express one of them.
func (f *fProcedure) bind(params []apiParam, ftype func(kind string) string) bool {
	inC := map[string]cParam{}
	for _, c := range cParams(f.Proto) {
		inC[strings.Replace(c.Name, "indx", "index", 1)] = c
	}
	for _, a := range params {
		if a.Dir == "return" {
			f.Result = ftype(a.Kind)
			continue
		}
		c, here := inC[a.Name]
		if !here || skipped(a.Kind) {
			continue
		}
		if ftype(a.Kind) == "" {
			return false
		}
		f.Params = append(f.Params, fParam{a, ftype(a.Kind), c})
	}
	return true
}

// onlyLarge tells the procedures whose count is MPI_COUNT_KIND in every Fortran binding.
func onlyLarge(params []apiParam) bool {
	for _, a := range params {
		if a.Kind == "XFER_NUM_ELEM_NNI" {
			return true
		}
	}
	return false
}

// skipped are the parameters that Fortran does not have: the command line and C's variable arguments.
func skipped(kind string) bool {
	return kind == "ARGUMENT_COUNT" || kind == "ARGUMENT_LIST" || kind == "VARARGS"
}

// cType is the type behind the pointer that Fortran passes.
func (p fParam) cType() string {
	switch {
	case p.buffer() || p.Kind == "LOGICAL_VOID":
		return "void"
	case p.FType == "CHARACTER*(*)":
		return "char"
	case p.FType == "EXTERNAL":
		return "f_function"
	case strings.Contains(p.FType, "KIND=MPI_OFFSET_KIND"):
		return "MPI_Offset"
	case strings.Contains(p.FType, "KIND=MPI_COUNT_KIND"):
		return "MPI_Count"
	case strings.Contains(p.FType, "KIND=MPI_ADDRESS_KIND"):
		return "MPI_Aint"
	case p.FType == "DOUBLE PRECISION":
		return "double"
	case p.FType == "INTEGER" || p.FType == "LOGICAL" || p.Kind == "F08_STATUS":
		return "MPI_Fint"
	}
	panic(fmt.Sprintf("BUG: no C type for %s of kind %s (%s)", p.Name, p.Kind, p.FType))
}
