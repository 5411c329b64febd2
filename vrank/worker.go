package vrank

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
	"ampirun/privatize"
)

// errAbandoned is given up with when the job ends before this worker could start.
var errAbandoned = errors.New("the job ended before this worker had joined it")

// joinTime bounds how long a worker waits for PE 0: loading a large program from a cold disk.
const joinTime = time.Minute

// worker is this process's share of the job. Its methods run on the PE thread.
type worker struct {
	cfg     *Config
	mpi     MPI
	report  func(Event)
	region  *isomalloc.Region
	program *privatize.Program
	method  method
	layout  sliceLayout
	mine    []*rank
	started time.Time
	err     error
}

// main is the PE thread: it makes its ranks and runs them.
func (w *worker) main() error {
	w.started = time.Now()
	if w.cfg.Pin {
		if err := pinThread(w.cfg.PE); err != nil {
			return fmt.Errorf("+pin: bind worker %d to a core: %w", w.cfg.PE, err)
		}
	}
	if err := w.prepare(); err != nil {
		return err
	}
	for id := range w.cfg.Ranks {
		if w.home(id) != w.cfg.PE {
			continue
		}
		if err := w.place(id); err != nil {
			return err
		}
		w.mine = append(w.mine, rankAt(id))
	}
	if err := w.startJob(); err != nil {
		return err
	}
	return w.loop()
}

// method is how ranks get the images of their program.
type method interface {
	// tlsSize is what every rank needs of thread-local storage to itself.
	tlsSize(p *privatize.Program) uint64
	// give makes or shares the images of a rank whose control block and heap are there.
	give(w *worker, r *rank) error
}

var methods = map[string]method{"pie": private{}, "none": &shared{}}

// home is the worker that a rank starts in: neighbours stay together.
func (w *worker) home(id int) int { return id * w.cfg.PEs / w.cfg.Ranks }

func (w *worker) prepare() error {
	if err := w.startPE(); err != nil {
		return err
	}
	if err := w.load(); err != nil {
		return err
	}
	if err := w.joinJob(); err != nil {
		return err
	}
	setShimTable(w.mpi.Table())
	describeProgram(w.program)
	return setupFaults()
}

func (w *worker) load() (err error) {
	if w.method = methods[w.cfg.Method]; w.method == nil {
		return fmt.Errorf("+privatize %s is not a method: take pie or none", w.cfg.Method)
	}
	w.program, err = privatize.Load(w.cfg.Program, w.cfg.Libraries, privatize.Options{
		Bind: bindings(), Fallback: w.mpi.Function, TLSTop: threadPointer(), TLSReserve: tlsReserveSize()})
	if err != nil {
		return err
	}
	w.layout, err = newLayout(w.cfg, w.program.Span(), w.program.Align(), w.method.tlsSize(w.program))
	return err
}

// await polls for something that the other workers are about to do.
func (w *worker) await(done func() bool) error {
	for !done() {
		if time.Since(w.started) > joinTime {
			return errAbandoned
		}
		time.Sleep(20 * time.Microsecond)
	}
	return nil
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
	first := firstRank(w.home(id), w.cfg)
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
	names := map[string]bool{}
	for _, v := range own {
		names[v.name] = true
		env = append(env, fmt.Sprintf("%s=%d", v.name, v.value))
	}
	for _, e := range w.cfg.Env { // an outer launcher may have set some of them
		if name, _, _ := strings.Cut(e, "="); !names[name] {
			env = append(env, e)
		}
	}
	return env
}

// firstRank is the lowest rank that starts on a PE.
func firstRank(pe int, cfg *Config) int { return (pe*cfg.Ranks + cfg.PEs - 1) / cfg.PEs }
