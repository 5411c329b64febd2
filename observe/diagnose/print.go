package diagnose

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"
)

// JSON writes the report for programs.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Print writes the report for people.
func (r *Report) Print(w io.Writer) {
	p := &printer{w: w}
	p.line("%s", r.Program)
	if r.Kind != "" {
		p.program(r)
		p.libraries(r)
		p.images(r)
		p.start(r)
		p.mpi(r)
		p.heap(r)
		p.uses(r)
		p.methods(r)
		p.moving(r)
		p.list("notes", r.Notes)
	}
	p.verdict(r)
}

// printer writes sections: a title at the margin, and rows of cells below it.
type printer struct {
	w io.Writer
	t *tabwriter.Writer
}

// clean takes out what names in a hostile file could do to a terminal.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, s)
}

func (p *printer) line(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = clean(s)
		}
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *printer) section(title string, rows func()) {
	p.line("\n%s:", title)
	p.t = tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	rows()
	p.t.Flush()
}

// row writes cells; empty ones at the end are left out.
func (p *printer) row(cells ...string) {
	for len(cells) > 1 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	for i, c := range cells {
		cells[i] = clean(c)
	}
	fmt.Fprintln(p.t, "  "+strings.Join(cells, "\t"))
}

// fact is a row that is left out when there is nothing to say.
func (p *printer) fact(name, text string) {
	if text != "" {
		p.row(name, text)
	}
}

func (p *printer) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.section(title, func() {
		for _, l := range lines {
			p.row(l)
		}
	})
}

func (p *printer) program(r *Report) {
	p.section("program", func() {
		p.fact("type", r.Kind+", x86-64")
		p.fact("loader", r.Interpreter)
		p.fact("run-time systems", strings.Join(r.Languages, ", "))
		p.fact("made by", strings.Join(r.Compilers, ", "))
		p.fact("sanitizers", strings.Join(r.Sanitizers, ", "))
		p.fact("build ID", r.BuildID)
		switch {
		case r.Debug:
			p.fact("symbols", "yes, with debug information")
		case r.Symbols:
			p.fact("symbols", "yes, without debug information (-g gives reports of faults their lines)")
		default:
			p.fact("symbols", "none: it is stripped")
		}
	})
}

func (p *printer) libraries(r *Report) {
	if len(r.Libraries) == 0 {
		return
	}
	p.section("libraries", func() {
		for _, l := range r.Libraries {
			by := ""
			if l.By != r.Images[0].Name && l.By != "" {
				by = "(needed by " + l.By + ")"
			}
			p.row(l.Name, l.text(), by)
		}
	})
}

func (l *Library) text() string {
	switch l.State {
	case StandsIn:
		return "the runtime stands in for it"
	case OtherMPI:
		return "MPI library of " + l.Problem
	case NotFound:
		return "not found"
	case Unusable:
		return l.Problem
	}
	return l.Path
}

// images is the table of what every rank has for itself; the C library and the compilers' libraries are one row.
func (p *printer) images(r *Report) {
	p.section("variables of each rank (bytes)", func() {
		p.row("", "initialised", "zero at start", "thread-local", "constant once loaded")
		var system Image
		for _, im := range r.Images {
			if im.System {
				system.Data, system.BSS, system.TLS, system.Sealed = system.Data+im.Data, system.BSS+im.BSS, system.TLS+im.TLS, system.Sealed+im.Sealed
				continue
			}
			p.image(im.Name, &im)
		}
		if system.Sealed > 0 {
			p.image("C library and compilers' libraries", &system)
		}
	})
	for _, im := range r.Images {
		if !im.System && len(im.Variables) > 0 {
			p.line("  largest of %s: %s", im.Name, im.largest())
		}
	}
}

func (p *printer) image(name string, im *Image) {
	tls := size(im.TLS)
	if im.FixedTLS {
		tls += " (fixed place)"
	}
	p.row(name, size(im.Data), size(im.BSS), tls, size(im.Sealed))
}

func (im *Image) largest() string {
	var names []string
	for _, v := range im.Variables {
		names = append(names, v.Name+" "+size(v.Size))
	}
	if im.Others > 0 {
		names = append(names, fmt.Sprintf("%d more", im.Others))
	}
	return strings.Join(names, ", ")
}

func (p *printer) start(r *Report) {
	p.section("start and end", func() {
		p.fact("constructors", counts(r.Images, func(im *Image) int { return im.Constructors }))
		p.fact("destructors", counts(r.Images, func(im *Image) int { return im.Destructors }))
		p.fact("functions chosen at start (IFUNC)", counts(r.Images, func(im *Image) int { return im.IFuncs }))
		var stacks []string
		for _, im := range r.Images {
			if im.ExecStack {
				stacks = append(stacks, im.Name)
			}
		}
		p.fact("executable stack", strings.Join(stacks, ", "))
	})
}

// counts writes "3: prog 1, libfoo.so 2".
func counts(images []Image, count func(*Image) int) string {
	sum := 0
	var parts []string
	for i := range images {
		if n := count(&images[i]); n > 0 {
			sum += n
			parts = append(parts, fmt.Sprintf("%s %d", images[i].Name, n))
		}
	}
	if sum == 0 {
		return "none"
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(parts, ", "))
}

func (p *printer) mpi(r *Report) {
	m := &r.MPI
	p.section("MPI", func() {
		switch {
		case m.ABI == "":
			p.row("none")
			return
		case m.Library == "":
			p.fact("built for", m.ABI+", by ampicc")
		default:
			p.fact("built for", fmt.Sprintf("%s (%s)", m.ABI, m.Library))
		}
		p.lines(fmt.Sprintf("functions (%d)", len(m.Calls)), m.Calls)
		p.fact("not served", strings.Join(m.NotServed, ", "))
		p.fact("wrapped by tools", strings.Join(m.Interposed, ", "))
	})
}

// lines is a row whose list may need several lines.
func (p *printer) lines(title string, names []string) {
	const width = 100
	text := ""
	for i, name := range names {
		if i < len(names)-1 {
			name += ", "
		}
		if text += name; len(text) > width || i == len(names)-1 {
			p.row(title, strings.TrimSpace(text))
			title, text = "", ""
		}
	}
}

// heap says who serves malloc; what the interception of a run was found to reach belongs here, too.
func (p *printer) heap(r *Report) {
	if r.Heap.Allocator == "" {
		return
	}
	p.section("heap", func() {
		switch {
		case r.Heap.Allocator == "runtime":
			p.fact("malloc", "the runtime's, in the rank's slice")
		case r.Heap.Kind != "":
			p.fact("malloc", fmt.Sprintf("%s's own (%s)", r.Heap.Allocator, r.Heap.Kind))
		default:
			p.fact("malloc", r.Heap.Allocator+"'s own")
		}
		p.fact("interception", r.Heap.Interception)
		p.fact("missed", strings.Join(r.Heap.Missed, ", "))
		p.fact("not tested", r.Heap.Untested)
	})
}

func (p *printer) uses(r *Report) {
	if len(r.Uses) == 0 {
		return
	}
	p.section("besides computing", func() {
		for _, u := range r.Uses {
			by := ""
			if !slices.Equal(u.By, []string{r.Images[0].Name}) {
				by = "(" + some(u.By, 3) + ")"
			}
			p.row(u.What, some(u.Symbols, 8), by)
			p.fact("", u.Note)
		}
	})
}

func (p *printer) methods(r *Report) {
	p.section("methods (+privatize)", func() {
		if r.refusedAlike() {
			p.row("none of them can run it, see the verdict")
			return
		}
		for _, m := range r.Methods {
			p.row(m.Name, m.text(r.Program))
		}
	})
}

// refusedAlike tells whether all methods refuse the program for one reason.
func (r *Report) refusedAlike() bool {
	return r.Refusal != "" && !slices.ContainsFunc(r.Methods, func(m Method) bool { return m.Refusal != r.Refusal })
}

func (p *printer) moving(r *Report) {
	if r.Runs() && len(r.Moving) == 0 {
		p.list("moving", []string{"nothing that was found keeps ranks from moving"})
		return
	}
	p.list("moving", r.Moving)
}

func (m *Method) text(program string) string {
	if m.Refusal != "" {
		return "refused: " + strings.TrimPrefix(m.Refusal, program+": ")
	}
	text := "usable"
	if m.Limit > 0 {
		text += fmt.Sprintf(", %d ranks in a worker", m.Limit)
	}
	if !m.Movable {
		text += ", ranks cannot move"
	} else if m.Stays != "" {
		text += "; when a rank moves, this stays: " + m.Stays
	}
	if len(m.Shared) > 0 {
		text += "; ranks of a worker share " + strings.Join(m.Shared, ", ")
	}
	return text
}

func (p *printer) verdict(r *Report) {
	if r.Runs() {
		p.line("\nverdict: it can be run: ampirun +vp N %s", r.Program)
		return
	}
	p.line("\nverdict: it is refused: %s", r.Refusal)
}
