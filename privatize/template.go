package privatize

import (
	"encoding/binary"
	"slices"
)

// maxExtraPages bounds the zero pages that relocations may fill: 256 MiB of copied variables.
const maxExtraPages = 1 << 16

// template is the writable part of the images relocated for base 0, from which every rank's pages are made:
// file-backed pages as they are, plus the few zero pages a relocation writes to.
type template struct {
	files []filePages       // ascending
	extra map[uint64][]byte // by offset of the page
	sites []site
}

// chunk is a run of template pages at an offset of the image area.
type chunk struct {
	at   uint64
	data []byte
}

// siteKind says what a relocated word of the template holds.
type siteKind uint8

const (
	siteConst    siteKind = iota // the same in every rank
	siteInternal                 // an offset of the image area: add the rank's base
	siteExternal                 // a value of this process: externals[ref] + addend
	siteIfunc                    // the result of resolvers[ref] + addend
)

// site is one relocated 8-byte word.
type site struct {
	at     uint64
	addend uint64
	ref    uint32
	kind   siteKind
}

func (p *Program) newTemplate() *template {
	t := &template{extra: map[uint64][]byte{}}
	for i := range p.privates {
		if r := &p.privates[i]; r.seg.filesz > 0 {
			t.files = append(t.files, p.newFilePages(r))
		}
	}
	return t
}

// find returns the file-backed pages that hold the byte at an offset, or nil.
func (t *template) find(at uint64) *filePages {
	i, found := slices.BinarySearchFunc(t.files, at, func(f filePages, at uint64) int {
		switch {
		case at < f.at:
			return 1
		case at >= f.at+uint64(len(f.data)):
			return -1
		}
		return 0
	})
	if !found {
		return nil
	}
	return &t.files[i]
}

// window returns the template bytes from at to the end of what is contiguous there, or nil.
func (t *template) window(at uint64) []byte {
	if f := t.find(at); f != nil {
		return f.data[at-f.at:]
	}
	if page := t.extra[pageDown(at)]; page != nil {
		return page[at%pageSize:]
	}
	return nil
}

// writable is a window into which n bytes will be written; it makes a zero page where there is none yet.
func (t *template) writable(at uint64, n int) []byte {
	if f := t.find(at); f != nil {
		f.changed(at, n)
	} else if page := pageDown(at); t.extra[page] == nil && len(t.extra) < maxExtraPages {
		t.extra[page] = make([]byte, pageSize)
	}
	return t.window(at)
}

// write puts b at an offset of the area; false when it would need too many new pages.
func (t *template) write(at uint64, b []byte) bool {
	for len(b) > 0 {
		w := t.writable(at, len(b))
		if w == nil {
			return false
		}
		n := copy(w, b)
		b, at = b[n:], at+uint64(n)
	}
	return true
}

// read fills b from an offset of the area; pages without contents are zero.
func (t *template) read(at uint64, b []byte) {
	for len(b) > 0 {
		n := min(len(b), int(pageSize-at%pageSize))
		if w := t.window(at); w != nil {
			copy(b[:n], w)
		} else {
			clear(b[:n])
		}
		b, at = b[n:], at+uint64(n)
	}
}

func (t *template) put(at, v uint64) bool {
	if w := t.writable(at, 8); len(w) >= 8 {
		le.PutUint64(w, v)
		return true
	}
	return t.write(at, binary.LittleEndian.AppendUint64(nil, v))
}

func (t *template) get(at uint64) uint64 {
	var b [8]byte
	t.read(at, b[:])
	return le.Uint64(b[:])
}

// set writes a relocated word and remembers what it is.
func (t *template) set(s site, v uint64) bool {
	t.sites = append(t.sites, s)
	return t.put(s.at, v)
}

// sortSites orders the sites and keeps the last one written to each word, so that none is relocated twice.
func (t *template) sortSites() {
	slices.SortStableFunc(t.sites, func(a, b site) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	kept := t.sites[:0]
	for i, s := range t.sites {
		if i+1 < len(t.sites) && t.sites[i+1].at == s.at {
			continue
		}
		kept = append(kept, s)
	}
	t.sites = kept
}

// sitesIn returns the sorted sites whose words lie in [at, at+n).
func (t *template) sitesIn(at, n uint64) []site {
	byAt := func(s site, at uint64) int {
		switch {
		case s.at < at:
			return -1
		case s.at > at:
			return 1
		}
		return 0
	}
	lo, _ := slices.BinarySearchFunc(t.sites, at, byAt)
	hi := lo
	for hi < len(t.sites) && t.sites[hi].at+8 <= at+n {
		hi++
	}
	return t.sites[lo:hi]
}

// siteAt returns the site of the word at an offset.
func (t *template) siteAt(at uint64) (site, bool) {
	s := t.sitesIn(at, 8)
	if len(s) == 1 && s[0].at == at {
		return s[0], true
	}
	return site{}, false
}

// runs returns the pages that are not all zero, in ascending runs: what has to be copied for each rank. Pages that the kernel
// copies on writing are none of them.
func (t *template) runs() []chunk {
	var all []chunk
	for i := range t.files {
		for _, c := range t.files[i].copied() {
			all = append(all, nonZeroRuns(c)...)
		}
	}
	for at, page := range t.extra {
		all = append(all, nonZeroRuns(chunk{at, page})...)
	}
	slices.SortFunc(all, func(a, b chunk) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	return all
}

func nonZeroRuns(c chunk) []chunk {
	var runs []chunk
	start := -1
	for off := 0; off <= len(c.data); off += pageSize {
		full := off < len(c.data) && !allZero(c.data[off:off+pageSize])
		if full && start < 0 {
			start = off
		}
		if !full && start >= 0 {
			runs = append(runs, chunk{c.at + uint64(start), c.data[start:off]})
			start = -1
		}
	}
	return runs
}

func allZero(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if le.Uint64(b) != 0 {
			return false
		}
	}
	return true
}
