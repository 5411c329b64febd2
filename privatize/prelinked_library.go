package privatize

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Area is a range of addresses.
type Area struct {
	Lo   uintptr
	Size uint64
}

// SharedLibrary is a library that the ranks of a worker share, as ld.so has loaded it.
type SharedLibrary struct {
	Name, Path string
	File       string // what ld.so calls it
	Base       uintptr
	Size       uint64
	Agreed     bool // it lies at Base, in all workers of the job
	Symbol     func(name string) uintptr
}

// placedLibrary is a library made ready for ld.so to load at an address that all workers agree on, so that an address in it means the same to
// a rank wherever it goes.
type placedLibrary struct {
	name, path string // the original
	file       string // the copy
	base       uintptr
	size       uint64 // 0: it has no place, and is loaded as it is
	contents   []byte // of the copy, until it is written
}

// placeLibraries gives the libraries places in an area, in their order. Those that do not fit go without.
func placeLibraries(images []*image, libs []Library, area Area, dir string) ([]placedLibrary, error) {
	var placed []placedLibrary
	found := slices.Clone(libs)
	at := uint64(area.Lo)
	for i, im := range images {
		l := placedLibrary{name: im.name, path: im.path, file: im.path}
		if base, end := placeAt(im, at); end <= uint64(area.Lo)+area.Size && !isLoader(im.name) {
			l.base, l.size, at = uintptr(base), im.high(), end
			l.file = filepath.Join(dir, fmt.Sprintf("%d-%d-%s", os.Getpid(), i, filepath.Base(im.path)))
			for k := range found {
				if found[k].Name == im.name {
					found[k].Path = l.file
				}
			}
		}
		placed = append(placed, l)
	}
	for i, im := range images {
		if placed[i].size == 0 {
			continue
		}
		s := &prelinked{im: im, isLibrary: true}
		if err := s.prepare(found); err != nil {
			return nil, err
		}
		placed[i].contents = s.at(placed[i].base)
	}
	return placed, nil
}

// placeAt is the address for a library's address 0 at or above at, and the end of the room that ld.so and the kernel look for.
func placeAt(im *image, at uint64) (base, end uint64) {
	size := im.high() - im.low()
	base = (at - im.low() + im.align - 1) &^ (im.align - 1)
	end = base + im.high() + im.align
	if size+im.align >= hugePage {
		end += hugePage
	}
	return base, pageUp(end)
}
