package privatize

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hostLoader is the dynamic loader of this process, the one object that images share with it.
type hostLoader struct {
	path string
	base uintptr
	im   *image
}

func isLoader(soname string) bool {
	return strings.HasPrefix(filepath.Base(soname), "ld-linux")
}

// findHost reads this process's loader and refuses programs that were made for another one, or whose C library
// is not the one that belongs to it: the two share private structures.
func (p *Program) findHost() error {
	h, err := openHost()
	if err != nil {
		return err
	}
	p.host = h
	if !sameFile(p.images[0].interp, h.path) {
		return refuseLoader(p.Path(), p.images[0].interp, h.path)
	}
	return p.checkLibc()
}

func refuseLoader(prog, wants, have string) error {
	return &Refusal{prog, OtherLoader, "wants the loader " + wants + ", ampirun runs with " + have, "rebuild it on this system"}
}

// findLoader tells the file of this process's dynamic loader, and where it lies.
func findLoader() (path string, base uintptr, err error) {
	if base, err = auxBase(); err == nil {
		path, err = mappedFile(base)
	}
	return path, base, err
}

func openHost() (*hostLoader, error) {
	path, base, err := findLoader()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the dynamic loader: %w", err)
	}
	im, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	return &hostLoader{path, base, im}, nil
}

// auxBase finds where the kernel put the dynamic loader of this process.
func auxBase() (uintptr, error) {
	const atBase = 7
	b, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		return 0, fmt.Errorf("find the dynamic loader: %w", err)
	}
	for ; len(b) >= 16; b = b[16:] {
		if le.Uint64(b) == atBase && le.Uint64(b[8:]) != 0 {
			return uintptr(le.Uint64(b[8:])), nil
		}
	}
	return 0, fmt.Errorf("this process has no dynamic loader: it is statically linked, or was started by hand through ld.so")
}

// mappedFile returns the file whose mapping starts at addr.
func mappedFile(addr uintptr) (string, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return "", fmt.Errorf("find the dynamic loader: %w", err)
	}
	prefix := []byte(fmt.Sprintf("%x-", addr))
	for line := range bytes.Lines(maps) {
		if f := bytes.Fields(line); bytes.HasPrefix(line, prefix) && len(f) >= 6 {
			return string(f[5]), nil
		}
	}
	return "", fmt.Errorf("no mapping at %#x, where the dynamic loader should be", addr)
}

func sameFile(a, b string) bool {
	sa, err := os.Stat(a)
	if err != nil {
		return false
	}
	sb, err := os.Stat(b)
	return err == nil && os.SameFile(sa, sb)
}

func (p *Program) checkLibc() error {
	if p.libc == nil {
		return &Refusal{p.Path(), OtherLibc, "does not use the GNU C library (" + libcSoname + ")", "link it with glibc"}
	}
	have := hostLibc()
	if sameFile(have, p.libc.path) || sameBuild(have, p.libc.data) {
		return nil
	}
	return &Refusal{p.libc.path, OtherLibc, "is not the C library that ampirun runs with (" + have + ")",
		"remove it from LD_LIBRARY_PATH or the program's RPATH"}
}

// sameBuild compares the build IDs that the linker gave two files.
func sameBuild(path string, data []byte) bool {
	other, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	a, b := buildID(other), buildID(data)
	return a != nil && bytes.Equal(a, b)
}

// buildID returns the contents of NT_GNU_BUILD_ID, nil when there is none.
func buildID(data []byte) []byte {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	defer f.Close()
	for _, prog := range f.Progs {
		if prog.Type != elf.PT_NOTE || prog.Filesz > 1<<16 || prog.Off > uint64(len(data)) || prog.Filesz > uint64(len(data))-prog.Off {
			continue
		}
		if id := noteBuildID(data[prog.Off:prog.Off+prog.Filesz], max(prog.Align, 4)); id != nil {
			return id
		}
	}
	return nil
}

func noteBuildID(b []byte, align uint64) []byte {
	const gnuBuildID = 3
	round := func(n uint32) uint64 { return (uint64(n) + align - 1) / align * align }
	for len(b) >= 12 {
		name, desc, typ := le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])
		start := 12 + round(name)
		if start+uint64(desc) > uint64(len(b)) {
			return nil
		}
		if typ == gnuBuildID && name == 4 && string(b[12:15]) == "GNU" {
			return b[start : start+uint64(desc)]
		}
		b = b[min(start+round(desc), uint64(len(b))):]
	}
	return nil
}

// hostValue returns the address of a symbol of the host's loader.
func (h *hostLoader) hostValue(q *query) (uintptr, symbol, bool) {
	s, ok := h.im.find(q)
	if !ok || s.typ == elf.STT_TLS {
		return 0, symbol{}, false
	}
	if s.shndx == elf.SHN_ABS {
		return uintptr(s.value), s, true
	}
	return h.base + uintptr(s.value), s, true
}
