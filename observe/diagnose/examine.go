package diagnose

import (
	"cmp"
	"debug/elf"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ampirun/internal/abi"
	"ampirun/privatize"
	"ampirun/shim"
)

// Examine makes the report on a program with the libraries that would be preloaded. What it cannot read, it reports.
func Examine(program string, preload []string, rt Runtime) *Report {
	r := &Report{Program: program}
	libs, refused := rt.Libraries(program, preload)
	if refused != nil {
		r.Refusal = refused.Error()
	}
	e, err := privatize.Examine(program, preload, rt.ABIs)
	if err != nil {
		r.Refusal = cmp.Or(r.Refusal, err.Error())
		r.Absent = errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
		return r
	}
	defer e.Close()
	r.describe(e)
	r.Libraries = listLibraries(e)
	for _, f := range e.Files {
		r.Images = append(r.Images, describeImage(f))
	}
	r.Heap = findAllocator(e.Files)
	r.Uses = findUses(e.Files)
	r.MPI = describeMPI(e, rt)
	r.addMethods(rt, program, libs, refused)
	r.addMoving()
	r.addNotes()
	return r
}

func (r *Report) describe(e *privatize.Examined) {
	f := e.Files[0]
	r.Kind, r.Interpreter, r.BuildID = string(f.Kind), f.Interp(), f.BuildID()
	r.Symbols = f.EachStatic(func(privatize.Symbol) {})
	_, r.Debug = f.Section(".debug_info")
	if _, packed := f.Section(".zdebug_info"); packed {
		r.Debug = true
	}
	r.Compilers = compilers(f)
	r.Languages = languages(e.Files)
	r.Sanitizers = sanitizers(e)
}

// listLibraries lists what was found first, in the order of search.
func listLibraries(e *privatize.Examined) []Library {
	list := []Library{}
	for _, f := range e.Files[1:] {
		list = append(list, Library{Name: f.Name, Path: f.Path, By: f.By, State: Found})
	}
	for _, a := range e.Absent {
		l := Library{Name: a.Name, By: a.By, State: NotFound}
		switch {
		case a.ABI != nil && a.ABI.Served():
			l.State = StandsIn
		case a.ABI != nil:
			l.State, l.Problem = OtherMPI, a.ABI.Name
		case a.Why != nil:
			l.State, l.Problem = Unusable, a.Why.Error()
		}
		list = append(list, l)
	}
	return list
}

// mostVariables are shown of an image.
const mostVariables = 5

func describeImage(f *privatize.File) Image {
	s := f.Sizes()
	im := Image{
		Name: f.Name, Code: s.Code, ReadOnly: s.ReadOnly, Sealed: s.Sealed, Data: s.Data, BSS: s.BSS, TLS: s.TLS, FixedTLS: s.TLS > 0 && f.FixedTLS(),
		Constructors: f.Constructors(), Destructors: f.Destructors(), IFuncs: f.IFuncs(), ExecStack: f.ExecStack(), Copies: f.Copies(),
		System: isSystem(f),
	}
	all := writtenVariables(f)
	if len(all) > mostVariables {
		im.Others = len(all) - mostVariables
		all = all[:mostVariables]
	}
	im.Variables = all
	return im
}

// writtenVariables lists them with the largest first; aliases have one entry.
func writtenVariables(f *privatize.File) (list []Variable) {
	seen := map[uint64]bool{}
	add := func(s privatize.Symbol) {
		if s.Written && s.Size > 0 && !seen[s.Value] && !isCompilers(s.Name) && !isShimVariable(&s) {
			seen[s.Value] = true
			list = append(list, Variable{variableName(s.Name), s.Size})
		}
	}
	if !f.EachStatic(add) {
		f.EachDynamic(add)
	}
	slices.SortStableFunc(list, func(a, b Variable) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), strings.Compare(a.Name, b.Name))
	})
	return list
}

// isCompilers recognises variables that no programmer has written.
func isCompilers(name string) bool {
	return strings.HasPrefix(name, "completed.") || strings.HasPrefix(name, "DW.ref.") || strings.HasPrefix(name, "ampi_") || name == "__dso_handle" || name == "__data_start"
}

// shimSources are the files that ampicc's shim is made of.
var shimSources = sync.OnceValue(func() (names []string) {
	list, err := shim.Files.ReadDir("src")
	if err != nil {
		panic("BUG: the shim has no sources: " + err.Error())
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
})

// isShimVariable recognises the few small variables of the shim. A program may have source files of the same names.
func isShimVariable(s *privatize.Symbol) bool {
	const largest = 256
	return s.Local && s.Size <= largest && slices.Contains(shimSources(), s.File)
}

// describeMPI finds out whose MPI the files have, and what of it they use.
func describeMPI(e *privatize.Examined, rt Runtime) (m MPI) {
	m.Shim = e.Files[0].Shim()
	if m.Shim {
		m.ABI, m.Served = abi.Standard.Name, true
	}
	for _, a := range e.Absent {
		if a.ABI != nil && (m.ABI == "" || !a.ABI.Served()) {
			m.ABI, m.Library, m.Served = a.ABI.Name, a.Name, a.ABI.Served()
		}
	}
	for _, f := range e.Files {
		if f.MPI() || f.Kind != privatize.KindLibrary && !m.Shim && definesStatically(f, "PMPI_Init") {
			m.ABI, m.Library, m.Served = abi.Unknown.Name, f.Name, false
		}
	}
	newCalls(rt.Functions).describe(e.Files, &m)
	return m
}

func definesStatically(f *privatize.File, name string) (found bool) {
	f.EachStatic(func(s privatize.Symbol) {
		found = found || s.Name == name && s.Defined && !s.Local && s.Type == elf.STT_FUNC
	})
	return found
}

// systemLibraries are parts of the C library and of compilers: what they can do says nothing about the program.
var systemLibraries = []string{
	"libc.so.", "libm.so.", "libmvec.so.", "libpthread.so.", "libdl.so.", "librt.so.", "libutil.so.", "libresolv.so.", "libanl.so.", "libnsl.so.",
	"libgcc_s.so.", "libstdc++.so.", "libgfortran.so.", "libquadmath.so.", "libgomp.so.", "libatomic.so.", "libc++.so.", "libc++abi.so.", "libomp.so", "libiomp5.so",
}

func isSystem(f *privatize.File) bool {
	return slices.ContainsFunc(systemLibraries, func(prefix string) bool { return strings.HasPrefix(filepath.Base(f.Name), prefix) })
}
