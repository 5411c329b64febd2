package vrank

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ampirun/isomalloc"
)

// maxNumber is more than any descriptor can be.
const maxNumber = 1 << 30

// CheckFiles finds what cannot be in a list of files that a rank had open, as a checkpoint has it: openFiles relies on it. The slice is the rank's,
// in which there are the bytes of those that nobody could open again.
func CheckFiles(list []File, slice isomalloc.Range) error {
	for i := range list {
		f := &list[i]
		if err := f.check(list[:i], slice); err != nil {
			return fmt.Errorf("descriptor %d: %w", f.Number, err)
		}
	}
	return nil
}

// check looks at one file; before are those that come before it in the list.
func (f *File) check(before []File, slice isomalloc.Range) error {
	switch {
	case f.Number < 0 || f.Number > maxNumber:
		return errors.New("there is no such number")
	case slices.ContainsFunc(before, func(o File) bool { return o.Number == f.Number }):
		return errors.New("it is there twice")
	case strings.ContainsRune(f.Path, 0) || f.Other != "":
		return fmt.Errorf("%q is no path", f.Path+f.Other)
	case f.Offset < -1 || f.Size < 0 || f.Mode > 0o7777:
		return fmt.Errorf("offset %d, size %d, mode %o", f.Offset, f.Size, f.Mode)
	case f.Same != 0:
		return f.checkSame(before)
	case f.isDoneWith(before):
		return f.checkContent(slice, false)
	}
	return f.checkState(slice)
}

// checkSame looks at a further number of an open file.
func (f *File) checkSame(before []File) error {
	isThere := func(o File) bool { return o.Number == f.Same && o.Same == 0 }
	if f.Content != 0 || !slices.ContainsFunc(before, isThere) {
		return fmt.Errorf("it is said to be the same as descriptor %d", f.Same)
	}
	return nil
}

// isDoneWith tells whether it is opened together with one before it.
func (f *File) isDoneWith(before []File) bool {
	return slices.ContainsFunc(before, func(o File) bool { return o.Same == 0 && o.Object == f.Object && o.isShared() })
}

// isShared tells whether all that have the object get it from one.
func (f *File) isShared() bool {
	return f.Kind == FileRemoved || f.Kind == FileMemory || f.Kind == FilePipe
}

// checkState looks at what is made again from the checkpoint alone.
func (f *File) checkState(slice isomalloc.Range) error {
	switch f.Kind {
	case FileRegular, FileDirectory, FileDevice, FileSignal, FilePoll:
		return f.checkContent(slice, false)
	case FileRemoved, FileMemory:
		return f.checkContent(slice, true)
	case FileEvent, FileTimer:
		if f.Kind == FileEvent && f.Counter == nil || f.Kind == FileTimer && f.Timer == nil {
			return fmt.Errorf("nothing is said of the %s", f.Kind)
		}
		return f.checkContent(slice, false)
	case FileSocket:
		if f.Socket == nil {
			return errors.New("nothing is said of the socket")
		}
		return f.checkContent(slice, f.Size > 0)
	case FilePipe:
		if err := f.Pipe.check(f.Size); err != nil {
			return err
		}
		return f.checkContent(slice, f.Size > 0)
	}
	return fmt.Errorf("%q is no kind of file", f.Kind)
}

func (p *Pipe) check(size int64) error {
	if p == nil || p.Capacity <= 0 || p.Capacity > maxPipe {
		return errors.New("nothing is said of the pipe, or no capacity")
	}
	for _, n := range p.Packets {
		if size -= int64(n); n <= 0 || size < 0 {
			return errors.New("more packets than bytes are in the pipe")
		}
	}
	return nil
}

// checkContent looks where the bytes are that the checkpoint has of a file, if it has some.
func (f *File) checkContent(slice isomalloc.Range, has bool) error {
	if !has && f.Content == 0 {
		return nil
	}
	if !has || f.Content < uint64(slice.Lo) || f.Content >= uint64(slice.Hi) || uint64(f.Size) > uint64(slice.Hi)-f.Content {
		return fmt.Errorf("its %d bytes are not at %#x", f.Size, f.Content)
	}
	return nil
}
