package privatize

// Pie is the method of our own loader: program, libraries and C library are there once for each rank.
type Pie struct{}

// Facts describes the method.
func (Pie) Facts() Facts {
	return Facts{Name: "pie", How: "our own loader; program, libraries and C library for each rank",
		Globals: true, Tagged: true, Libraries: true, LibC: true, Movable: true, Rebuild: "no",
		Cost: "maps the code of all images, copies the written pages"}
}

// Load reads and relocates the program and its libraries.
func (Pie) Load(prog string, libs []Library, o Options) (Images, error) {
	p, err := Load(prog, libs, o)
	if err != nil {
		return nil, err
	}
	return &pieImages{p}, nil
}

type pieImages struct{ program *Program }

func (i *pieImages) Program() *Program { return i.program }

func (i *pieImages) TLSSize() uint64 { return i.program.tlsRoom() }

// Mappings is by how many pieces a rank's images raise the number of mappings of their slice.
func (i *pieImages) Mappings() int { return i.program.mappings() }

func (i *pieImages) Place(base uintptr) (Placed, error) {
	if err := i.program.Instance(base); err != nil {
		return Placed{}, err
	}
	return i.program.placed(base, true), nil
}

func (i *pieImages) Attach(base uintptr) (Placed, error) {
	if err := i.program.Attach(base); err != nil {
		return Placed{}, err
	}
	return i.program.placed(base, true), nil
}

// Finish has nothing to do: each rank has ended its libraries.
func (i *pieImages) Finish() {}

func (i *pieImages) CommitPrivate(base uintptr) error {
	_, err := i.program.CommitPrivate(base, i.backing(base))
	return err
}

// NeedSettling is so where pages are mapped from files for writing.
func (i *pieImages) NeedSettling() bool { return len(i.program.onWrite) > 0 }

// Rebinding is the program's, unless committed pages are to be mapped as well.
func (i *pieImages) Rebinding() *Rebinding {
	if i.NeedSettling() {
		return nil
	}
	return i.program.Rebinding()
}

func (i *pieImages) Detach(base uintptr) error { return i.program.Detach(base, i.backing(base)) }

func (i *pieImages) backing(base uintptr) Backing {
	if i.program.opts.Backing == nil {
		return Backing{FD: -1}
	}
	return i.program.opts.Backing(base)
}

// placed describes images that Instance made at base to a rank that runs them.
func (p *Program) placed(base uintptr, first bool) Placed {
	symbol := func(name string) uintptr {
		off, ok := p.offsets[name]
		if !ok {
			off, _ = p.Symbol(name)
			p.offsets[name] = off
		}
		if off == 0 {
			return 0
		}
		return base + uintptr(off)
	}
	return Placed{Base: base, First: first, Entry: p.Entry(base), Stdio: p.Stdio(base), Symbol: symbol}
}
