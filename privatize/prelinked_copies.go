package privatize

import (
	"debug/elf"
	"slices"
	"strings"
)

// The linker gives a program that is not compiled with -fPIC copies of the variables that it uses of libraries, and in a process
// of its own the libraries use the copies too. Where libraries belong to one rank alone the same is brought about: a provider shows
// them the copies, and the first of the relocations that would fill these calls a function that does it, because ld.so would find the
// copies themselves to fill them from. Where ranks share libraries these go on with the original.

// copiedVar is a variable of a library that the program has a copy of.
type copiedVar struct {
	library string   // its file
	from    uint64   // its address there
	to      uint64   // the copy's offset in the image area
	size    uint64   // of both
	names   []string // of the copy
}

// copied deals with such a variable, and its relocation at an offset in the file.
func (s *prelinked) copied(at, index uint64, name string) error {
	sym, ok := s.im.dyn.symbolAt(index)
	if !ok {
		return malformed(s.im.path, "relocates with symbol %d, which it does not have", index)
	}
	lib, original, ok := s.original(name)
	if s.how.Libraries {
		return s.shown(at, sym, lib, original, ok)
	}
	if !ok || !s.serves(lib, original, name) {
		s.unseen = append(s.unseen, name)
		return nil
	}
	for off := uint64(0); off+8 <= sym.size; off += 8 {
		s.foreign = append(s.foreign, s.im.bias+sym.value+off)
	}
	// To ld.so the copy of the program is a library like any other, whose definitions are no place to copy to: it must not see this one.
	entry := uint64(sliceOffset(s.im.data, s.im.dyn.symtab)) + index*symSize
	le.PutUint16(s.bytes[entry+6:], uint16(elf.SHN_UNDEF))
	le.PutUint64(s.bytes[entry+8:], 0)
	s.fixed(entry + 8)
	return nil
}

// checkCopies refuses a program with copies that its libraries would have to see. Linkers list them in any order.
func (s *prelinked) checkCopies() error {
	slices.Sort(s.unseen)
	what := "a copy of " + strings.Join(s.unseen, ", ") + ", a variable of a library that would not see it"
	switch len(s.unseen) {
	case 0:
		return nil
	case 1:
	default:
		what = "copies of " + strings.Join(s.unseen, ", ") + ", variables of libraries that would not see them"
	}
	return &Refusal{s.im.path, UnknownReloc, "has " + what + " under +privatize " + s.how.Name, "rebuild it with -fPIC, or take +privatize pie"}
}

// fixed keeps the base from being added to a word.
func (s *prelinked) fixed(at uint64) {
	s.bases = slices.DeleteFunc(s.bases, func(off uint64) bool { return off == at })
}

// original finds a variable where the program's libraries define it.
func (s *prelinked) original(name string) (*image, symbol, bool) {
	for _, lib := range s.libs {
		if sym, ok := lib.find(newQuery(name, "")); ok {
			return lib, sym, true
		}
	}
	return nil, symbol{}, false
}

// shown notes a copy that libraries use too. The relocation becomes the call, or nothing.
func (s *prelinked) shown(at uint64, sym symbol, lib *image, original symbol, found bool) error {
	le.PutUint64(s.bytes[at+8:], uint64(elf.R_X86_64_NONE))
	if !found {
		return nil
	}
	if len(s.copies) == 0 {
		result, function := copyHook()
		s.fixed(at)
		le.PutUint64(s.bytes[at:], uint64(result))
		le.PutUint64(s.bytes[at+8:], uint64(elf.R_X86_64_IRELATIVE))
		le.PutUint64(s.bytes[at+16:], uint64(function))
	}
	s.copies = append(s.copies, copiedVar{lib.path, original.value, s.im.bias + sym.value, min(sym.size, original.size), s.namesAt(sym.value)})
	return nil
}

// namesAt lists the names that the program has for an address.
func (s *prelinked) namesAt(value uint64) (names []string) {
	for i := range s.im.dyn.symbolCount() {
		sym, ok := s.im.dyn.symbolAt(i)
		if !ok || sym.shndx == elf.SHN_UNDEF || sym.shndx == elf.SHN_ABS || sym.value != value {
			continue
		}
		name, _ := s.im.dyn.str(uint64(sym.name))
		names = append(names, name)
	}
	return names
}

// cxxStreams are std::cin, cout, cerr, clog and their wide kin. A copy writes to where the original does and has format flags
// of its own.
var cxxStreams = []string{"_ZSt3cin", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt4wcin", "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog"}

// serves tells whether a copy is as good as a variable that libraries do not see it for: constants, streams that nobody assigns.
func (s *prelinked) serves(lib *image, original symbol, name string) bool {
	_, isOption := optionVariables[name]
	return isOption || lib.isConstant(original.value) || slices.Contains([]string{"stdin", "stdout", "stderr", "__libc_single_threaded"}, name) ||
		slices.Contains(cxxStreams, name) || strings.HasPrefix(name, "_ZT")
}

// isConstant tells whether a place is read-only once it has been relocated.
func (im *image) isConstant(vaddr uint64) bool {
	if vaddr-im.relro.vaddr < im.relro.size {
		return true
	}
	return slices.ContainsFunc(im.loads, func(l segment) bool { return vaddr >= l.vaddr && vaddr < l.end() && !l.private() })
}

// definitions shows the libraries the copies of the program at base.
func (s *prelinked) definitions(base uintptr, all map[string]definition) {
	for _, c := range s.copies {
		for _, name := range c.names {
			all[name] = definition{base + uintptr(c.to), c.size}
		}
	}
}
