package privatize

// None is the method that gives ranks nothing of their own: they share what the first one of their worker has, as threads
// of one process would, thread-local variables included.
type None struct{}

// Facts describes the method.
func (None) Facts() Facts {
	return Facts{Name: "none", How: "one image in each worker, shared by its ranks", Rebuild: "no",
		Stays: "ranks of a worker share their variables", Cost: "stack and heap alone"}
}

// Load reads and relocates the program and its libraries.
func (m None) Load(prog string, libs []Library, o Options) (Images, error) {
	return loadShared(prog, libs, o, m.Facts())
}

// TLS is the method for programs whose variables are tagged as thread-local already: ranks share one image and have the
// thread-local variables of all its objects for themselves.
type TLS struct{}

// Facts describes the method.
func (TLS) Facts() Facts {
	return Facts{Name: "tls", How: "one image in each worker; thread-local variables for each rank", Tagged: true,
		Stays:   "ranks of a worker share the globals of their libraries and one heap",
		Rebuild: "yes: tag what shall be private (__thread, thread_local, !$omp threadprivate)",
		Cost:    "stack and heap, a copy of the thread-local block"}
}

// Load reads and relocates the program and its libraries.
func (m TLS) Load(prog string, libs []Library, o Options) (Images, error) {
	return loadShared(prog, libs, o, m.Facts())
}

func loadShared(prog string, libs []Library, o Options, how Facts) (Images, error) {
	p, err := Load(prog, libs, o)
	if err != nil {
		return nil, err
	}
	return &sharedImages{program: p, how: how}, nil
}

type sharedImages struct {
	program *Program
	how     Facts
	base    uintptr
}

func (i *sharedImages) Program() *Program { return i.program }

func (i *sharedImages) TLSSize() uint64 {
	if i.how.Tagged {
		return i.program.tlsRoom()
	}
	return 0
}

// Place makes the images for the first rank. Where thread-local variables are shared too, they are those of the thread
// that runs ranks.
func (i *sharedImages) Place(base uintptr) (Placed, error) {
	first := i.base == 0
	if first {
		if err := i.program.Instance(base); err != nil {
			return Placed{}, err
		}
		i.base = base
		if size := i.program.TLSSize(); !i.how.Tagged {
			i.program.FillTLS(base, memory(i.program.opts.TLSTop-uintptr(size), size))
		}
	}
	return i.program.placed(i.base, first), nil
}

// Attach refuses: see Facts.
func (i *sharedImages) Attach(uintptr) (Placed, error) { return Placed{}, staysError(i.how) }

// Finish has nothing to do: the first rank has ended the libraries.
func (i *sharedImages) Finish() {}

// CommitPrivate has nothing to do: what ranks have written is memory of the job.
func (i *sharedImages) CommitPrivate(uintptr) error { return nil }

func (i *sharedImages) NeedSettling() bool { return false }

// Rebinding is none: ranks stay.
func (i *sharedImages) Rebinding() *Rebinding { return nil }

// Detach refuses: see Facts.
func (i *sharedImages) Detach(uintptr) error { return staysError(i.how) }
