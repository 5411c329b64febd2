package privatize

import (
	"bytes"
	"debug/elf"
)

const (
	symSize  = 24
	relaSize = 24
	maxInits = 1 << 20
)

// dynamic is the dynamic section: where the tables that a loader needs are, as bounded slices of the file.
type dynamic struct {
	needed       []string
	soname       string
	strtab       []byte
	strings      uint64 // address of strtab
	symtab       []byte // to the end of its segment: its own length is recorded nowhere
	gnuHash      gnuHash
	sysvHash     sysvHash
	versym       []byte
	versions     []version
	versionNames int      // names read so far, to bound what a hostile file can make us do
	verneeds     []uint64 // addresses of what is needed of each library
	rela         []byte
	jmprel       []byte
	relr         []byte
	init         uint64
	fini         uint64
	initArr      vrange
	finiArr      vrange
	preinit      vrange
	rpath        string // folders to search for what this object needs
	runpath      string
	symbolic     bool
	textrel      bool
	pie          bool
}

// dynTags holds the last value of each tag, and all values of DT_NEEDED.
type dynTags struct {
	val    map[elf.DynTag]uint64
	needed []uint64
}

func (t *dynTags) has(tag elf.DynTag) bool { _, ok := t.val[tag]; return ok }

const (
	dtRELRSZ  elf.DynTag = 35
	dtRELR    elf.DynTag = 36
	dtRELRENT elf.DynTag = 37
)

func (im *image) parseDynamic() error {
	b, ok := im.view(im.dynSeg.vaddr, im.dynSeg.size)
	if !ok || im.dynSeg.size == 0 {
		return im.noDynamic()
	}
	tags := readTags(b)
	if err := im.readStrings(tags); err != nil {
		return err
	}
	if err := im.readSymbols(tags); err != nil {
		return err
	}
	if err := im.readRelocations(tags); err != nil {
		return err
	}
	return im.readInits(tags)
}

func (im *image) noDynamic() error {
	if im.interp == "" && im.dynSeg.size == 0 {
		return &Refusal{im.path, Static, "is statically linked", wayDynamic}
	}
	return malformed(im.path, "has its dynamic section outside its data")
}

func readTags(b []byte) *dynTags {
	t := &dynTags{val: map[elf.DynTag]uint64{}}
	for ; len(b) >= 16; b = b[16:] {
		tag, val := elf.DynTag(le.Uint64(b)), le.Uint64(b[8:])
		if tag == elf.DT_NULL {
			break
		}
		if tag == elf.DT_NEEDED {
			t.needed = append(t.needed, val)
			continue
		}
		t.val[tag] = val
	}
	return t
}

// table returns the bytes of a table given by an address tag and a size tag; absent tables are empty.
func (im *image) table(t *dynTags, addr, size elf.DynTag, entry uint64) ([]byte, error) {
	n := t.val[size]
	if n == 0 || !t.has(addr) {
		return nil, nil
	}
	b, ok := im.view(t.val[addr], n)
	if !ok {
		return nil, malformed(im.path, "has its %s table (%d bytes at %#x) outside its data", tagName(addr), n, t.val[addr])
	}
	return b[:n/entry*entry], nil
}

func tagName(t elf.DynTag) string {
	if t == dtRELR {
		return "DT_RELR"
	}
	return t.String()
}

func (im *image) readStrings(t *dynTags) (err error) {
	d := &im.dyn
	if d.strtab, err = im.table(t, elf.DT_STRTAB, elf.DT_STRSZ, 1); err != nil {
		return err
	}
	d.strings = t.val[elf.DT_STRTAB]
	for _, off := range t.needed {
		name, ok := d.str(off)
		if !ok || name == "" {
			return malformed(im.path, "names a needed library outside its string table")
		}
		d.needed = append(d.needed, name)
	}
	if off, ok := t.val[elf.DT_SONAME]; ok {
		if d.soname, ok = d.str(off); !ok {
			return malformed(im.path, "names itself outside its string table")
		}
	}
	for tag, out := range map[elf.DynTag]*string{elf.DT_RPATH: &d.rpath, elf.DT_RUNPATH: &d.runpath} {
		if off, ok := t.val[tag]; ok {
			if *out, ok = d.str(off); !ok {
				return malformed(im.path, "names folders of libraries outside its string table")
			}
		}
	}
	flags := elf.DynFlag(t.val[elf.DT_FLAGS])
	d.symbolic = t.has(elf.DT_SYMBOLIC) || flags&elf.DF_SYMBOLIC != 0
	d.textrel = t.has(elf.DT_TEXTREL) || flags&elf.DF_TEXTREL != 0
	d.pie = elf.DynFlag1(t.val[elf.DT_FLAGS_1])&elf.DF_1_PIE != 0
	return nil
}

// str returns the NUL-terminated string at off of the dynamic string table.
func (d *dynamic) str(off uint64) (string, bool) {
	if off >= uint64(len(d.strtab)) {
		return "", false
	}
	n := bytes.IndexByte(d.strtab[off:], 0)
	if n < 0 {
		return "", false
	}
	return string(d.strtab[off : off+uint64(n)]), true
}

// strIs reports whether the string at off is s, without making a copy.
func (d *dynamic) strIs(off uint64, s string) bool {
	size, n := uint64(len(d.strtab)), uint64(len(s))
	if off >= size || n >= size-off || d.strtab[off+n] != 0 {
		return false
	}
	return string(d.strtab[off:off+n]) == s
}

func (im *image) readSymbols(t *dynTags) error {
	if !t.has(elf.DT_SYMTAB) {
		return nil
	}
	if n, ok := t.val[elf.DT_SYMENT]; ok && n != symSize {
		return malformed(im.path, "has dynamic symbols of %d bytes", n)
	}
	var ok bool
	if im.dyn.symtab, ok = im.viewTail(t.val[elf.DT_SYMTAB]); !ok {
		return malformed(im.path, "has its symbol table outside its data")
	}
	if err := im.readHashes(t); err != nil {
		return err
	}
	return im.readVersions(t)
}

func (im *image) readRelocations(t *dynTags) (err error) {
	d := &im.dyn
	if t.val[elf.DT_RELSZ] != 0 || (t.has(elf.DT_PLTREL) && elf.DynTag(t.val[elf.DT_PLTREL]) != elf.DT_RELA) {
		return malformed(im.path, "has relocations without addends, which x86-64 does not use")
	}
	if n, ok := t.val[elf.DT_RELAENT]; ok && n != relaSize {
		return malformed(im.path, "has relocations of %d bytes", n)
	}
	if n, ok := t.val[dtRELRENT]; ok && n != 8 {
		return malformed(im.path, "has packed relocations of %d bytes", n)
	}
	if d.rela, err = im.table(t, elf.DT_RELA, elf.DT_RELASZ, relaSize); err != nil {
		return err
	}
	if d.jmprel, err = im.table(t, elf.DT_JMPREL, elf.DT_PLTRELSZ, relaSize); err != nil {
		return err
	}
	d.relr, err = im.table(t, dtRELR, dtRELRSZ, 8)
	return err
}

func (im *image) readInits(t *dynTags) error {
	d := &im.dyn
	d.init, d.fini = t.val[elf.DT_INIT], t.val[elf.DT_FINI]
	for _, a := range []struct {
		out        *vrange
		addr, size elf.DynTag
	}{
		{&d.initArr, elf.DT_INIT_ARRAY, elf.DT_INIT_ARRAYSZ},
		{&d.finiArr, elf.DT_FINI_ARRAY, elf.DT_FINI_ARRAYSZ},
		{&d.preinit, elf.DT_PREINIT_ARRAY, elf.DT_PREINIT_ARRAYSZ},
	} {
		r := vrange{t.val[a.addr], t.val[a.size] &^ 7}
		if r.size == 0 {
			continue
		}
		if im.segmentOf(r.vaddr, r.size) == nil || r.size > 8*maxInits {
			return malformed(im.path, "has its %s outside its data", a.addr)
		}
		*a.out = r
	}
	for _, f := range []uint64{d.init, d.fini} {
		if f != 0 && im.segmentOf(f, 1) == nil {
			return malformed(im.path, "has its DT_INIT or DT_FINI outside its code")
		}
	}
	return nil
}
