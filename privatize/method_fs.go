package privatize

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/rainycape/dl"
)

// FS is the method that gives every rank a copy of the program's file, which ld.so loads into the rank's slice. Libraries,
// the C library among them, are those of the worker, shared by its ranks.
type FS struct{}

// Facts describes the method.
func (FS) Facts() Facts {
	return Facts{Name: "fs", How: "a copy of the program's file for each rank, loaded by ld.so; libraries shared",
		Globals: true, Tagged: true, Movable: true, Stays: "what it has in libraries: open streams, memory that they have returned", LoadedByLd: true, Directory: true,
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
	return loadByLdso(prog, libs, o, o.BindShared, o.SharedLibraries, m.Facts(), &fsOpener{prog: prog, dir: o.Directory})
}

// rtldDeepBind has a copy look for symbols in itself and its libraries before it looks in the worker.
const rtldDeepBind = 8

type fsOpener struct {
	prog, dir string
	again     bool // the directory was removed once
}

// libraries opens them where the job's manager has found them: a copy lies elsewhere than the program, so that ld.so would not
// find what is beside that. Package dl adds an ending to names that have none: those few are left to ld.so.
func (o *fsOpener) libraries(libs []Library, given map[string]definition) error {
	if err := o.provide(given); err != nil {
		return err
	}
	for _, l := range libs {
		if isLoader(l.Name) || filepath.Ext(l.Path) == "" {
			continue
		}
		if _, err := dl.Open(l.Path, dl.RTLD_NOW|dl.RTLD_LOCAL); err != nil {
			return openingFailed(o.prog, "fs", err)
		}
		if strings.HasPrefix(l.Name, "libstdc++.so") {
			startStreams(l.Path)
		}
	}
	return nil
}

// provide shows libraries what they get from the runtime.
func (o *fsOpener) provide(given map[string]definition) error {
	_, err := o.load("definitions", "definitions for libraries", provider(providerName, given), dl.RTLD_NOW|dl.RTLD_GLOBAL)
	return err
}

func (o *fsOpener) open(n int, base uintptr, s *prelinked, _ map[string]definition) (opened, error) {
	what := fmt.Sprintf("the copy of the program for rank %d of a worker", n)
	lib, err := o.load(strconv.Itoa(n), what, s.at(base), dl.RTLD_NOW|dl.RTLD_LOCAL|rtldDeepBind)
	if err != nil {
		return opened{}, err
	}
	return opened{symbol: hostSymbol, close: lib.Close}, nil
}

func (o *fsOpener) end(libraries []string) { (*namespace)(nil).end(libraries) }

// load writes a file, has it loaded, and removes its name at once: the file lives on in its mappings.
func (o *fsOpener) load(name, what string, contents []byte, mode int) (*dl.DL, error) {
	path := filepath.Join(o.dir, fmt.Sprintf("%d-%s.so", os.Getpid(), name))
	defer o.remove(path)
	if err := o.write(path, contents); err != nil {
		return nil, directoryRefusal(o.dir, fmt.Sprintf("cannot hold %s (%d bytes): %v", what, len(contents), cause(err)))
	}
	lib, err := dl.Open(path, mode)
	if err != nil {
		return nil, openingFailed(o.prog, "fs", err)
	}
	return lib, nil
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
