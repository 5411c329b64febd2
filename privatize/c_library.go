package privatize

import (
	"fmt"
	"os"
	"strings"
)

// LoadCLibrary reads the C library of this process, with its library of threads where that is one of its own, as a program that has no main, to try it.
func LoadCLibrary(o Options) (*Program, error) {
	p := newProgram(o)
	if err := p.loadCLibrary(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Program) loadCLibrary() error {
	host, err := openHost()
	if err != nil {
		return err
	}
	p.host = host
	steps := []func() error{
		func() error { return p.openImage(Library{Name: libcSoname, Path: hostLibc()}, checkLibrary) },
		p.checkLibc,
		p.openThreads,
		p.layout,
		func() error { return p.lookInside(true) },
		p.relocate,
		func() error { return p.lookInside(false) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	p.orderInits()
	p.findEntry()
	return nil
}

// ThreadBlockSize is how large a thread's control block is, as the library that makes threads tells debuggers; 0 if it does not.
func (p *Program) ThreadBlockSize() uint64 {
	q := newQuery("_thread_db_sizeof_pthread", "")
	for _, im := range p.images {
		if s, ok := im.find(q); ok && s.size == 4 {
			if b, ok := im.view(s.value, 4); ok {
				return uint64(le.Uint32(b))
			}
		}
	}
	return 0
}

// LibcID tells this process's C library and loader apart from all others.
func LibcID() (string, error) {
	path, _, err := findLoader()
	if err != nil {
		return "", err
	}
	libc, err := identity(hostLibc())
	if err != nil {
		return "", err
	}
	loader, err := identity(path)
	return libc + " " + loader, err
}

// identity is the build ID of a file, or what the file system knows of it.
func identity(path string) (string, error) {
	f, data, err := mapFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	defer unmapFile(data)
	if id := buildID(data); id != nil {
		return fmt.Sprintf("%x", id), nil
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d %d", path, st.Size(), st.ModTime().UnixNano()), nil
}

// RefuseLibc is a refusal of this process's C library, for what was found when it was tried.
func RefuseLibc(what string) *Refusal {
	path, release := hostLibc(), "a C library that cannot be read"
	if f, data, err := mapFile(path); err == nil {
		release = (&image{data: data}).release()
		unmapFile(data)
		f.Close()
	}
	if !strings.HasPrefix(what, "("+release) {
		what = "(" + release + ") " + what
	}
	return &Refusal{path, OtherLibc, what, wayOtherLibc}
}
