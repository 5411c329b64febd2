package privatize

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

const (
	pageSize    = 4096
	headerSize  = 64
	phdrSize    = 56
	maxPhdrs    = 256
	maxAddress  = 1 << 46 // no image spans more than half of user address space
	maxAlign    = 1 << 21 // the largest page size that linkers use
	maxTLSAlign = pageSize
)

var le = binary.LittleEndian

// segment is one PT_LOAD.
type segment struct {
	vaddr, memsz uint64
	off, filesz  uint64
	flags        elf.ProgFlag
}

func (s *segment) end() uint64 { return s.vaddr + s.memsz }

// fileEnd is the address after the last byte that comes from the file.
func (s *segment) fileEnd() uint64 { return s.vaddr + s.filesz }

// private reports whether each rank needs its own copy of the segment.
func (s *segment) private() bool { return s.flags&elf.PF_W != 0 || s.memsz > s.filesz }

// tlsSegment is PT_TLS; offset is the distance from the thread pointer down to the block.
type tlsSegment struct {
	vaddr, filesz, memsz, align uint64
	module                      int
	offset                      uint64
	dynamic                     bool // each thread's block is allocated at its first use
}

// vrange is a range of addresses of an image.
type vrange struct{ vaddr, size uint64 }

// image is one ELF file of the program: what its headers say, checked against the file's size, and the
// place the layout gives it. Address v of the file is at base + bias + v in every slice.
type image struct {
	name, path string
	copy       string // where the file is read instead, or ""
	data       []byte // the whole file
	typ        elf.Type
	entry      uint64
	interp     string
	loads      []segment
	align      uint64
	tls        *tlsSegment
	phdrs      vrange
	ehFrameHdr vrange
	dynSeg     vrange
	relro      vrange
	execStack  bool
	dyn        dynamic
	bias       uint64
	resolved   map[uint64]target
	debug      *Symbols // read when a report first needs them
}

// low and high bound the image's pages before it is moved to its place.
func (im *image) low() uint64  { return pageDown(im.loads[0].vaddr) }
func (im *image) high() uint64 { return pageUp(im.loads[len(im.loads)-1].end()) }

func pageDown(x uint64) uint64 { return x &^ (pageSize - 1) }
func pageUp(x uint64) uint64   { return (x + pageSize - 1) &^ (pageSize - 1) }

// parse reads the headers and the dynamic section of one ELF file. It trusts nothing: every offset, size
// and count is checked against the file before it is used.
func parse(path string, data []byte) (*image, error) {
	if err := checkIdent(path, data); err != nil {
		return nil, err
	}
	im := &image{
		path: path, data: data, align: pageSize,
		typ:      elf.Type(le.Uint16(data[16:])),
		entry:    le.Uint64(data[24:]),
		resolved: map[uint64]target{},
	}
	if im.typ != elf.ET_DYN && im.typ != elf.ET_EXEC {
		return nil, &Refusal{path, NotProgram, "is neither a program nor a shared library (" + im.typ.String() + ")", "link it into a program first"}
	}
	if err := im.parseHeaders(); err != nil {
		return nil, err
	}
	if err := im.checkLoads(); err != nil {
		return nil, err
	}
	if err := im.checkParts(); err != nil {
		return nil, err
	}
	if im.typ == elf.ET_EXEC {
		return im, nil // refused by the caller, who knows whether it is static
	}
	if err := im.parseDynamic(); err != nil {
		return nil, err
	}
	return im, nil
}

// checkIdent refuses what is not a little-endian 64-bit ELF file for this machine.
func checkIdent(path string, data []byte) error {
	if bytes.HasPrefix(data, []byte("#!")) {
		return &Refusal{path, Script, "is a script, not an ELF program", "give ampirun the program that the script starts"}
	}
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return &Refusal{path, NotELF, "is not an ELF program", "give ampirun a compiled program"}
	}
	if len(data) < headerSize {
		return malformed(path, "is cut off inside its ELF header (%d bytes)", len(data))
	}
	if c := elf.Class(data[elf.EI_CLASS]); c != elf.ELFCLASS64 {
		return &Refusal{path, WrongClass, "is a 32-bit program", wayTarget}
	}
	if d := elf.Data(data[elf.EI_DATA]); d != elf.ELFDATA2LSB {
		return &Refusal{path, WrongOrder, "is a big-endian program", wayTarget}
	}
	if m := elf.Machine(le.Uint16(data[18:])); m != hostMachine {
		return &Refusal{path, WrongMachine, "is a program for another machine (" + m.String() + ")", wayTarget}
	}
	return nil
}

func (im *image) parseHeaders() error {
	off, n := le.Uint64(im.data[32:]), uint64(le.Uint16(im.data[56:]))
	if size := le.Uint16(im.data[54:]); size != phdrSize || n == 0 || n > maxPhdrs {
		return malformed(im.path, "has %d program headers of %d bytes", n, size)
	}
	table, ok := im.fileBytes(off, n*phdrSize)
	if !ok {
		return malformed(im.path, "has its program headers outside the file")
	}
	for ; len(table) > 0; table = table[phdrSize:] {
		if err := im.addHeader(readHeader(table)); err != nil {
			return err
		}
	}
	if len(im.loads) == 0 {
		return malformed(im.path, "has no loadable segment")
	}
	im.phdrs = im.headerAddress(off, n)
	return nil
}

func readHeader(b []byte) elf.ProgHeader {
	return elf.ProgHeader{
		Type: elf.ProgType(le.Uint32(b)), Flags: elf.ProgFlag(le.Uint32(b[4:])),
		Off: le.Uint64(b[8:]), Vaddr: le.Uint64(b[16:]),
		Filesz: le.Uint64(b[32:]), Memsz: le.Uint64(b[40:]), Align: le.Uint64(b[48:]),
	}
}

func (im *image) addHeader(h elf.ProgHeader) error {
	switch h.Type {
	case elf.PT_LOAD:
		return im.addLoad(h)
	case elf.PT_DYNAMIC:
		im.dynSeg = vrange{h.Vaddr, h.Filesz}
	case elf.PT_GNU_RELRO:
		im.relro = vrange{h.Vaddr, h.Memsz}
	case elf.PT_INTERP:
		b, ok := im.fileBytes(h.Off, h.Filesz)
		if !ok || len(b) < 2 || len(b) > 4096 || b[len(b)-1] != 0 {
			return malformed(im.path, "names its loader outside the file")
		}
		im.interp = string(b[:len(b)-1])
	case elf.PT_TLS:
		im.tls = &tlsSegment{vaddr: h.Vaddr, filesz: h.Filesz, memsz: h.Memsz, align: max(h.Align, 1)}
	case elf.PT_GNU_EH_FRAME:
		im.ehFrameHdr = vrange{h.Vaddr, h.Filesz}
	case elf.PT_GNU_STACK:
		im.execStack = h.Flags&elf.PF_X != 0
	}
	return nil
}

func (im *image) addLoad(h elf.ProgHeader) error {
	if h.Memsz == 0 {
		return nil
	}
	if h.Filesz > h.Memsz {
		return malformed(im.path, "has a segment at %#x with more bytes in the file than in memory", h.Vaddr)
	}
	if h.Vaddr > maxAddress || h.Memsz > maxAddress {
		return malformed(im.path, "has a segment at %#x of %d bytes, larger than the address space", h.Vaddr, h.Memsz)
	}
	if _, ok := im.fileBytes(h.Off, h.Filesz); !ok {
		return malformed(im.path, "is truncated: a segment needs bytes %d to %d of %d", h.Off, h.Off+h.Filesz, len(im.data))
	}
	if a := h.Align; a > 1 && a&(a-1) != 0 {
		return malformed(im.path, "has a segment aligned to %d, not a power of two", a)
	}
	if h.Align > maxAlign {
		return &Refusal{im.path, Malformed, fmt.Sprintf("has a segment aligned to %d bytes, limit %d", h.Align, maxAlign),
			"align its variables less, link it with the usual -z max-page-size"}
	}
	if h.Vaddr%pageSize != h.Off%pageSize {
		return malformed(im.path, "has a segment at %#x whose file offset %#x does not fit its page", h.Vaddr, h.Off)
	}
	im.align = max(im.align, h.Align)
	im.loads = append(im.loads, segment{h.Vaddr, h.Memsz, h.Off, h.Filesz, h.Flags})
	return nil
}

// checkLoads wants segments in ascending order that share no page: each is then a mapping of its own.
func (im *image) checkLoads() error {
	for i := 1; i < len(im.loads); i++ {
		prev, next := &im.loads[i-1], &im.loads[i]
		if next.vaddr < prev.end() {
			return malformed(im.path, "has overlapping or unsorted segments at %#x and %#x", prev.vaddr, next.vaddr)
		}
		if pageDown(next.vaddr) < pageUp(prev.end()) {
			return &Refusal{im.path, Malformed, "has two segments in one page", "link it without -N and with the usual -z max-page-size"}
		}
	}
	return nil
}

// checkParts checks the headers that point into segments.
func (im *image) checkParts() error {
	if t := im.tls; t != nil {
		if t.align&(t.align-1) != 0 || t.filesz > t.memsz || t.memsz > maxAddress || t.vaddr > maxAddress {
			return malformed(im.path, "has a thread-local segment of %d bytes aligned to %d", t.memsz, t.align)
		}
		if _, ok := im.view(t.vaddr, t.filesz); !ok && t.filesz > 0 {
			return malformed(im.path, "has its thread-local segment outside its data")
		}
	}
	if _, ok := im.view(im.ehFrameHdr.vaddr, im.ehFrameHdr.size); !ok {
		im.ehFrameHdr = vrange{}
	}
	return nil
}

// headerAddress finds where the program headers are in memory; a zero range means nowhere.
func (im *image) headerAddress(off, n uint64) vrange {
	for i := range im.loads {
		s := &im.loads[i]
		if off >= s.off && off-s.off <= s.filesz && n*phdrSize <= s.filesz-(off-s.off) {
			return vrange{s.vaddr + off - s.off, n * phdrSize}
		}
	}
	return vrange{}
}

// fileBytes returns n bytes of the file at off.
func (im *image) fileBytes(off, n uint64) ([]byte, bool) {
	size := uint64(len(im.data))
	if off > size || n > size-off {
		return nil, false
	}
	return im.data[off : off+n : off+n], true
}

// view returns the n file bytes that load at vaddr.
func (im *image) view(vaddr, n uint64) ([]byte, bool) {
	b, ok := im.viewTail(vaddr)
	if !ok || n > uint64(len(b)) {
		return nil, false
	}
	return b[:n:n], true
}

// viewTail returns the file bytes from vaddr to the end of the file part of its segment.
func (im *image) viewTail(vaddr uint64) ([]byte, bool) {
	for i := range im.loads {
		s := &im.loads[i]
		if vaddr >= s.vaddr && vaddr-s.vaddr < s.filesz {
			return im.data[s.off+vaddr-s.vaddr : s.off+s.filesz], true
		}
	}
	return nil, false
}

// segmentOf returns the segment that holds [vaddr, vaddr+n) in memory, or nil.
func (im *image) segmentOf(vaddr, n uint64) *segment {
	for i := range im.loads {
		s := &im.loads[i]
		if vaddr >= s.vaddr && vaddr-s.vaddr <= s.memsz && n <= s.memsz-(vaddr-s.vaddr) {
			return s
		}
	}
	return nil
}
