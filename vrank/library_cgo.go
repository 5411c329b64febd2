package vrank

/*
#include <dlfcn.h>
#include <stdlib.h>
#include "vrank/core/access.h"
#include "vrank/core/rank_memory.h"
#include "vrank/libc/library.h"

static uint64_t undefined(void) { return (uint64_t)vr_library_undefined; }
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	stdstrings "strings"
	"unsafe"

	"ampirun/privatize"
)

// library is a library that a rank has opened at run time, in its slice.
type library = C.struct_vr_library

// libraries lists what the rank has opened, in order.
func (r *rank) libraries() (list []*library) {
	for l := C.vr_library_owner(&r.c).libraries; l != nil; l = l.next {
		list = append(list, l)
	}
	return list
}

func (r *rank) library(handle uint64) *library {
	for _, l := range r.libraries() {
		if uint64(uintptr(unsafe.Pointer(l))) == handle {
			return l
		}
	}
	return nil
}

// openedBy lists the files of libraries that came to ranks at run time.
func openedBy(ranks []*rank) (paths []string) {
	for _, r := range ranks {
		for _, l := range r.libraries() {
			if path := C.GoString(l.object.name); l.image < 0 && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// plugins are those of the rank's libraries that came at run time, and those that everybody sees in the order in which they were opened so.
func (w *worker) plugins(r *rank) (loaded, global []*privatize.Plugin) {
	list := slices.DeleteFunc(r.libraries(), func(l *library) bool { return l.image >= 0 })
	for _, l := range list {
		loaded = append(loaded, w.plugin(l))
	}
	list = slices.DeleteFunc(list, func(l *library) bool { return l.global == 0 })
	slices.SortStableFunc(list, func(a, b *library) int { return cmp.Compare(a.global, b.global) })
	for _, l := range list {
		global = append(global, w.plugin(l))
	}
	return loaded, global
}

func (w *worker) plugin(l *library) *privatize.Plugin {
	g := w.program.PluginAt(uint64(l.object.offset))
	if g == nil {
		panic(fmt.Sprintf("BUG: no library at offset %#x", uint64(l.object.offset)))
	}
	return g
}

func textAt(a uint64) string {
	if a == 0 {
		return ""
	}
	return C.GoString((*C.char)(at(uintptr(a))))
}

// openLibrary answers dlopen: name, mode, caller, where to put the first library to initialise, a buffer for the error and its size.
// The result is the handle, or 0.
func (w *worker) openLibrary(r *rank, call *Call) {
	handle, starts, err := w.open(r, textAt(call.Args[0]), call.Args[1], call.Args[2])
	if err != nil {
		text := unsafe.Slice((*byte)(at(uintptr(call.Args[4]))), call.Args[5])
		n := copy(text[:len(text)-1], err.Error())
		text[n] = 0
		return
	}
	*(**library)(at(uintptr(call.Args[3]))) = starts
	call.Return(int64(uintptr(unsafe.Pointer(handle))))
}

func (w *worker) open(r *rank, name string, mode, caller uint64) (handle, starts *library, err error) {
	loaded, global := w.plugins(r)
	e, err := w.program.Open(&privatize.Opening{
		Name: name, Caller: caller - uint64(r.c.images), Lazy: mode&C.RTLD_LAZY != 0, Deep: mode&C.RTLD_DEEPBIND != 0,
		LoadedOnly: mode&C.RTLD_NOLOAD != 0, Loaded: loaded, Global: global, LibraryPath: w.variable("LD_LIBRARY_PATH"),
		Undefined: uintptr(C.undefined()), Place: w.placeLibrary})
	if err != nil || e == nil {
		return nil, nil, err
	}
	if starts, err = w.giveLibraries(r, e); err != nil {
		return nil, nil, err
	}
	if e.Root >= 0 {
		handle, err = w.imageHandle(r, e.Root)
	} else {
		handle = r.libraryOf(e.Group[0])
	}
	if err != nil {
		return nil, starts, err
	}
	if handle.refs++; mode&C.RTLD_GLOBAL != 0 {
		r.publish(e)
	}
	w.noteOpen(r)
	return handle, starts, nil
}

// noteOpen notes which of the rank's libraries are open: those that have been opened more often than closed, and what these need. All stay in
// memory, but pointers into one that was closed meanwhile are not to be trusted.
func (w *worker) noteOpen(r *rank) {
	needed := map[uint64]bool{}
	for _, l := range r.libraries() {
		if l.refs > 0 && l.image < 0 {
			for _, g := range w.handle(l).Group {
				needed[g.Object().Offset] = true
			}
		}
	}
	for _, l := range r.libraries() {
		if l.image >= 0 {
			continue
		}
		switch open := needed[uint64(l.object.offset)]; {
		case open && l.is_closed != 0:
			l.is_closed = 0
			l.epoch++
		case !open && l.is_closed == 0:
			l.is_closed = 1
		default:
			continue
		}
		C.vr_library_owner(&r.c).library_changes++
	}
}

// tellIdentity answers what tells the file of an image from others: its number, and where to put VR_IDENTITY bytes.
func (w *worker) tellIdentity(call *Call) {
	fillIdentity((*[C.VR_IDENTITY]C.uchar)(at(uintptr(call.Args[1]))), w.program.Identity(int(call.Args[0])))
}

// tellLocalName answers which symbol of the files' full tables an address belongs to: an address, a buffer and its size.
func (w *worker) tellLocalName(r *rank, call *Call) {
	name, distance, ok := w.program.LocalNameAt(uintptr(r.c.images), uintptr(call.Args[0]))
	if !ok {
		return
	}
	text := unsafe.Slice((*byte)(at(uintptr(call.Args[1]))), call.Args[2])
	text[copy(text[:len(text)-1], fmt.Sprintf("%s+%#x", name, distance))] = 0
}

// variable is an environment variable that the job's ranks have in common.
func (w *worker) variable(name string) string {
	for _, e := range w.cfg.Env {
		if v, ok := stdstrings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

// placeLibrary asks the job where a library lies.
func (w *worker) placeLibrary(f privatize.Footprint) (privatize.Place, error) {
	facts := C.struct_vr_library_facts{path: C.CString(f.Path), size: C.uint64_t(f.Size), align: C.uint64_t(f.Align),
		tls_size: C.uint64_t(f.TLSSize), tls_align: C.uint64_t(f.TLSAlign), tls_skew: C.uint64_t(f.TLSSkew)}
	defer C.free(unsafe.Pointer(facts.path))
	if f.HasTLS {
		facts.has_tls = 1
	}
	if f.StaticTLS {
		facts.static_tls = 1
	}
	fillIdentity(&facts.identity, f.Identity)
	limit := w.layout.tlsSize
	if limit == 0 { // ranks share the thread's block
		limit = tlsReserveSize()
	}
	why := C.CString("")
	defer C.free(unsafe.Pointer(why))
	reason := why
	p := C.vr_library_place(&facts, C.int(w.program.TLSModules()), C.uint64_t(w.program.TLSSize()), C.uint64_t(limit), &reason)
	if p == nil {
		return privatize.Place{}, errors.New(f.Path + ": " + C.GoString(reason))
	}
	return privatize.Place{Offset: uint64(p.offset), Module: int(p.module), TLSOffset: uint64(p.tls_offset)}, nil
}

func fillIdentity(to *[C.VR_IDENTITY]C.uchar, id []byte) {
	for i := range min(len(id), len(to)) {
		to[i] = C.uchar(id[i])
	}
}

// giveLibraries maps the new libraries of an extension and enters them in the rank's list. The first to initialise is returned, the others follow it.
func (w *worker) giveLibraries(r *rank, e *privatize.Extension) (*library, error) {
	images := uintptr(r.c.images)
	records := make([]*library, len(e.New))
	for i, g := range e.New {
		if size, _ := g.TLSSize(); size > 0 && g.Object().TLSOffset != 0 && g.Object().TLSFileSize > 0 && C.vr_library_threads(&r.c) > 0 {
			return nil, fmt.Errorf("%s: has thread-local variables at a fixed place with initial values, and the rank has threads already: "+
				"open it before they start", g.Path())
		}
		if records[i] = newLibrary(r, g.Object(), -1); records[i] == nil {
			return nil, errors.New(g.Path() + ": the rank's slice is full: raise +slice")
		}
	}
	if len(e.New) > 0 && C.vr_access_libraries(C.vr_library_owner(&r.c)) != 0 {
		return nil, errors.New("no memory mappings left for libraries: see vm.max_map_count")
	}
	if err := e.Give(images); err != nil {
		return nil, err
	}
	for i, g := range e.New {
		l := records[i]
		inits, finis := e.Inits(i, images), e.Finis(i, images)
		l.inits, l.ninits = addresses(r, inits), C.uint32_t(len(inits))
		l.finis, l.nfinis = addresses(r, finis), C.uint32_t(len(finis))
		size, align := g.TLSSize()
		l.tls_size, l.tls_align, l.tls_offset = C.uint64_t(size), C.uint64_t(align), C.uint64_t(g.Object().TLSOffset)
		fillIdentity(&l.identity, g.Identity())
		if l.scope = r.text0(e.Scope(i)); l.scope == nil {
			r.pin("its slice is full")
		}
		w.carry(r)[uint64(l.object.offset)] = true
		if i > 0 {
			records[i-1].init_next = l
		}
		C.vr_library_add(&r.c, l)
	}
	if len(records) == 0 {
		return nil, nil
	}
	return records[0], nil
}

// newLibrary makes a record in the rank's slice; nil when that is full.
func newLibrary(r *rank, o privatize.Object, image int) *library {
	p := C.vr_rank_calloc(&r.c, 1, C.sizeof_struct_vr_library+C.size_t(len(o.Path))+1)
	if p == nil {
		return nil
	}
	name := unsafe.Add(p, C.sizeof_struct_vr_library)
	copy(unsafe.Slice((*byte)(name), len(o.Path)), o.Path)
	l := (*library)(p)
	l.image = C.int32_t(image)
	l.object = describeObject(&o, (*C.char)(name))
	return l
}

// imageHandle is the handle of an image that the rank has had from the start.
func (w *worker) imageHandle(r *rank, image int) (*library, error) {
	for _, l := range r.libraries() {
		if int(l.image) == image {
			return l, nil
		}
	}
	l := newLibrary(r, w.program.Objects()[image], image)
	if l == nil {
		return nil, errors.New("the rank's slice is full: raise +slice")
	}
	C.vr_library_add(&r.c, l)
	return l, nil
}

func (r *rank) libraryOf(g *privatize.Plugin) *library {
	offset := g.Object().Offset
	for _, l := range r.libraries() {
		if l.image < 0 && uint64(l.object.offset) == offset {
			return l
		}
	}
	panic("BUG: " + g.Path() + " has been opened and is not in the rank's list")
}

// publish adds a library and what it needs to what everybody sees.
func (r *rank) publish(e *privatize.Extension) {
	owner := C.vr_library_owner(&r.c)
	for _, g := range e.Group {
		if l := r.libraryOf(g); l.global == 0 {
			owner.globals++
			l.global = owner.globals
		}
	}
}

// findSymbol answers dlsym: name, version, handle, caller, and where to put the module of a thread-local variable whose block is
// allocated, and whether there is such a symbol.
func (w *worker) findSymbol(r *rank, call *Call) {
	images := uintptr(r.c.images)
	s := privatize.Sought{Name: textAt(call.Args[0]), Version: textAt(call.Args[1]), Caller: call.Args[3] - uint64(images)}
	if l := r.library(call.Args[2]); l != nil {
		s.Handle = w.handle(l)
	} else {
		s.Next = call.Args[2] != 0
	}
	_, s.Global = w.plugins(r)
	found, ok := w.program.Address(images, s)
	if !ok {
		return
	}
	*(*uint64)(at(uintptr(call.Args[4]))) = uint64(found.Module)
	*(*uint64)(at(uintptr(call.Args[5]))) = 1
	call.Return(int64(found.Address))
}

func (w *worker) handle(l *library) *privatize.Extension {
	if l.image >= 0 {
		return w.program.Handle(int(l.image), nil)
	}
	return w.program.Handle(-1, w.plugin(l))
}

// nameAddress answers dladdr: an address, and where to put the addresses of its symbol's name and of the symbol.
func (w *worker) nameAddress(r *rank, call *Call) {
	name, symbol, ok := w.program.NameAt(uintptr(r.c.images), uintptr(call.Args[0]))
	if !ok {
		return
	}
	*(*uintptr)(at(uintptr(call.Args[1]))) = name
	*(*uintptr)(at(uintptr(call.Args[2]))) = symbol
}
