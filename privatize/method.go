package privatize

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// Method is one way to give ranks a program's variables: a back end of the option +privatize. A value belongs to no job.
type Method interface {
	Facts() Facts
	// Load reads the program in the worker that will run ranks, on the thread that runs them. A program that cannot be run
	// in this way is a *Refusal.
	Load(prog string, libs []Library, o Options) (Images, error)
}

// Images is a program that a method has loaded. One goroutine at a time may use it.
type Images interface {
	// Program is what lies in a rank's image area: its layout, objects and thread-local blocks.
	Program() *Program
	// TLSSize is how many bytes below the thread pointer each rank has to itself: TLSSize of Program or more, or 0.
	TLSSize() uint64
	// Place gives images to the rank whose image area begins at base. Call it on the thread that runs ranks.
	Place(base uintptr) (Placed, error)
	// Attach takes over the images at base, whose rank another worker of the job has placed and does not run any more. What a rank
	// has for itself is in its image area already; code and what depends on the process become this worker's, addresses of the C library
	// in the result among them. A method whose ranks cannot move (Facts.Movable) returns an error that says why. Call it on the
	// thread that runs ranks.
	Attach(base uintptr) (Placed, error)
	// CommitPrivate makes all that the rank at base has written memory of the job, which other workers see. Call it while the rank is
	// suspended, before it leaves or is saved; it may go on afterwards.
	CommitPrivate(base uintptr) error
	// NeedSettling tells whether CommitPrivate ever has anything to do.
	NeedSettling() bool
	// Rebinding is what Attach does where it is done by words alone, once files are mapped; nil where that is not so, or not known yet.
	Rebinding() *Rebinding
	// Detach is for the worker that a rank leaves, when it has been committed: it unmaps what is this worker's and shows the job's memory at base.
	Detach(base uintptr) error
	// Finish runs the destructors of libraries that belong to no rank's images, once all ranks of this worker have ended.
	Finish()
}

// Placed is what a rank runs.
type Placed struct {
	Base  uintptr // of the image area that holds its images: another rank's when they are shared
	First bool    // it is the first in these images: its start initialises them, its heap serves all who share them
	Entry Entry
	Stdio Stdio
	// Symbol is the address of a symbol of the program or its libraries as this rank finds it, or 0.
	Symbol func(name string) uintptr
}

// Stdio is how the C library that a rank uses reads, writes and closes files.
type Stdio struct {
	Jumps              uintptr // its table of operations
	Words              int     // of the table, as far as it matters
	Read, Write, Close uintptr // the functions that are in it
}

// Stdio is that of the C library among the images at base.
func (p *Program) Stdio(base uintptr) Stdio {
	f := &p.inside.files
	return Stdio{base + uintptr(f.jumps), int(f.words), base + uintptr(f.read), base + uintptr(f.write), base + uintptr(f.close)}
}

// loadedStdio is that of a C library that ld.so has loaded.
func loadedStdio(symbol func(string) uintptr) (Stdio, error) {
	s := Stdio{symbol("_IO_file_jumps"), 21, symbol("_IO_file_read"), symbol("_IO_file_write"), symbol("_IO_file_close")}
	if s.Jumps == 0 || s.Read == 0 || s.Write == 0 || s.Close == 0 {
		return Stdio{}, &Refusal{hostLibc(), OtherLibc, "has no table of file operations that can be found", "take +privatize pie"}
	}
	return s, nil
}

// open makes the table writable: ld.so has closed it as it does for all that it has relocated.
func (s Stdio) open() error {
	if s.Jumps == 0 {
		return nil
	}
	page := s.Jumps &^ (pageSize - 1)
	_, _, e := syscall.Syscall(syscall.SYS_MPROTECT, page, 2*pageSize, syscall.PROT_READ|syscall.PROT_WRITE)
	if e != 0 {
		return fmt.Errorf("reach the C library's table of file operations at %#x: %w", s.Jumps, e)
	}
	return nil
}

// Facts are a method's row of the table that ampirun --methods prints. Programs of the tests check every field.
type Facts struct {
	Name string
	How  string // in a few words

	// Which variables every rank has for itself: globals and statics of the program, those tagged thread-local, globals of
	// its shared libraries, and what the C library keeps (getopt, strtok, rand, the environment, open streams).
	Globals, Tagged, Libraries, LibC bool

	PerWorker int    // the most ranks a worker can have; 0: as many as memory and vm.max_map_count allow
	Limit     string // what sets PerWorker
	Movable   bool   // a rank can go on in another worker: Images.Attach
	Stays     string // why not, or what stays behind when it does; "" for nothing
	Rebuild   string // whether the program has to be compiled for it

	Cost string // of starting a rank: what it consists of

	LoadedByLd  bool   // ld.so loads the program
	Environment string // NAME=value that the worker's process has to be started with; "" for none
	Directory   bool   // Options.Directory is needed
}

// staysError answers who wants to move a rank that cannot.
func staysError(how Facts) error {
	return fmt.Errorf("ranks cannot move under +privatize %s: %s", how.Name, how.Stays)
}

// methods is the registry, the default first.
var methods = []Method{Pie{}, Pip{}, FS{}, TLS{}, None{}}

// Methods lists what +privatize can be, the default first.
func Methods() []Method { return slices.Clone(methods) }

// MethodNames lists the names for messages: "pie, none or tls".
func MethodNames() string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.Facts().Name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// FindMethod returns the method of that name.
func FindMethod(name string) (Method, error) {
	for _, m := range methods {
		if m.Facts().Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no such method; there are %s", MethodNames())
}
