package isomalloc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// View is a way to the memory of a region beside the mapping at its base: whatever ranks map over their slices, or forbid to read, is not in
// the way. It is a second mapping, at any address. Where there is no room for one it uses the memfd.
type View struct {
	region *Region
	mapped uintptr // 0: there was no room
}

// View makes a view of the region.
func (r *Region) View(writable bool) *View {
	prot := unix.PROT_READ
	if writable {
		prot |= unix.PROT_WRITE
	}
	at, err := mapApart(r.FD(), 0, r.cfg.Size(), prot)
	if err != nil {
		at = 0
	}
	return &View{r, at}
}

// mapApart maps a part of a memfd where there is room. Children that are forked do not have it, nor do core files.
func mapApart(fd int, offset, size uint64, prot int) (uintptr, error) {
	at, err := unix.MmapPtr(fd, int64(offset), nil, uintptr(size), prot, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return 0, err
	}
	for _, advice := range []uintptr{unix.MADV_DONTDUMP, unix.MADV_DONTFORK} {
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, uintptr(at), uintptr(size), advice); errno != 0 {
			return 0, errors.Join(errno, unix.MunmapPtr(at, uintptr(size)))
		}
	}
	return uintptr(at), nil
}

// Close takes the mapping away.
func (v *View) Close() {
	if v.mapped != 0 {
		unix.MunmapPtr(pointer(v.mapped), uintptr(v.region.cfg.Size()))
		v.mapped = 0
	}
}

// Bytes is what is in [lo, hi): the memory itself, or a copy in the buffer, which is long enough. Reading what does not exist may make it.
func (v *View) Bytes(lo, hi uintptr, buffer []byte) ([]byte, error) {
	at := lo - v.region.Base()
	if v.mapped != 0 {
		return bytesAt(v.mapped+at, v.mapped+at+(hi-lo)), nil
	}
	if _, err := v.region.file.ReadAt(buffer[:hi-lo], int64(at)); err != nil {
		return nil, fmt.Errorf("read %s of a region: %w", Range{lo, hi}, err)
	}
	return buffer[:hi-lo], nil
}

// Write writes to memory that exists.
func (v *View) Write(lo uintptr, data []byte) error {
	at := lo - v.region.Base()
	if v.mapped != 0 {
		copy(bytesAt(v.mapped+at, v.mapped+at+uintptr(len(data))), data)
		return nil
	}
	return v.Make(lo, data)
}

// Make writes to memory that may not exist. Unlike Write it can fail for want of memory.
func (v *View) Make(lo uintptr, data []byte) error {
	if v.mapped != 0 && v.Populate(Range{lo, lo + uintptr(len(data))}) == nil {
		return v.Write(lo, data)
	}
	if _, err := v.region.WriteAt(data, int64(lo-v.region.Base())); err != nil {
		return fmt.Errorf("write %s of a region: %w", Range{lo, lo + uintptr(len(data))}, err)
	}
	return nil
}

// Populate makes memory exist, if it does not, and maps it, if anything is mapped. An error is no reason to give up: Make has another way.
func (v *View) Populate(r Range) error {
	if v.mapped == 0 {
		return nil
	}
	at := v.mapped + r.Lo - v.region.Base()
	return unix.Madvise(bytesAt(at, at+r.size()), unix.MADV_POPULATE_WRITE)
}

// Extents is what exists of a range. before is what did some time ago, as a hint: most of it is there still, and to find that out from page tables
// is much faster than to ask the memfd, which besides has a lock that all processes want.
func (v *View) Extents(whole Range, before []Range) (out []Range, err error) {
	if v.mapped == 0 {
		return v.region.Extents(whole.Lo, whole.Hi)
	}
	for lo := whole.Lo; lo < whole.Hi; {
		e := Range{}
		if e.Lo, err = v.region.next(lo, whole.Hi, unix.SEEK_DATA); err != nil || e.Lo == whole.Hi {
			return out, err
		}
		for len(before) > 0 && before[0].Hi <= e.Lo {
			before = before[1:]
		}
		if len(before) > 0 && before[0].Lo <= e.Lo && v.holds(Range{e.Lo, min(before[0].Hi, whole.Hi)}) {
			e.Hi = min(before[0].Hi, whole.Hi)
		} else if e.Hi, err = v.region.next(e.Lo, whole.Hi, unix.SEEK_HOLE); err != nil {
			return nil, err
		}
		if n := len(out); n > 0 && out[n-1].Hi == e.Lo {
			out[n-1].Hi = e.Hi
		} else {
			out = append(out, e)
		}
		lo = e.Hi
	}
	return out, nil
}

// AllExtents is Extents of the whole region, on all processors: the control area and each slice by itself, so ranges may touch.
func (v *View) AllExtents(before []Range) (out []Range, err error) {
	parts := make([][]Range, v.region.cfg.Slices+1)
	err = inParallel(len(parts), func(i int) (err error) {
		whole := v.region.Control()
		if i > 0 {
			whole = v.region.Slice(i - 1)
		}
		parts[i], err = v.Extents(whole, from(before, whole.Lo))
		return err
	})
	return slices.Concat(parts...), err
}

// from is the ranges of an ascending list that end above an address.
func from(list []Range, lo uintptr) []Range {
	i, _ := slices.BinarySearchFunc(list, lo, func(r Range, lo uintptr) int {
		if r.Hi <= lo {
			return -1
		}
		return 1
	})
	return list[i:]
}

// Memory is the region's memory where the view has it; nil if there was no room.
func (v *View) Memory() []byte {
	if v.mapped == 0 {
		return nil
	}
	return bytesAt(v.mapped, v.mapped+v.region.size())
}

// holds tells that all pages of a range exist. When it says no some may yet: they are swapped out.
func (v *View) holds(r Range) bool {
	var pages [4096]byte
	for lo := r.Lo; lo < r.Hi; lo += uintptr(len(pages)) * pageSize {
		n := min(r.Hi-lo, uintptr(len(pages))*pageSize)
		at := v.mapped + lo - v.region.Base()
		_, _, errno := unix.Syscall(unix.SYS_MINCORE, at, n, uintptr(unsafe.Pointer(&pages)))
		if errno != 0 || bytes.IndexByte(pages[:n/pageSize], 0) >= 0 {
			return false
		}
	}
	return true
}
