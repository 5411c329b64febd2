package privatize

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ampirun/internal/abi"
)

// Library is a shared library the program needs: the name it was asked for by, and the file found.
type Library struct{ Name, Path string }

// Resolve asks the program's own dynamic loader for the libraries it would load, in the order it would search them,
// so that LD_LIBRARY_PATH, LD_PRELOAD, RPATH, RUNPATH and ld.so.cache all count. MPI libraries are those of the table abis, nil for
// abi.Known: the runtime stands in for those that are served, which are left out with what only they need, or replaced by the library
// that converts. A library that is missing, or of an MPI that is not served, is a *Refusal. Preload names libraries as LD_PRELOAD does, in whose place it stands. It starts a process, so call it once per job, in the
// manager.
func Resolve(prog string, preload []string, abis abi.Table) ([]Library, error) {
	prog, err := filepath.Abs(prog)
	if err != nil {
		return nil, err
	}
	o := Options{ABIs: abis}
	im, err := inspect(prog, o.abis(), checkRunnable)
	if err != nil {
		return nil, err
	}
	host, err := openHost()
	if err != nil {
		return nil, err
	}
	if !sameFile(im.interp, host.path) {
		return nil, refuseLoader(prog, im.interp, host.path)
	}
	out, err := listLibraries(im.interp, prog, preload)
	if err != nil {
		return nil, err
	}
	libs := parseList(out)
	if err := checkPreload(libs, preload); err != nil {
		return nil, err
	}
	return selectLibraries(im, libs, preload, o.abis())
}

// inspected is what the choice of libraries goes by: facts that need no more of a file's bytes.
type inspected struct {
	path, interp string
	needed       []needed
	abi          *abi.ABI // the kind of MPI that the file is, nil for ordinary ones
}

type needed struct {
	name string
	abi  *abi.ABI // nil for what is no MPI library
}

// inspect parses and checks a file.
func inspect(path string, abis abi.Table, check func(*image) error) (*inspected, error) {
	file, data, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	defer unmapFile(data)
	im, err := parse(path, data)
	if err == nil {
		err = check(im)
	}
	if err != nil {
		return nil, err
	}
	f := &inspected{path: im.path, interp: im.interp, abi: kindOf(abis, im)}
	for _, name := range im.dyn.needed {
		f.needed = append(f.needed, needed{name, abiOf(abis, im, name)})
	}
	return f, nil
}

// listLibraries runs the loader in the mode that ldd uses: unlike --list it goes on when a library is missing, and
// says which.
func listLibraries(loader, prog string, preload []string) ([]byte, error) {
	cmd := exec.Command(loader, prog)
	cmd.Env = append(listEnviron(), "LD_TRACE_LOADED_OBJECTS=1", "LC_ALL=C", "LD_PRELOAD="+strings.Join(preload, ":"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return nil, cannotList(prog, err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// listEnviron is the environment without what would make the loader print or check more than asked.
func listEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "LD_DEBUG", "LD_VERBOSE", "LD_WARN", "LD_BIND_NOW", "LD_PRELOAD":
			return true
		}
		return false
	})
}

// parseList reads lines like "libm.so.6 => /lib/libm.so.6 (0x7f...)", "libx.so => not found" and
// "/opt/libpre.so (0x7f...)". A library that was not found has no path.
func parseList(out []byte) []Library {
	var libs []Library
	for line := range strings.Lines(string(out)) {
		name, path, arrow := strings.Cut(strings.TrimSpace(line), " => ")
		if !arrow {
			path = name
		}
		path = cutAddress(path)
		name = cutAddress(name)
		if path == "not found" {
			path = ""
		}
		if name == "" || strings.HasPrefix(name, "linux-vdso") || isLoader(name) {
			continue
		}
		libs = append(libs, Library{Name: name, Path: path})
	}
	return libs
}

// cutAddress takes the load address off the end of a line.
func cutAddress(s string) string {
	if i := strings.LastIndex(s, " (0x"); i >= 0 {
		return s[:i]
	}
	return strings.TrimSpace(s)
}

// selectLibraries keeps, in order, what is reachable from the program without passing through a provided name.
func selectLibraries(prog *inspected, found []Library, preload []string, abis abi.Table) ([]Library, error) {
	s := &selection{prog: prog, found: found, abis: abis, keep: make([]bool, len(found)), chain: []string{prog.path}}
	if err := s.need(prog); err != nil {
		return nil, err
	}
	for i, l := range found {
		if l.isOneOf(preload) {
			if err := s.take(prog, i); err != nil {
				return nil, err
			}
		}
	}
	var libs []Library
	for i, l := range s.found {
		if s.keep[i] {
			libs = append(libs, l)
		}
	}
	return libs, nil
}

type selection struct {
	prog  *inspected
	found []Library
	abis  abi.Table
	keep  []bool
	chain []string // the program, and the libraries by which it comes to what is looked at
}

// need takes all libraries an object asks for.
func (s *selection) need(f *inspected) error {
	for _, n := range f.needed {
		if isLoader(n.name) || n.abi != nil && n.abi.Functions != nil {
			continue
		}
		i := s.index(n.name)
		if n.abi != nil {
			var err error
			if i, err = s.replace(i, n); err != nil {
				return err
			}
		}
		if i < 0 || s.found[i].Path == "" {
			return s.missing(f, n.name)
		}
		if err := s.take(f, i); err != nil {
			return err
		}
	}
	return nil
}

// replace puts the library that converts in the place of an MPI library, number i or -1 of those found, and returns its number.
func (s *selection) replace(i int, n needed) (int, error) {
	if n.abi == abi.Unknown && i >= 0 && s.found[i].Path != "" {
		return i, nil // the file says more than its name
	}
	if n.abi.Library == nil {
		return 0, refuseABI(append(s.chain, n.name), n.abi)
	}
	path, err := n.abi.Library()
	if err != nil {
		return 0, fmt.Errorf("find what stands in for %s: %w", n.name, err)
	}
	if i < 0 {
		i, s.found, s.keep = len(s.found), append(s.found, Library{}), append(s.keep, false)
	}
	s.found[i] = Library{n.name, path}
	return i, nil
}

func (s *selection) take(by *inspected, i int) error {
	if s.keep[i] {
		return nil
	}
	s.keep[i] = true
	f, err := inspect(s.found[i].Path, s.abis, checkLibrary)
	if err != nil {
		return fmt.Errorf("library %s of %s: %w", s.found[i].Name, by.path, err)
	}
	s.chain = append(s.chain, s.found[i].Path)
	defer func() { s.chain = s.chain[:len(s.chain)-1] }()
	switch {
	case f.abi == nil || f.abi.Library != nil:
		return s.need(f)
	case f.abi.Functions != nil: // under another name
		s.keep[i] = false
		return nil
	}
	return refuseABI(s.chain, f.abi)
}

func (s *selection) index(name string) int {
	for i, l := range s.found {
		if l.Name == name {
			return i
		}
	}
	for i, l := range s.found {
		if filepath.Base(l.Path) == filepath.Base(name) {
			return i
		}
	}
	return -1
}

func (s *selection) missing(f *inspected, name string) error {
	what := "needs the library " + name + ", which is not found"
	if f != s.prog {
		what = "needs the library " + name + " (through " + f.path + "), which is not found"
	}
	return &Refusal{s.prog.path, MissingLibrary, what, "install it or add its folder to LD_LIBRARY_PATH"}
}

// isOneOf reports whether the library is there because it is named.
func (l Library) isOneOf(names []string) bool {
	return slices.Contains(names, l.Name) || slices.Contains(names, l.Path)
}

// checkPreload looks whether the loader has found what preload names. Like the loader it passes over names of nothing; a file that is there
// and that the loader has not taken is a *Refusal.
func checkPreload(libs []Library, preload []string) error {
	for _, name := range preload {
		if slices.ContainsFunc(libs, func(l Library) bool { return l.isOneOf([]string{name}) }) {
			continue
		}
		if _, err := os.Stat(name); err == nil && strings.Contains(name, "/") {
			return &Refusal{name, NotELF, "cannot be preloaded", "give a shared library for this machine"}
		}
	}
	return nil
}

// cannotList says why the program's own dynamic loader did not run, or what it said.
func cannotList(prog string, err error, said string) error {
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("list the libraries of %s: %w: raise the limit of processes (ulimit -u, pids.max of the cgroup)", prog, err)
	case said == "":
		return fmt.Errorf("list the libraries of %s: %w", prog, err)
	}
	return fmt.Errorf("list the libraries of %s: %w: %s", prog, err, said)
}
