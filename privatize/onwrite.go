package privatize

import "syscall"

// Large initialised data that no relocation touches is the same in all ranks until they write to it. Its pages are mapped
// from the file, private and writable: the kernel copies a page when a rank first writes to it, so a table that is only
// read costs nothing. What was written is this process's alone until CommitPrivate moves it into the rank's slice.

// minOnWrite is the size of a run of pages from which on it is mapped. Each run costs a rank up to two more mappings;
// copying that much takes 70 us and 256 KiB.
const minOnWrite = 256 << 10

// filePages are the file-backed pages of a writable segment.
type filePages struct {
	chunk
	im      *image
	fileOff int64 // of the first page
	prot    int
	differs []bool // by page: it is not as in the file
	mapped  bool   // data is a mapping, not Go memory

	recordAt uint64 // of the part of a rank's record of committed pages that is about these
}

func (p *Program) newFilePages(r *privateRange) filePages {
	s := r.seg
	size, lead := pageUp(s.fileEnd())-pageDown(s.vaddr), s.vaddr-pageDown(s.vaddr)
	f := filePages{
		chunk: chunk{at: r.at}, im: r.im, fileOff: int64(pageDown(s.off)), prot: syscall.PROT_READ | syscall.PROT_WRITE,
		differs: make([]bool, size/pageSize),
	}
	if r.exec {
		f.prot |= syscall.PROT_EXEC
	}
	if p.copyData {
		f.changed(f.at, int(size))
	}
	if size < minOnWrite || !f.mapFile(p.fd(r.im), size) {
		f.data = make([]byte, size)
		copy(f.data[lead:], r.im.data[s.off:s.off+s.filesz])
	}
	if lead > 0 {
		f.clear(0, lead)
	}
	if end := lead + s.filesz; end < size {
		f.clear(end, size)
	}
	return f
}

// mapFile takes the pages from the file, so that a large segment is not read as a whole.
func (f *filePages) mapFile(fd int, size uint64) bool {
	data, err := syscall.Mmap(fd, f.fileOff, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err == nil {
		f.data, f.mapped = data, true
	}
	return err == nil
}

// clear zeroes what of the first or last page is not the segment's.
func (f *filePages) clear(from, to uint64) {
	clear(f.data[from:to])
	f.changed(f.at+from, int(to-from))
}

// changed notes that n bytes at an offset of the area will be written, or those of them that are in these pages.
func (f *filePages) changed(at uint64, n int) {
	first, last := (at-f.at)/pageSize, (at-f.at+uint64(n)-1)/pageSize
	for i := first; i <= last && i < uint64(len(f.differs)); i++ {
		f.differs[i] = true
	}
}

// eachRun visits the page runs that are to be mapped and those that are to be copied, as offsets in data.
func (f *filePages) eachRun(visit func(from, to uint64, mapped bool)) {
	start := uint64(0)
	for i := uint64(0); i < uint64(len(f.differs)); {
		end := i
		for end < uint64(len(f.differs)) && !f.differs[end] {
			end++
		}
		if (end-i)*pageSize >= minOnWrite {
			visit(start*pageSize, i*pageSize, false)
			visit(i*pageSize, end*pageSize, true)
			start = end
		}
		i = end + 1
	}
	visit(start*pageSize, uint64(len(f.differs))*pageSize, false)
}

// copied lists the pages that ranks get copies of.
func (f *filePages) copied() (list []chunk) {
	f.eachRun(func(from, to uint64, mapped bool) {
		if !mapped && from < to {
			list = append(list, chunk{f.at + from, f.data[from:to]})
		}
	})
	return list
}

// mappings lists the page runs that ranks have mapped from the file for writing.
func (t *template) mappings() (list []fileMap) {
	for i := range t.files {
		f := &t.files[i]
		f.eachRun(func(from, to uint64, mapped bool) {
			if mapped {
				list = append(list, fileMap{im: f.im, at: f.at + from, size: to - from, fileOff: f.fileOff + int64(from), prot: f.prot})
			}
		})
	}
	return list
}

// close gives back what newFilePages mapped.
func (t *template) close() {
	if t == nil {
		return
	}
	for i := range t.files {
		if f := &t.files[i]; f.mapped {
			unmapFile(f.data)
			f.data, f.mapped = nil, false
		}
	}
}
