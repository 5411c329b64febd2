package privatize

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"path/filepath"
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
		l := im.tables().Calls(vaddr)[0]
		l.Object, l.Path = im.name, im.path
		return l, true
	}
	return Location{}, false
}

// Symbols is what a file says about its code.
type Symbols struct {
	object string
	path   string
	funcs  []elf.Symbol // by address
	file   *elf.File    // with the debug information
	dwarf  *dwarf.Data
	read   bool // dwarf is what there is
}

// OpenSymbols reads the symbols of the file called path, which may be elsewhere, and its debug information when that is needed.
// Whatever is missing or damaged stays empty.
func OpenSymbols(path, file string) *Symbols {
	s := &Symbols{object: filepath.Base(path), path: path}
	f, data, err := mapFile(file)
	if err != nil {
		return s
	}
	f.Close()
	s.open(data)
	return s
}

// tables reads what the image's file says.
func (im *image) tables() *Symbols {
	if im.debug == nil {
		im.debug = &Symbols{object: im.name, path: im.path}
		im.debug.open(im.data)
	}
	return im.debug
}

func (d *Symbols) open(data []byte) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return
	}
	d.file, d.funcs = f, functionSymbols(f)
	if f.SectionByType(elf.SHT_SYMTAB) != nil && hasDebug(f) {
		return
	}
	if g := separateDebug(d.path, f, data); g != nil {
		d.file, d.funcs = g, functionSymbols(f, g)
	}
}

func hasDebug(f *elf.File) bool {
	return f.Section(".debug_info") != nil || f.Section(".zdebug_info") != nil
}

// source is the file's debug information, nil where it has none.
func (d *Symbols) source() *dwarf.Data {
	if d.file == nil || d.read {
		return d.dwarf
	}
	d.read = true
	if data, err := d.file.DWARF(); err == nil {
		d.dwarf = data
	}
	return d.dwarf
}

// Function returns the name of the function that covers an address of the file, as the table of symbols has it, and the address'
// offset in it; "" where there is none.
func (d *Symbols) Function(vaddr uint64) (name string, offset uint64) {
	i := sort.Search(len(d.funcs), func(i int) bool { return d.funcs[i].Value > vaddr }) - 1
	if i < 0 || vaddr-d.funcs[i].Value >= max(d.funcs[i].Size, 1) {
		return "", 0
	}
	return d.funcs[i].Name, vaddr - d.funcs[i].Value
}

func functionSymbols(files ...*elf.File) []elf.Symbol {
	var all []elf.Symbol
	for _, f := range files {
		static, _ := f.Symbols()
		dynamic, _ := f.DynamicSymbols()
		all = append(append(all, static...), dynamic...)
	}
	funcs := slices.DeleteFunc(all, func(s elf.Symbol) bool {
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

// Calls finds the code at an address of the file. Where functions have been inlined there are several locations: the innermost
// function comes first, each of the others is where it calls the one before. There is always one.
func (d *Symbols) Calls(vaddr uint64) []Location {
	l := Location{Object: d.object, Path: d.path}
	l.Function, l.Offset = d.Function(vaddr)
	if d.source() == nil {
		return []Location{l}
	}
	cu, err := d.dwarf.Reader().SeekPC(vaddr)
	if err != nil {
		return []Location{l}
	}
	return d.sourceCalls(cu, vaddr, l)
}

// sourceCalls adds file and line, and the functions' names as their source has them.
func (d *Symbols) sourceCalls(cu *dwarf.Entry, vaddr uint64, l Location) []Location {
	var files []*dwarf.LineFile
	if lines, err := d.dwarf.LineReader(cu); err == nil && lines != nil {
		var e dwarf.LineEntry
		if lines.SeekPC(vaddr, &e) == nil && e.File != nil {
			l.File, l.Line = e.File.Name, e.Line
		}
		files = lines.Files()
	}
	chain := d.functionsAt(cu, vaddr)
	if len(chain) == 0 {
		return []Location{l}
	}
	calls := make([]Location, 0, len(chain))
	for _, function := range slices.Backward(chain) {
		if name := d.nameOf(function); name != "" {
			l.Function = name
		}
		calls = append(calls, l)
		l.File, l.Line = callSite(function, files)
	}
	return calls
}

// callSite is where an inlined function is called.
func callSite(function *dwarf.Entry, files []*dwarf.LineFile) (file string, line int) {
	n, _ := function.Val(dwarf.AttrCallFile).(int64)
	at, _ := function.Val(dwarf.AttrCallLine).(int64)
	if n <= 0 && at == 0 || n < 0 || n >= int64(len(files)) || files[n] == nil {
		return "", 0
	}
	return files[n].Name, int(at)
}

// functionsAt returns the function of a compilation unit that covers vaddr, and behind it those inlined in it that do, each in
// the one before.
func (d *Symbols) functionsAt(cu *dwarf.Entry, vaddr uint64) (chain []*dwarf.Entry) {
	r := d.dwarf.Reader()
	r.Seek(cu.Offset)
	if _, err := r.Next(); err != nil {
		return nil
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if err != nil || e == nil {
			return chain
		}
		isFunction := e.Tag == dwarf.TagSubprogram && len(chain) == 0 || e.Tag == dwarf.TagInlinedSubroutine && len(chain) > 0
		if isFunction && d.covers(e, vaddr) {
			chain, depth = append(chain, e), 0
			if !e.Children {
				return chain
			}
		}
		depth = walk(r, e, depth, len(chain) > 0)
	}
	return chain
}

// walk keeps count of the tree's depth and passes over what holds no functions. Fortran's internal procedures are inside of
// functions, so those with children are entered. Inside of the function that is looked for, blocks are entered too.
func walk(r *dwarf.Reader, e *dwarf.Entry, depth int, inside bool) int {
	switch {
	case e.Tag == 0:
		return depth - 1
	case !e.Children:
		return depth
	case inside && (e.Tag == dwarf.TagLexDwarfBlock || e.Tag == dwarf.TagInlinedSubroutine):
		return depth + 1
	case e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagNamespace || e.Tag == dwarf.TagModule || e.Tag == dwarf.TagClassType || e.Tag == dwarf.TagStructType:
		return depth + 1
	}
	r.SkipChildren()
	return depth
}

func (d *Symbols) covers(e *dwarf.Entry, vaddr uint64) bool {
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
func (d *Symbols) nameOf(e *dwarf.Entry) string {
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
