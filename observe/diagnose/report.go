// Package diagnose examines a program without running it, and says what it found and what would keep the program from
// being privatised or moved. All it knows comes from the files: nothing of them is run or loaded into this process.
package diagnose

import (
	"ampirun/internal/abi"
	"ampirun/privatize"
)

// Runtime is what programs are compared with.
type Runtime struct {
	ABIs      abi.Table
	Functions []Function
	// Options are those with which a worker loads programs.
	Options privatize.Options
	// Libraries finds what a program needs, or says why it cannot be run: the loader's own word.
	Libraries func(program string, preload []string) ([]privatize.Library, error)
}

// Function is an MPI function of the standard, by its C name.
type Function struct {
	Name   string
	Served bool
}

// Report is what was found. Sizes are in bytes. Names of fields are those of the JSON form.
type Report struct {
	Program     string    `json:"program"`
	Kind        string    `json:"kind,omitempty"` // how it was linked; "" for a file that is no program for this machine
	Interpreter string    `json:"interpreter,omitempty"`
	MPI         MPI       `json:"mpi"`
	Languages   []string  `json:"languages,omitempty"` // and run-time systems: C++, Fortran, OpenMP, Python, ...
	Compilers   []string  `json:"compilers,omitempty"` // as they have left their names
	Sanitizers  []string  `json:"sanitizers,omitempty"`
	BuildID     string    `json:"build_id,omitempty"`
	Symbols     bool      `json:"symbols"`
	Debug       bool      `json:"debug_info"`
	Libraries   []Library `json:"libraries"`
	Images      []Image   `json:"images"` // the program, then its libraries
	Heap        Heap      `json:"heap"`
	Uses        []Use     `json:"uses,omitempty"`
	Methods     []Method  `json:"methods"`
	Moving      []string  `json:"moving,omitempty"` // what keeps ranks, or parts of them, from moving
	Notes       []string  `json:"notes,omitempty"`
	Refusal     string    `json:"refusal,omitempty"` // why the default method does not run it, "" when it does
	Absent      bool      `json:"-"`                 // there is no such file, or it cannot be read
}

// MPI is how the program comes by MPI.
type MPI struct {
	ABI        string   `json:"abi,omitempty"`     // "" for a program without MPI
	Library    string   `json:"library,omitempty"` // that the program or one of its libraries was linked with
	Shim       bool     `json:"shim"`              // it was linked by ampicc
	Served     bool     `json:"served"`
	Calls      []string `json:"calls,omitempty"` // functions that the program and its libraries refer to
	NotServed  []string `json:"not_served,omitempty"`
	Unknown    []string `json:"unknown,omitempty"` // names like MPI functions that the standard does not have
	Interposed []string `json:"interposed,omitempty"`
}

// Library is a library that the program needs, itself or through others.
type Library struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	By      string `json:"needed_by,omitempty"` // who asks for it first
	State   string `json:"state"`               // found, runtime, other MPI, not found, unusable
	Problem string `json:"problem,omitempty"`
}

// States of libraries.
const (
	Found    = "found"
	StandsIn = "runtime" // the runtime stands in for it
	OtherMPI = "other MPI"
	NotFound = "not found"
	Unusable = "unusable"
)

// Image is what one file adds to every rank.
type Image struct {
	Name         string     `json:"name"`
	Code         uint64     `json:"code"`
	ReadOnly     uint64     `json:"read_only"`
	Sealed       uint64     `json:"sealed"` // written while it is loaded, constant then
	Data         uint64     `json:"data"`
	BSS          uint64     `json:"bss"`
	TLS          uint64     `json:"thread_local"`
	FixedTLS     bool       `json:"fixed_thread_local"` // its code wants these at a fixed place
	Constructors int        `json:"constructors"`
	Destructors  int        `json:"destructors"`
	IFuncs       int        `json:"ifuncs"`
	ExecStack    bool       `json:"executable_stack"`
	Copies       []string   `json:"copies,omitempty"`    // variables of libraries that it has a copy of
	Variables    []Variable `json:"variables,omitempty"` // the largest that are written
	Others       int        `json:"other_variables"`     // and how many more there are
	System       bool       `json:"system"`              // part of the C library or of a compiler
}

// Variable is a variable that may be written.
type Variable struct {
	Name string `json:"name"`
	Size uint64 `json:"size"`
}

// Heap is who serves malloc in a rank.
type Heap struct {
	Allocator string `json:"allocator"` // "runtime", or the image that brings its own
	Kind      string `json:"kind,omitempty"`

	// What the self test found, in a process of its own: "FREE|MUNMAP". Examine, which runs nothing, leaves it to the caller.
	Interception string   `json:"interception,omitempty"`
	Missed       []string `json:"missed,omitempty"`   // functions that get past the runtime
	Untested     string   `json:"untested,omitempty"` // why there was no test
}

// Use is something besides computing that the program or a library of it does.
type Use struct {
	What    string   `json:"what"`
	Symbols []string `json:"symbols"`
	By      []string `json:"by"` // images
	Note    string   `json:"note,omitempty"`
}

// Method is what one method of privatization would do with the program.
type Method struct {
	Name    string   `json:"name"`
	Refusal string   `json:"refusal,omitempty"` // "" when it can be used
	Shared  []string `json:"shared,omitempty"`  // what ranks of a worker would share that the program has
	Movable bool     `json:"movable"`           // by the method itself
	Stays   string   `json:"stays,omitempty"`   // why not, or what stays behind
	Limit   int      `json:"ranks_per_worker,omitempty"`
}

// Runs tells whether the default method runs the program.
func (r *Report) Runs() bool { return r.Refusal == "" }
