package vrank

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/atomic"
	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
	"ampirun/privatize"
)

// worker is this process's share of the job. Its methods run on the PE thread.
type worker struct {
	cfg             *Config
	mpi             MPI
	report          func(Event)
	region          *isomalloc.Region
	snapshot        *snapshot // what of the region is to be saved, as it was when the job was frozen; nil: it cannot be
	images          privatize.Images
	movable         bool // its method lets ranks move
	sharesLibraries bool // under its method ranks use libraries of the process
	program         *privatize.Program
	shared          []privatize.SharedLibrary
	introduced      bool // those know the environment of ranks
	heap            heap // of the first rank in images that others share
	layout          sliceLayout
	inherited       []string          // what of the environment of the job all ranks have
	attached        map[int]bool      // ranks whose slices this process is ready for: those that it has or had
	carries         map[int]carried   // by rank
	crowded         bool              // the ranks of the whole job would need more mappings than a process may have
	holes           []privatize.Range // between the segments of the images
	spare           int               // mappings that its ranks can have beyond those that each of them needs
	copier          *copier           // moves ranks by copying them; nil: they are not copied
	given           map[Retained]bool // files of its ranks that the manager has, since the last freeze
	placing         []float64         // with cfg.ProbeOnly: seconds that it took to place each rank
	placed          atomic.Bool       // its ranks exist
	quiet           atomic.Bool       // the PE loop runs no rank any more
	err             error
}

// main is the PE thread: it makes its ranks and runs them.
func (w *worker) main() error {
	if w.cfg.Pin {
		if err := pinThread(w.cfg.PE); err != nil {
			return fmt.Errorf("+pin: bind worker %d to a core: %w", w.cfg.PE, err)
		}
	}
	if err := w.prepare(); err != nil {
		return err
	}
	if w.cfg.ProbeOnly {
		endBeforeMain()
	}
	if err := w.makeRanks(); err != nil {
		return err
	}
	w.startJob()
	w.readInboxes()
	if w.cfg.Directory != "" {
		os.Remove(w.cfg.Directory) // empty by now: nothing is left should the manager be killed; one worker succeeds
	}
	w.placed.Store(true)
	if w.cfg.PE == 0 {
		w.send(Event{Kind: EventRunning, Rank: -1})
	}
	if w.cfg.Debug {
		w.send(Event{Kind: EventPlaced, Rank: -1})
		awaitDebugger()
	}
	if d, err := time.ParseDuration(os.Getenv("AMPI_SHUFFLE")); err == nil && w.cfg.PE == 0 {
		go w.shuffle(d)
	}
	if w.cfg.Stall > 0 {
		w.watchForStalls()
	}
	if w.cfg.Started != nil {
		w.cfg.Started()
	}
	return w.loop()
}

// makeRanks has this worker's ranks ready to run: new ones, or those of a job that goes on.
func (w *worker) makeRanks() error {
	if w.cfg.Restart != nil {
		return w.restartRanks()
	}
	for id := range w.cfg.Ranks {
		if w.home(id) != w.cfg.PE {
			continue
		}
		since := time.Now()
		if err := w.place(id); err != nil {
			return err
		}
		if w.cfg.ProbeOnly {
			w.placing = append(w.placing, time.Since(since).Seconds())
		}
	}
	return nil
}

// home is the worker that a rank starts in.
func (w *worker) home(id int) int { return w.cfg.home(id) }

func (w *worker) prepare() error {
	if err := w.startPE(); err != nil {
		return err
	}
	if err := w.load(); err != nil {
		return err
	}
	if err := w.checkMappings(); err != nil {
		return err
	}
	if err := w.joinJob(); err != nil {
		return err
	}
	setShimTable(w.mpi.Table())
	describeProgram(w.program)
	return setupFaults()
}

// LoadOptions are those with which workers load programs, as far as all workers have them in common: enough for privatize.Check.
func LoadOptions(mpi MPI) privatize.Options {
	return privatize.Options{
		Bind: bindings(), BindShared: sharedBindings(), BindNamespace: namespaceBindings(), Fallback: mpi.Function,
		SharedLibraries: sharedLibraryBindings(), NamespaceLibraries: namespaceLibraryBindings(),
		TLSReserve: tlsReserveSize(),
	}
}

func (w *worker) load() error {
	method, err := privatize.FindMethod(w.cfg.Method)
	if err != nil {
		return fmt.Errorf("+privatize %s: %w", w.cfg.Method, err)
	}
	w.movable, w.sharesLibraries = method.Facts().Movable, method.Facts().LoadedByLd
	setLdso(method.Facts().LoadedByLd)
	o := LoadOptions(w.mpi)
	o.Bind, o.BindShared = w.bound(o.Bind), w.bound(o.BindShared)
	o.TLSTop, o.Directory, o.Copies = threadPointer(), w.cfg.Directory, w.cfg.Copies
	o.Agreed = privatize.Area{Lo: uintptr(w.cfg.Layout.Base), Size: privateSize - peStackSize}
	o.Opened = w.openedShared
	o.Backing = func(base uintptr) privatize.Backing {
		return privatize.Backing{FD: w.region.FD(), Offset: int64(base - w.region.Base())}
	}
	w.images, err = method.Load(w.cfg.Program, w.cfg.Libraries, o)
	if err != nil {
		return err
	}
	w.program = w.images.Program()
	if !w.sharesLibraries { // ld.so sees to it itself
		w.holes = w.program.Holes()
	}
	w.layout, err = newLayout(w.cfg, w.program.Span(), w.program.Align(), w.images.TLSSize())
	return err
}

// bound is what of the bindings this job wants.
func (w *worker) bound(m map[string]uintptr) map[string]uintptr {
	if w.cfg.HostHeap {
		return withoutHeap(m)
	}
	return m
}

// await polls for something that the other workers are about to do, however long that takes: the manager ends this process when one of
// them fails. The longer it has waited the less often it looks, so as not to keep them from it.
func await(done func() bool) {
	for since := time.Now(); !done(); {
		time.Sleep(min(20*time.Microsecond+time.Since(since)/16, time.Millisecond))
	}
}

// pinThread binds the calling thread to one of the cores that the job may use: the n-th, counted round.
func pinThread(n int) error {
	var allowed, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return err
	}
	n %= allowed.Count()
	for core := 0; ; core++ {
		if !allowed.IsSet(core) {
			continue
		}
		if n == 0 {
			one.Set(core)
			return unix.SchedSetaffinity(0, &one)
		}
		n--
	}
}

// environment is what a rank finds in environ: the job's, and its own number under the names that launchers of other
// MPI implementations use.
func (w *worker) environment(id int) []string {
	first := w.cfg.firstRank(w.home(id))
	own := []struct {
		name  string
		value int
	}{
		{"OMPI_COMM_WORLD_RANK", id}, {"OMPI_COMM_WORLD_SIZE", w.cfg.Ranks},
		{"OMPI_COMM_WORLD_LOCAL_RANK", id}, {"OMPI_COMM_WORLD_LOCAL_SIZE", w.cfg.Ranks},
		{"PMI_RANK", id}, {"PMI_SIZE", w.cfg.Ranks},
		{"AMPI_RANK", id}, {"AMPI_SIZE", w.cfg.Ranks}, {"AMPI_PE", w.home(id)}, {"AMPI_PE_FIRST_RANK", first},
	}
	env := make([]string, 0, len(w.cfg.Env)+len(own))
	for _, v := range own {
		env = append(env, v.name+"="+strconv.Itoa(v.value))
	}
	if w.inherited == nil { // an outer launcher may have set some of them
		w.inherited = slices.DeleteFunc(slices.Clone(w.cfg.Env), func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return slices.ContainsFunc(env, func(o string) bool { return strings.HasPrefix(o, name+"=") })
		})
	}
	return append(env, w.inherited...)
}
