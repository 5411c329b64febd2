package privatize

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
)

// Sizes are bytes of a file's image by who has them.
type Sizes struct {
	Code     uint64 // executable
	ReadOnly uint64 // constants and tables
	Sealed   uint64 // written by the loader alone (RELRO)
	Data     uint64 // variables with initial values
	BSS      uint64 // variables that begin as zero
	TLS      uint64 // thread-local variables
}

// Sizes measures the segments of the file.
func (f *File) Sizes() (s Sizes) {
	for i := range f.im.loads {
		l := &f.im.loads[i]
		switch {
		case l.flags&elf.PF_W != 0:
			s.Data += l.filesz
			s.BSS += l.memsz - l.filesz
		case l.flags&elf.PF_X != 0:
			s.Code += l.filesz
		default:
			s.ReadOnly += l.filesz
		}
	}
	s.Sealed = min(f.im.relro.size, s.Data)
	s.Data -= s.Sealed
	if f.im.tls != nil {
		s.TLS = f.im.tls.memsz
	}
	return s
}

// Interp is the dynamic loader that a program names.
func (f *File) Interp() string { return f.im.interp }

// ExecStack tells whether the file asks for an executable stack.
func (f *File) ExecStack() bool { return f.im.execStack }

// FixedTLS tells whether the code wants its thread-local variables at a fixed distance from the thread pointer.
func (f *File) FixedTLS() bool { return f.im.wantsStaticTLS() }

// MPI tells whether the file defines MPI itself, and is not made by ampicc.
func (f *File) MPI() bool { return f.im.isMPI() }

// Shim tells whether the file carries ampicc's shim.
func (f *File) Shim() bool { return f.im.defines(shimFunction) }

// Defines tells whether others may take the symbol from this file.
func (f *File) Defines(name string) bool { return f.im.defines(name) }

// CLibrary tells whether the file is part of glibc.
func (f *File) CLibrary() bool { return f.im.isCLibrary() }

// Constructors and Destructors count the functions that run before main and at the end.
func (f *File) Constructors() int {
	d := &f.im.dyn
	return int((d.preinit.size + d.initArr.size) / 8)
}

// Destructors counts the functions that run at the end.
func (f *File) Destructors() int { return int(f.im.dyn.finiArr.size / 8) }

// IFuncs counts the functions that are chosen when the program starts.
func (f *File) IFuncs() (n int) {
	f.relocations(func(r relocation) {
		if elf.R_X86_64(r.typ) == elf.R_X86_64_IRELATIVE {
			n++
		}
	})
	f.EachDynamic(func(s Symbol) {
		if s.Type == elf.STT_GNU_IFUNC && s.Defined {
			n++
		}
	})
	return n
}

// Copies are variables of libraries that the program has a copy of.
func (f *File) Copies() (names []string) {
	f.relocations(func(r relocation) {
		if elf.R_X86_64(r.typ) != elf.R_X86_64_COPY {
			return
		}
		if s, ok := f.im.dyn.symbolAt(r.sym); ok {
			name, _ := f.im.dyn.str(uint64(s.name))
			names = append(names, name)
		}
	})
	return names
}

func (f *File) relocations(visit func(relocation)) {
	for _, table := range [][]byte{f.im.dyn.rela, f.im.dyn.jmprel} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			visit(readRela(table))
		}
	}
}

// BuildID is the linker's, in hexadecimal, or "".
func (f *File) BuildID() string { return hex.EncodeToString(buildID(f.im.data)) }

// Symbol is an entry of a symbol table.
type Symbol struct {
	Name    string
	File    string // the source file of a local symbol, if the table says so
	Type    elf.SymType
	Local   bool
	Defined bool
	Value   uint64
	Size    uint64
	Written bool // a variable that the program may change while it runs
}

// EachDynamic visits the symbols by which the file is bound to others.
func (f *File) EachDynamic(visit func(Symbol)) {
	d := &f.im.dyn
	f.im.eachSymbol(d, min(d.lastNamed(), uint64(len(d.symtab)/symSize)), visit)
}

// EachStatic visits the symbols that strip removes; false when there are none.
func (f *File) EachStatic(visit func(Symbol)) bool {
	symtab, strtab, ok := f.im.staticTables()
	if !ok || len(symtab) < 2*symSize {
		return false
	}
	f.im.eachSymbol(&dynamic{symtab: symtab, strtab: strtab}, uint64(len(symtab)/symSize), visit)
	return true
}

func (im *image) eachSymbol(d *dynamic, n uint64, visit func(Symbol)) {
	sealed, file := im.relro, ""
	for i := uint64(1); i < n; i++ {
		s, _ := d.symbolAt(i)
		name, _ := d.str(uint64(s.name))
		if s.typ == elf.STT_FILE {
			file = name
		}
		if name == "" || s.typ == elf.STT_SECTION || s.typ == elf.STT_FILE {
			continue
		}
		v := Symbol{Name: name, File: file, Type: s.typ, Local: s.bind == elf.STB_LOCAL, Defined: s.shndx != elf.SHN_UNDEF, Value: s.value, Size: s.size}
		if v.Type == elf.STT_OBJECT && v.Defined {
			l := im.segmentOf(s.value, 1)
			v.Written = l != nil && l.flags&elf.PF_W != 0 && s.value-sealed.vaddr >= sealed.size
		}
		visit(v)
	}
}

// Section returns the bytes of a named section; false when there is none. They may be empty.
func (f *File) Section(name string) ([]byte, bool) {
	headers, ok := f.im.sectionHeaders()
	if !ok {
		return nil, false
	}
	index := uint64(le.Uint16(f.im.data[62:]))
	if index >= uint64(len(headers)/shdrSize) {
		return nil, false
	}
	names, ok := f.im.sectionBytes(headers[index*shdrSize:])
	for b := headers; ok && len(b) > 0; b = b[shdrSize:] {
		at := uint64(le.Uint32(b))
		if at >= uint64(len(names)) || !bytes.HasPrefix(names[at:], append([]byte(name), 0)) {
			continue
		}
		data, _ := f.im.sectionBytes(b)
		return data, true
	}
	return nil, false
}

func (im *image) sectionBytes(header []byte) ([]byte, bool) {
	if elf.SectionType(le.Uint32(header[4:])) == elf.SHT_NOBITS {
		return nil, false
	}
	return im.fileBytes(le.Uint64(header[24:]), le.Uint64(header[32:]))
}
