package privatize

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"slices"
	"sort"
)

// Location is where an address is in the program's terms. Only Object and Path are always set; File and Line need
// debug information.
type Location struct {
	Object   string
	Path     string
	Function string
	Offset   uint64 // bytes from the function's start, 0 when the function is not known
	File     string
	Line     int
}

// Locate finds the code at pc of the rank whose images are at base; false when pc is in none of them. It reads the
// files' symbol and debug tables at its first use for each, so it is for reports, not for hot paths.
func (p *Program) Locate(base, pc uintptr) (Location, bool) {
	off := uint64(pc - base)
	for _, im := range p.known() {
		vaddr := off - im.bias
		if pc < base || vaddr < im.low() || vaddr >= im.high() {
			continue
		}
		l := Location{Object: im.name, Path: im.path}
		im.tables().locate(vaddr, &l)
		return l, true
	}
	return Location{}, false
}

// debugTables is what a file says about its code.
type debugTables struct {
	funcs []elf.Symbol // by address
	dwarf *dwarf.Data
}

// tables reads the file's symbols and debug information; whatever is missing or damaged stays empty.
func (im *image) tables() *debugTables {
	if im.debug != nil {
		return im.debug
	}
	im.debug = &debugTables{}
	f, err := elf.NewFile(bytes.NewReader(im.data))
	if err != nil {
		return im.debug
	}
	im.debug.funcs = functionSymbols(f)
	if d, err := f.DWARF(); err == nil {
		im.debug.dwarf = d
	}
	return im.debug
}

func functionSymbols(f *elf.File) []elf.Symbol {
	static, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	funcs := slices.DeleteFunc(append(static, dynamic...), func(s elf.Symbol) bool {
		typ := elf.ST_TYPE(s.Info)
		return s.Section == elf.SHN_UNDEF || s.Name == "" || (typ != elf.STT_FUNC && typ != elf.STT_GNU_IFUNC)
	})
	slices.SortStableFunc(funcs, func(a, b elf.Symbol) int {
		if a.Value < b.Value {
			return -1
		}
		if a.Value > b.Value {
			return 1
		}
		return 0
	})
	return funcs
}

func (d *debugTables) locate(vaddr uint64, l *Location) {
	i := sort.Search(len(d.funcs), func(i int) bool { return d.funcs[i].Value > vaddr }) - 1
	if i >= 0 && vaddr-d.funcs[i].Value < max(d.funcs[i].Size, 1) {
		l.Function, l.Offset = d.funcs[i].Name, vaddr-d.funcs[i].Value
	}
	if d.dwarf != nil {
		d.locateSource(vaddr, l)
	}
}

// locateSource adds file and line, and the function's name as its source has it.
func (d *debugTables) locateSource(vaddr uint64, l *Location) {
	cu, err := d.dwarf.Reader().SeekPC(vaddr)
	if err != nil {
		return
	}
	if name := d.sourceFunction(cu, vaddr); name != "" {
		l.Function = name
	}
	lines, err := d.dwarf.LineReader(cu)
	if err != nil || lines == nil {
		return
	}
	var e dwarf.LineEntry
	if lines.SeekPC(vaddr, &e) == nil && e.File != nil {
		l.File, l.Line = e.File.Name, e.Line
	}
}

// sourceFunction returns the name of the function of a compilation unit that covers vaddr.
func (d *debugTables) sourceFunction(cu *dwarf.Entry, vaddr uint64) string {
	r := d.dwarf.Reader()
	r.Seek(cu.Offset)
	if _, err := r.Next(); err != nil {
		return ""
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if err != nil || e == nil {
			return ""
		}
		if e.Tag == dwarf.TagSubprogram && d.covers(e, vaddr) {
			return d.nameOf(e)
		}
		depth = walk(r, e, depth)
	}
	return ""
}

// walk keeps count of the tree's depth and passes over the insides of functions. Fortran's internal procedures are
// inside functions too, so those with children are entered, and only blocks and types are not.
func walk(r *dwarf.Reader, e *dwarf.Entry, depth int) int {
	switch {
	case e.Tag == 0:
		return depth - 1
	case !e.Children:
		return depth
	case e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagNamespace || e.Tag == dwarf.TagModule || e.Tag == dwarf.TagClassType || e.Tag == dwarf.TagStructType:
		return depth + 1
	}
	r.SkipChildren()
	return depth
}

func (d *debugTables) covers(e *dwarf.Entry, vaddr uint64) bool {
	ranges, err := d.dwarf.Ranges(e)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if vaddr >= r[0] && vaddr < r[1] {
			return true
		}
	}
	return false
}

// nameOf follows the entry to the declaration that carries the name.
func (d *debugTables) nameOf(e *dwarf.Entry) string {
	r := d.dwarf.Reader()
	for range 4 {
		if name, ok := e.Val(dwarf.AttrName).(string); ok {
			return name
		}
		origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if origin, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return ""
			}
		}
		r.Seek(origin)
		next, err := r.Next()
		if err != nil || next == nil {
			return ""
		}
		e = next
	}
	return ""
}
