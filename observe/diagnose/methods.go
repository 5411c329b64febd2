package diagnose

import (
	"fmt"
	"strings"

	"ampirun/privatize"
)

// addMethods asks every method whether it would load the program. What the loader refuses, all of them do.
func (r *Report) addMethods(rt Runtime, program string, libs []privatize.Library, refused error) {
	for i, m := range privatize.Methods() {
		f := m.Facts()
		method := Method{Name: f.Name, Movable: f.Movable, Stays: f.Stays, Limit: f.PerWorker}
		err := refused
		if err == nil {
			err = privatize.Check(m, program, libs, rt.Options)
		}
		if err != nil {
			method.Refusal = err.Error()
		} else {
			method.Shared = r.shared(f)
		}
		if i == 0 {
			r.Refusal = method.Refusal
		}
		r.Methods = append(r.Methods, method)
	}
}

// shared names what the program has of the state that a method does not make private.
func (r *Report) shared(f privatize.Facts) (list []string) {
	if len(r.Images) == 0 {
		return nil
	}
	program := &r.Images[0]
	if !f.Globals && program.Data+program.BSS > 0 {
		list = append(list, "globals of the program ("+size(program.Data+program.BSS)+")")
	}
	if !f.Tagged && program.TLS > 0 {
		list = append(list, "thread-local variables ("+size(program.TLS)+")")
	}
	if !f.Libraries {
		list = append(list, r.libraryGlobals()...)
	}
	if !f.LibC {
		list = append(list, "the C library's state")
	}
	return list
}

func (r *Report) libraryGlobals() []string {
	var names []string
	for _, im := range r.Images[1:] {
		if im.Data+im.BSS > 0 && !strings.HasPrefix(im.Name, "libc.so.") {
			names = append(names, im.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"globals of " + strings.Join(names, ", ")}
}

// addNotes says what deserves a line of its own.
func (r *Report) addNotes() {
	for _, im := range r.Images {
		if im.ExecStack {
			r.note("%s asks for an executable stack (nested functions of C, internal procedures of Fortran as arguments): every rank gets one", im.Name)
		}
	}
	if len(r.Sanitizers) > 0 {
		r.note("sanitizers: %s", strings.Join(r.Sanitizers, ", "))
	}
	if a := r.Heap.Allocator; a != "runtime" && a != "" {
		r.note("%s brings an allocator of its own, which goes before the runtime's", r.Heap.Allocator)
	}
	if len(r.MPI.NotServed) > 0 {
		r.note("MPI functions that are not served return MPI_ERR_UNSUPPORTED_OPERATION through the error handler: %s", some(r.MPI.NotServed, 8))
	}
	if len(r.MPI.Unknown) > 0 {
		r.note("not in the MPI standard: %s", some(r.MPI.Unknown, 8))
	}
	if r.MPI.ABI == "" && r.Runs() {
		r.note("it does not use MPI: every rank would run it from begin to end by itself")
	}
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// some joins the first names of a list and counts the others.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// size writes a number of bytes as people read it.
func size(n uint64) string {
	unit := 0
	v := float64(n)
	for ; v >= 1024 && unit < 4; unit++ {
		v /= 1024
	}
	if unit == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1f%c", v, "KMGT"[unit-1])
}
