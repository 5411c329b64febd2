package privatize

import (
	"bytes"
	"debug/elf"
	"os"
)

const (
	cacheFile  = "/etc/ld.so.cache"
	cacheMagic = "glibc-ld.so.cache1.1"
	cacheHead  = 48 // bytes before the entries
	cacheEntry = 24
	cacheWants = 0x303 // flags of an entry: glibc's ELF, x86-64
)

// readCache reads what ldconfig has found, by name; empty without a cache. Variants for special processors are left out: what they stand in
// for is listed as well.
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
	entries := b[cacheHead:]
	for n := le.Uint32(b[len(cacheMagic):]); n > 0 && len(entries) >= cacheEntry; n, entries = n-1, entries[cacheEntry:] {
		name := text(le.Uint32(entries[4:]))
		if le.Uint32(entries) != cacheWants || le.Uint64(entries[16:]) != 0 || found[name] != "" {
			continue
		}
		found[name] = text(le.Uint32(entries[8:]))
	}
	return found
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
