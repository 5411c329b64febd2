package privatize

import (
	"fmt"
	"os"
	"syscall"
)

// What a rank has written to pages that are mapped from files (onwrite.go) is in the way of moving and saving it: it is
// memory of one process. CommitPrivate puts it into the slice, and notes the pages in a record behind the rank's images: one bit for each
// page, all of them 0, and no memory, until something is committed. That the slice has a page there would not tell: a mere look makes one.

// maxCommitGap is how many pages between two written ones are committed with them, so that runs stay few.
const maxCommitGap = 16

// areaRange is a part of the image area.
type areaRange struct{ at, size uint64 }

// recordSize is the part of the record for so many bytes of file-backed pages.
func recordSize(size uint64) uint64 {
	if size < minOnWrite {
		return 0
	}
	return (size/pageSize + 7) / 8
}

// placeRecord finds room for the record behind the images.
func (p *Program) placeRecord() {
	if p.copyData {
		return
	}
	at := p.span
	for i := range p.template.files {
		f := &p.template.files[i]
		f.recordAt = at
		at += recordSize(uint64(len(f.data)))
	}
	p.span = pageUp(at)
}

// committed is the byte of the record, and the bit in it, for a page of the rank at base.
func (p *Program) committed(base uintptr, page uint64) (*byte, byte) {
	f := p.template.find(page)
	n := (page - f.at) / pageSize
	return &memory(base+uintptr(f.recordAt+n/8), 1)[0], 1 << (n % 8)
}

// part is a piece of a mapping, all of it committed or none.
type part struct {
	areaRange
	committed bool
}

// parts divides a mapping of the rank at base.
func (p *Program) parts(base uintptr, m *fileMap) (list []part) {
	for at := m.at; at < m.at+m.size; at += pageSize {
		b, bit := p.committed(base, at)
		committed := *b&bit != 0
		if n := len(list); n > 0 && list[n-1].committed == committed {
			list[n-1].size += pageSize
			continue
		}
		list = append(list, part{areaRange{at, pageSize}, committed})
	}
	return list
}

// mapOnWrite maps what the kernel is to copy. Adopted images may be committed in part: that is in the slice, whatever this process has
// mapped there since the rank was here last.
func (p *Program) mapOnWrite(base uintptr, adopted bool) error {
	for i := range p.onWrite {
		m := &p.onWrite[i]
		list := []part{{areaRange: areaRange{m.at, m.size}}}
		if adopted {
			list = p.parts(base, m)
		}
		for _, part := range list {
			if err := p.mapPart(base, m, part); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Program) mapPart(base uintptr, m *fileMap, t part) error {
	if !t.committed {
		piece := fileMap{im: m.im, at: t.at, size: t.size, fileOff: m.fileOff + int64(t.at-m.at), prot: m.prot}
		return p.mapFileAt(base, &piece)
	}
	if p.opts.Backing == nil {
		return fmt.Errorf("data of %s at %#x is committed in memory that this process does not have", m.im.path, base+uintptr(t.at))
	}
	if err := mapBacking(base, p.opts.Backing(base), t.areaRange, m.prot); err != nil {
		return fmt.Errorf("map the committed data of %s at %#x: %w", m.im.path, base+uintptr(t.at), mapHint(err))
	}
	return nil
}

// mapBacking shows the slice's own pages in a part of the area.
func mapBacking(base uintptr, b Backing, r areaRange, prot int) error {
	return mmapAt(base+uintptr(r.at), r.size, prot, syscall.MAP_SHARED|syscall.MAP_NORESERVE, b.FD, b.Offset+int64(r.at))
}

// CommitPrivate moves what the rank at base has written to pages that are mapped from files into the backing, where other
// processes find it; it returns how many bytes. Call it in the process that runs the rank, while the rank is suspended, before its
// memory is saved or Detach lets it go. The rank may go on afterwards.
func (p *Program) CommitPrivate(base uintptr, b Backing) (moved uint64, err error) {
	if b.FD < 0 || len(p.onWrite) == 0 {
		return 0, nil
	}
	for i := range p.onWrite {
		m := &p.onWrite[i]
		for _, r := range writtenRuns(base, m) {
			if err := p.commitRun(base, b, r, m.prot); err != nil {
				return moved, fmt.Errorf("commit %s at %#x: %w", m.im.path, base+uintptr(r.at), err)
			}
			moved += r.size
		}
	}
	return moved, nil
}

// writtenRuns lists the pages of a mapping that the kernel has copied for this process.
func writtenRuns(base uintptr, m *fileMap) (runs []areaRange) {
	for i, written := range writtenPages(base, m.at, m.size) {
		if !written {
			continue
		}
		at := m.at + uint64(i)*pageSize
		if n := len(runs); n > 0 && at-(runs[n-1].at+runs[n-1].size) <= maxCommitGap*pageSize {
			runs[n-1].size = at + pageSize - runs[n-1].at
			continue
		}
		runs = append(runs, areaRange{at, pageSize})
	}
	return runs
}

// writtenPages tells of each page whether the kernel has copied it for this process. Where it does not say so, all may have been.
func writtenPages(base uintptr, at, size uint64) []bool {
	written := make([]bool, size/pageSize)
	entries := make([]byte, 8*len(written))
	known := readPagemap(base+uintptr(at), entries) == nil
	for i := range written {
		written[i] = !known || isOwnCopy(le.Uint64(entries[8*i:]))
	}
	return written
}

// readPagemap reads the entries of the pages from addr on.
func readPagemap(addr uintptr, entries []byte) error {
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.ReadAt(entries, int64(addr)/pageSize*8)
	return err
}

// isOwnCopy reads an entry of pagemap: the page exists, and is neither a file's nor shared.
func isOwnCopy(entry uint64) bool {
	const present, swapped, fileOrShared = 1 << 63, 1 << 62, 1 << 61
	return entry&(present|swapped) != 0 && entry&fileOrShared == 0
}

func (p *Program) commitRun(base uintptr, b Backing, r areaRange, prot int) error {
	for done := uint64(0); done < r.size; {
		n, err := syscall.Pwrite(b.FD, memory(base+uintptr(r.at+done), r.size-done), b.Offset+int64(r.at+done))
		if err != nil {
			return err
		}
		done += uint64(n)
	}
	for at := r.at; at < r.at+r.size; at += pageSize {
		note, bit := p.committed(base, at)
		*note |= bit
	}
	return mapBacking(base, b, r, prot)
}
