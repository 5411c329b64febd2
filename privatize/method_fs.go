package privatize

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// FS is the method that gives every rank a copy of the program's file, which ld.so loads into the rank's slice. Libraries, a C library
// among them, are shared by the ranks of a worker. They lie at the same addresses in all workers.
type FS struct{}

// Facts describes the method.
func (FS) Facts() Facts {
	return Facts{Name: "fs", How: "a copy of the program's file for each rank, loaded by ld.so; libraries shared",
		Globals: true, Tagged: true, Movable: true, Stays: "what libraries keep for all ranks of a worker; it stays while it uses memory that they have allocated", LoadedByLd: true, Directory: true,
		Cost:    "writes a file, dlopen of the program",
		Rebuild: "no; with -fPIC when it uses variables of its libraries"}
}

// Load prepares the copies, which Place writes to Options.Directory.
func (m FS) Load(prog string, libs []Library, o Options) (Images, error) {
	for _, l := range libs {
		if strings.HasPrefix(l.Name, "libgomp.so") || strings.HasPrefix(l.Name, "libomp.so") || strings.HasPrefix(l.Name, "libiomp5.so") {
			return nil, &Refusal{prog, OtherLoader, "uses OpenMP (" + l.Name + "), whose threads ranks would share under +privatize fs",
				"take +privatize pie or pip"}
		}
	}
	return loadByLdso(prog, libs, o, o.BindShared, o.SharedLibraries, m.Facts(), &fsOpener{o: o, prog: prog, dir: o.Directory})
}

type fsOpener struct {
	o         Options
	prog, dir string
	again     bool // the directory was removed once
	placed    []placedLibrary
	space     *namespace // of the libraries and all copies
}

// place gives the libraries their addresses. Their copies are written when they are opened.
func (o *fsOpener) place(images []*image, libs []Library) ([]Library, error) {
	var err error
	if o.placed, err = placeLibraries(images, libs, o.o.Agreed, o.dir); err != nil {
		return nil, err
	}
	libs = slices.Clone(libs)
	for i := range libs {
		libs[i].Path = o.fileOf(libs[i].Path)
	}
	return libs, nil
}

// fileOf is the copy of a library.
func (o *fsOpener) fileOf(path string) string {
	if i := slices.IndexFunc(o.placed, func(l placedLibrary) bool { return l.path == path }); i >= 0 {
		return o.placed[i].file
	}
	return path
}

// libraries has ld.so load them into a namespace, where all copies of the program will be: first the definitions, then the C library, which
// the others allocate with.
func (o *fsOpener) libraries(given map[string]definition) error {
	err := o.load("definitions", "definitions for libraries", provider(providerName, given), func(file string) (err error) {
		o.space, err = beginNamespace(file)
		return err
	})
	if err != nil {
		return err
	}
	defer o.removeLibraries()
	if err := o.writeLibraries(); err != nil {
		return err
	}
	isC := func(l placedLibrary) bool { return l.name == libcSoname }
	order := append(slices.DeleteFunc(slices.Clone(o.placed), func(l placedLibrary) bool { return !isC(l) }),
		slices.DeleteFunc(slices.Clone(o.placed), isC)...)
	for _, l := range order {
		if err := o.openLibrary(l); err != nil {
			return openingFailed(o.prog, "fs", err)
		}
	}
	return nil
}

// openLibrary has ld.so load one, and tells the runtime of it.
func (o *fsOpener) openLibrary(l placedLibrary) error {
	handle, err := o.space.add(l.file)
	if err != nil {
		return err
	}
	agreed := l.size > 0 && handle.bias() == 0
	if o.o.Opened != nil {
		o.o.Opened(SharedLibrary{Name: l.name, Path: l.path, File: l.file, Base: l.base, Size: l.size, Agreed: agreed, Symbol: handle.symbol})
	}
	if strings.HasPrefix(l.name, "libstdc++.so") {
		handle.startStreams()
	}
	return nil
}

// writeLibraries writes the copies, and makes room where they go.
func (o *fsOpener) writeLibraries() error {
	for i := range o.placed {
		l := &o.placed[i]
		if l.size == 0 {
			continue
		}
		if err := o.write(l.file, l.contents); err != nil {
			return o.full("a copy of "+l.path, l.contents, err)
		}
		l.contents = nil
	}
	if _, _, e := syscall.Syscall(syscall.SYS_MUNMAP, o.o.Agreed.Lo, uintptr(o.o.Agreed.Size), 0); e != 0 && o.o.Agreed.Size > 0 {
		return fmt.Errorf("make room for libraries at %#x: %w", o.o.Agreed.Lo, e)
	}
	return nil
}

func (o *fsOpener) removeLibraries() {
	for _, l := range o.placed {
		if l.size > 0 {
			o.remove(l.file)
		}
	}
}

func (o *fsOpener) open(n int, base uintptr, s *prelinked, _ map[string]definition) (opened, error) {
	what := fmt.Sprintf("the copy of the program for rank %d of a worker", n)
	var copied *namespace
	err := o.load(strconv.Itoa(n), what, s.at(base), func(file string) (err error) {
		copied, err = o.space.add(file)
		return err
	})
	if err != nil {
		return opened{}, err
	}
	return opened{symbol: copied.symbol, close: copied.remove}, nil
}

func (o *fsOpener) end(libraries []string) {
	if o.space == nil {
		return
	}
	files := make([]string, len(libraries))
	for i, path := range libraries {
		files[i] = o.fileOf(path)
	}
	o.space.end(files)
}

// load writes a file, has it loaded, and removes its name at once: the file lives on in its mappings.
func (o *fsOpener) load(name, what string, contents []byte, open func(file string) error) error {
	path := filepath.Join(o.dir, fmt.Sprintf("%d-%s.so", os.Getpid(), name))
	defer o.remove(path)
	if err := o.write(path, contents); err != nil {
		return o.full(what, contents, err)
	}
	if err := open(path); err != nil {
		return openingFailed(o.prog, "fs", err)
	}
	return nil
}

func (o *fsOpener) full(what string, contents []byte, err error) error {
	return directoryRefusal(o.dir, fmt.Sprintf("cannot hold %s (%d bytes): %v", what, len(contents), cause(err)))
}

func (o *fsOpener) remove(path string) {
	os.Remove(path)
	if o.again {
		os.Remove(o.dir)
	}
}

// write makes the directory again that was removed when all ranks had begun: a rank has come from another worker. Others may remove it
// meanwhile, as this one does.
func (o *fsOpener) write(path string, contents []byte) error {
	err := os.WriteFile(path, contents, 0o700)
	for n := 0; n < 100 && errors.Is(err, os.ErrNotExist); n++ {
		if err = os.Mkdir(o.dir, 0o700); err == nil || errors.Is(err, os.ErrExist) {
			o.again = true
			err = os.WriteFile(path, contents, 0o700)
		}
	}
	return err
}

func directoryRefusal(dir, what string) error {
	return &Refusal{File: "+fs-dir " + dir, Reason: BadDirectory, What: what, Way: "name another directory with +fs-dir, or take +privatize pie"}
}

// cause is the innermost error: what the kernel said.
func cause(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}

const directoryPrefix = "ampirun-fs-"

// MakeDirectory makes a private directory for the copies of one job in parent, or in $TMPDIR for "", and removes those of
// jobs of this user that were killed before they could do so. A parent that cannot serve is a *Refusal.
func MakeDirectory(parent string) (string, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	parent, err := filepath.Abs(parent)
	if err != nil {
		return "", err
	}
	removeStale(parent)
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s%d-", directoryPrefix, os.Getpid()))
	if err != nil {
		return "", directoryRefusal(parent, fmt.Sprintf("cannot be written: %v", cause(err)))
	}
	var fs syscall.Statfs_t
	const noExec = 8 // ST_NOEXEC
	if syscall.Statfs(dir, &fs) == nil && fs.Flags&noExec != 0 {
		os.Remove(dir)
		return "", directoryRefusal(parent, "lies on a file system that is mounted noexec")
	}
	return dir, nil
}

// removeStale removes directories whose makers do not live any more. What belongs to others stays.
func removeStale(parent string) {
	names, err := filepath.Glob(filepath.Join(parent, directoryPrefix+"*"))
	if err != nil {
		return
	}
	for _, name := range names {
		var pid int
		if n, _ := fmt.Sscanf(filepath.Base(name), directoryPrefix+"%d-", &pid); n != 1 {
			continue
		}
		info, err := os.Lstat(name)
		if err != nil || !info.IsDir() || int(info.Sys().(*syscall.Stat_t).Uid) != os.Getuid() {
			continue
		}
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			os.RemoveAll(name)
		}
	}
}
