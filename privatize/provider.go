package privatize

import (
	"debug/elf"
	"maps"
	"slices"
)

// definition is a symbol that a provider has: an address of this process.
type definition struct {
	at   uintptr
	size uint64 // of a variable; 0 for functions
}

// provider makes a shared library that consists of definitions alone. Loaded before others, it gives their references what the
// runtime wants them to have: ld.so looks in it first, and adds nothing to absolute symbols.
func provider(soname string, defs map[string]definition) []byte {
	names := slices.Sorted(maps.Keys(defs))
	strtab := append([]byte{0}, soname+"\x00"...)
	symtab := make([]byte, symSize)
	for _, name := range names {
		symtab = appendAbsolute(symtab, uint32(len(strtab)), defs[name])
		strtab = append(append(strtab, name...), 0)
	}
	hash := sysvTable(names)
	const headers = ehdrSize + 3*phdrSize
	at := uint64(headers)
	symAt := at
	hashAt := symAt + uint64(len(symtab))
	strAt := hashAt + uint64(len(hash))
	dynAt := (strAt + uint64(len(strtab)) + 15) &^ 15
	dyn := dynamicTable([]elf.DynTag{elf.DT_SONAME, elf.DT_HASH, elf.DT_SYMTAB, elf.DT_STRTAB, elf.DT_STRSZ, elf.DT_SYMENT, elf.DT_NULL},
		[]uint64{1, hashAt, symAt, strAt, uint64(len(strtab)), symSize, 0})
	size := dynAt + uint64(len(dyn))
	file := make([]byte, size)
	writeHeaders(file, dynAt, uint64(len(dyn)))
	copy(file[symAt:], symtab)
	copy(file[hashAt:], hash)
	copy(file[strAt:], strtab)
	copy(file[dynAt:], dyn)
	return file
}

const ehdrSize = 64

func appendAbsolute(symtab []byte, name uint32, d definition) []byte {
	typ := elf.STT_FUNC
	if d.size > 0 {
		typ = elf.STT_OBJECT
	}
	symtab = le.AppendUint32(symtab, name)
	symtab = append(symtab, elf.ST_INFO(elf.STB_GLOBAL, typ), byte(elf.STV_DEFAULT))
	symtab = le.AppendUint16(symtab, uint16(elf.SHN_ABS))
	symtab = le.AppendUint64(symtab, uint64(d.at))
	return le.AppendUint64(symtab, d.size)
}

// sysvTable is DT_HASH of symbols 1 to len(names).
func sysvTable(names []string) []byte {
	buckets, chain := make([]uint32, len(names)/2+1), make([]uint32, len(names)+1)
	for i, name := range names {
		b := sysvHashOf(name) % uint32(len(buckets))
		chain[i+1], buckets[b] = buckets[b], uint32(i+1)
	}
	t := le.AppendUint32(le.AppendUint32(nil, uint32(len(buckets))), uint32(len(chain)))
	for _, v := range append(buckets, chain...) {
		t = le.AppendUint32(t, v)
	}
	return t
}

func dynamicTable(tags []elf.DynTag, values []uint64) (t []byte) {
	for i, tag := range tags {
		t = le.AppendUint64(le.AppendUint64(t, uint64(tag)), values[i])
	}
	return t
}

// writeHeaders describes a library with one segment, which is the file, and a dynamic section in it.
func writeHeaders(file []byte, dynAt, dynSize uint64) {
	copy(file, elf.ELFMAG)
	file[elf.EI_CLASS], file[elf.EI_DATA], file[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	le.PutUint16(file[16:], uint16(elf.ET_DYN))
	le.PutUint16(file[18:], uint16(elf.EM_X86_64))
	le.PutUint32(file[20:], uint32(elf.EV_CURRENT))
	le.PutUint64(file[32:], ehdrSize)
	le.PutUint16(file[52:], ehdrSize)
	le.PutUint16(file[54:], phdrSize)
	le.PutUint16(file[56:], 3)
	writeSegment(file[ehdrSize:], elf.PT_LOAD, 0, uint64(len(file)), pageSize)
	writeSegment(file[ehdrSize+phdrSize:], elf.PT_DYNAMIC, dynAt, dynSize, 8)
	writeSegment(file[ehdrSize+2*phdrSize:], elf.PT_GNU_STACK, 0, 0, 16)
}

// writeSegment writes the header of a segment that lies in memory as it does in the file. ld.so writes to dynamic sections.
func writeSegment(h []byte, typ elf.ProgType, at, size, align uint64) {
	le.PutUint32(h, uint32(typ))
	le.PutUint32(h[4:], uint32(elf.PF_R|elf.PF_W))
	for i, v := range []uint64{at, at, at, size, size, align} {
		le.PutUint64(h[8+8*i:], v)
	}
}
