package privatize

import (
	"bytes"
	"debug/elf"
	"os"
	"slices"
)

const (
	cacheFile  = "/etc/ld.so.cache"
	cacheMagic = "glibc-ld.so.cache1.1"
	cacheHead  = 48 // bytes before the entries
	cacheEntry = 24
	cacheWants = 0x303 // flags of an entry: glibc's ELF, x86-64

	cacheExtensions    = 32         // where the head says where they are
	cacheExtensionMark = 0xeaa42174 // before them, then their number
	cacheVariants      = 1          // the one that lists folders of glibc-hwcaps, by 4-byte offsets of their names
	cacheIsVariant     = 1 << 30    // in the upper half of an entry's hwcap; the lower is the number of a folder
	cacheLevels        = 0x3ff      // and beside it what the file itself asks for
)

// readCache reads what ldconfig has found, by name; empty without a cache. Of the variants for special processors the best one for this
// processor counts.
func readCache(path string) map[string]string {
	found := map[string]string{}
	b, err := os.ReadFile(path)
	if err != nil {
		return found
	}
	if i := bytes.Index(b, []byte(cacheMagic)); i >= 0 { // an older table may come before
		b = b[i:]
	}
	if len(b) < cacheHead || !bytes.HasPrefix(b, []byte(cacheMagic)) {
		return found
	}
	text := func(off uint32) string {
		if uint64(off) >= uint64(len(b)) {
			return ""
		}
		s, _, _ := bytes.Cut(b[off:], []byte{0})
		return string(s)
	}
	rank := variantRanks(b, text)
	best := map[string]int{}
	entries := b[cacheHead:]
	for n := le.Uint32(b[len(cacheMagic):]); n > 0 && len(entries) >= cacheEntry; n, entries = n-1, entries[cacheEntry:] {
		name := text(le.Uint32(entries[4:]))
		r := rank(le.Uint64(entries[16:]))
		if old, known := best[name]; le.Uint32(entries) != cacheWants || r < 0 || known && old <= r {
			continue
		}
		found[name], best[name] = text(le.Uint32(entries[8:])), r
	}
	return found
}

// variantRanks tells how good a file is by the hwcap of its entry: 0 is best, and less than that is not for here.
func variantRanks(b []byte, text func(uint32) string) func(hwcap uint64) int {
	names := variantNames(b, text)
	return func(hwcap uint64) int {
		if hwcap == 0 {
			return len(hwcaps())
		}
		if hwcap>>32&^cacheLevels != cacheIsVariant || uint64(uint32(hwcap)) >= uint64(len(names)) {
			return -1
		}
		return slices.Index(hwcaps(), names[uint32(hwcap)])
	}
}

// variantNames are the folders of glibc-hwcaps that entries refer to by number.
func variantNames(b []byte, text func(uint32) string) (names []string) {
	at := uint64(le.Uint32(b[cacheExtensions:]))
	if at == 0 || at+8 > uint64(len(b)) || le.Uint32(b[at:]) != cacheExtensionMark {
		return nil
	}
	const size = 16 // of a section: tag, flags, offset, bytes
	sections := b[at+8:]
	for n := le.Uint32(b[at+4:]); n > 0 && len(sections) >= size; n, sections = n-1, sections[size:] {
		lo := uint64(le.Uint32(sections[8:]))
		hi := lo + uint64(le.Uint32(sections[12:]))
		if le.Uint32(sections) != cacheVariants || hi > uint64(len(b)) {
			continue
		}
		for ; lo+4 <= hi; lo += 4 {
			names = append(names, text(le.Uint32(b[lo:])))
		}
	}
	return names
}

// isForHere tells whether a file begins like a shared library of this machine: a search passes over others.
func isForHere(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [20]byte
	n, _ := f.Read(head[:])
	return n == len(head) && bytes.HasPrefix(head[:], []byte(elf.ELFMAG)) && elf.Class(head[elf.EI_CLASS]) == elf.ELFCLASS64 &&
		elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2LSB && elf.Machine(le.Uint16(head[18:])) == hostMachine
}
