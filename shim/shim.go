// Package shim is the MPI surface of the program's side: mpi.h of the MPI 5.0 standard ABI, the
// Fortran bindings and the table of functions that the runtime hands to every program image.
//
// Everything with a generated counterpart is remade by "go generate ./shim" from the facts of the
// standard in shim/data.
package shim

import "embed"

//go:generate go run ./gen -root ..

// Files holds what a compiler wrapper needs to build the program's side: table.h, pup.h, include/ (mpi.h,
// mpif.h), main/ (what calls a subroutine MPI_Main), src/ (the shim's C and assembly, and export.list for the linker) and fortran/ (the sources of
// the modules mpi_f08_types, mpi and mpi_f08).
//
//go:embed table.h pup.h iget.h include src main fortran
var Files embed.FS

// Standard is the version of the MPI standard whose ABI the shim has, as MPI_Get_version says it.
const Standard = "5.0"

// BalancerPrefix begins the name of the symbol by which a program says the strategy that it was linked for with -balancer.
const BalancerPrefix = "ampi_balancer_"

// Symbols of the program that the runtime looks for; every image of a rank that defines UnpackSymbol is to be given
// the table, since a shared library may contain a shim as well.
const (
	UnpackSymbol = "ampi_shim_unpack" // int (const struct ampi_shim_table *), 0 when taken
	ErrorSymbol  = "ampi_shim_error"  // const char *(void), why the table was not taken
	HashSymbol   = "ampi_shim_hash"   // const uint64_t, equal to Hash when program and runtime agree
)
