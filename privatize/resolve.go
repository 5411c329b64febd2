package privatize

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Library is a shared library the program needs: the name it was asked for by, and the file found.
type Library struct{ Name, Path string }

// Resolve asks the program's own dynamic loader for the libraries it would load, in the order it would search them,
// so that LD_LIBRARY_PATH, LD_PRELOAD, RPATH, RUNPATH and ld.so.cache all count. Libraries for whose name provided is
// true are left out, with what only they need: the runtime stands in for them. A missing library is a
// *Refusal. Preload names libraries as LD_PRELOAD does, in whose place it stands. It starts a process, so call it once per job, in the
// manager.
func Resolve(prog string, preload []string, provided func(soname string) bool) ([]Library, error) {
	prog, err := filepath.Abs(prog)
	if err != nil {
		return nil, err
	}
	im, err := inspect(prog, checkRunnable)
	if err != nil {
		return nil, err
	}
	if provided == nil {
		provided = func(string) bool { return false }
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
	return selectLibraries(im, libs, preload, provided)
}

// inspect parses a file and keeps only the facts that need no more of its bytes.
func inspect(path string, check func(*image) error) (*image, error) {
	f, data, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer unmapFile(data)
	im, err := parse(path, data)
	if err == nil {
		err = check(im)
	}
	if err != nil {
		return nil, err
	}
	im.data, im.dyn = nil, dynamic{needed: im.dyn.needed, soname: im.dyn.soname}
	return im, nil
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
		return nil, fmt.Errorf("list the libraries of %s: %w: %s", prog, err, strings.TrimSpace(stderr.String()))
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
func selectLibraries(prog *image, found []Library, preload []string, provided func(string) bool) ([]Library, error) {
	s := &selection{prog: prog, found: found, provided: provided, keep: make([]bool, len(found))}
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
	for i, l := range found {
		if s.keep[i] {
			libs = append(libs, l)
		}
	}
	return libs, nil
}

type selection struct {
	prog     *image
	found    []Library
	provided func(string) bool
	keep     []bool
}

// need takes all libraries an object asks for.
func (s *selection) need(im *image) error {
	for _, name := range im.dyn.needed {
		if isLoader(name) || s.provided(name) {
			continue
		}
		i := s.index(name)
		if i < 0 || s.found[i].Path == "" {
			return s.missing(im, name)
		}
		if err := s.take(im, i); err != nil {
			return err
		}
	}
	return nil
}

func (s *selection) take(by *image, i int) error {
	if s.keep[i] {
		return nil
	}
	s.keep[i] = true
	im, err := inspect(s.found[i].Path, checkLibrary)
	if err != nil {
		return fmt.Errorf("library %s of %s: %w", s.found[i].Name, by.path, err)
	}
	return s.need(im)
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

func (s *selection) missing(im *image, name string) error {
	what := "needs the library " + name + ", which is not found"
	if im != s.prog {
		what = "needs the library " + name + " (through " + im.path + "), which is not found"
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
