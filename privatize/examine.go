package privatize

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ampirun/internal/abi"
)

// Examined is a program with its libraries as far as their files tell, read without running or loading any of it. It holds the
// files until Close.
type Examined struct {
	Files   []*File  // the program, then its libraries, each after those that need it
	Absent  []Absent // what is needed and is no file
	abis    abi.Table
	finder  *finder
	handles []*os.File
}

// Absent is a needed library that is not among the files.
type Absent struct {
	Name string
	By   string   // who needs it: the name of a File
	ABI  *abi.ABI // the kind of MPI it is, nil for other libraries
	Why  error    // what is wrong with the file that was found, nil when there is none
}

// File is one ELF file.
type File struct {
	Name string // as it is asked for
	Path string
	By   string // who needs it first; "" for the program and what is preloaded
	Kind Kind
	im   *image
	by   []*image
}

// Kind tells how a file was linked.
type Kind string

// The kinds of files.
const (
	KindPIE       Kind = "position-independent program (PIE)"
	KindFixed     Kind = "program for a fixed address (not PIE)"
	KindStatic    Kind = "static program"
	KindStaticPIE Kind = "static position-independent program"
	KindLibrary   Kind = "shared library"
)

// Examine reads a program and looks for its libraries as ld.so would. An error is a *Refusal, or what the system says: the
// program's file is not there, or is no ELF program for this machine.
func Examine(prog string, preload []string, abis abi.Table) (*Examined, error) {
	prog, err := filepath.Abs(prog)
	if err != nil {
		return nil, err
	}
	e := &Examined{abis: abis, finder: newFinder(os.Getenv("LD_LIBRARY_PATH"))}
	if err := e.add(&File{Name: filepath.Base(prog), Path: prog}); err != nil {
		return nil, err
	}
	e.Files[0].Kind = e.Files[0].im.kind()
	for _, path := range preload {
		e.need(path, e.Files[0], "")
	}
	for i := 0; i < len(e.Files); i++ {
		f := e.Files[i]
		for _, name := range f.im.dyn.needed {
			e.need(name, f, f.Name)
		}
	}
	return e, nil
}

// add reads a file. What is wrong with its dynamic section alone leaves it there with what can be said.
func (e *Examined) add(f *File) error {
	h, data, err := mapFile(f.Path)
	if err != nil {
		return err
	}
	im, err := parse(f.Path, data)
	if err != nil {
		unmapFile(data)
		h.Close()
		return err
	}
	im.name = f.Name
	if im.typ == elf.ET_EXEC && im.dynSeg.size > 0 && im.parseDynamic() != nil {
		im.dyn = dynamic{}
	}
	f.im, f.Kind = im, KindLibrary
	e.Files, e.handles = append(e.Files, f), append(e.handles, h)
	return nil
}

func (im *image) kind() Kind {
	switch {
	case im.typ == elf.ET_EXEC && im.interp == "":
		return KindStatic
	case im.typ == elf.ET_EXEC:
		return KindFixed
	case im.interp != "":
		return KindPIE
	case im.dyn.pie:
		return KindStaticPIE
	}
	return KindLibrary
}

func (e *Examined) need(name string, by *File, asker string) {
	if isLoader(name) || e.has(name) {
		return
	}
	a := abiOf(e.abis, by.im, name)
	absent := Absent{Name: name, By: asker, ABI: a}
	if a != nil && a != abi.Unknown {
		e.Absent = append(e.Absent, absent)
		return
	}
	path, ok := e.finder.find(name, append([]*image{by.im}, by.by...))
	if ok {
		f := &File{Name: name, Path: path, By: asker, by: append([]*image{by.im}, by.by...)}
		if absent.Why = e.add(f); absent.Why == nil {
			return
		}
	}
	if os.IsNotExist(absent.Why) {
		absent.Why = nil
	}
	e.Absent = append(e.Absent, absent)
}

// has finds a name among what was looked for already.
func (e *Examined) has(name string) bool {
	return slices.ContainsFunc(e.Absent, func(a Absent) bool { return a.Name == name }) || slices.ContainsFunc(e.Files, func(f *File) bool {
		return f.Name == name || f.im.dyn.soname == name || strings.Contains(name, "/") && f.Path == name
	})
}

// Close gives the files back.
func (e *Examined) Close() {
	for i, f := range e.Files {
		unmapFile(f.im.data)
		e.handles[i].Close()
	}
	e.Files, e.handles = nil, nil
}

// Check says why a method would refuse a program with the libraries that Resolve has found, nil when it would not. Nothing is loaded, and no
// code of the program is run.
func Check(m Method, prog string, libs []Library, o Options) error {
	images, err := m.Load(prog, libs, o)
	if err == nil {
		images.Program().Close()
	}
	return err
}
