// Package job is the node manager: it starts the workers of a job, agrees with them on the region, merges their output,
// forwards signals, and turns what they report into one exit code. Nothing of a job outlives it.
//
// The manager is one goroutine that owns all state (manager.serve); whatever else runs (readers of control links and
// pipes, the reaper) posts functions to it. The process belongs to the job while Run is active: children it did not have
// before are ended with the job.
package job

import (
	"cmp"
	"os"

	"ampirun/internal/refusal"
	"ampirun/loadbalance/mapping"
	"ampirun/privatize"
	"ampirun/vrank"
)

// Options says what to run and how. The zero value of a field means what its comment says.
type Options struct {
	Program string   // name as typed: looked up in PATH unless it holds a slash
	Args    []string // arguments after the program's name
	Env     []string // environment of the ranks and workers; nil: the manager's own
	Dir     string   // directory to work in, before Program is looked up; "": the current one

	Workers int    // worker processes, at least 1
	Ranks   int    // virtual ranks, at least Workers
	Slice   uint64 // bytes of one rank's slice; 0: isomalloc's choice for Ranks

	Lasting       // what checkpoints keep
	vrank.ThisRun // what workers heed besides that

	Directory string // where methods that copy the program do so; "": $TMPDIR

	Heap                Heap
	Movable, Registered vrank.Need // of the memory that ranks allocate; what HeapAuto looks at

	Mapping mapping.Function `json:"-"` // where ranks begin; nil: neighbours together

	Copy    bool     // ranks that move are copied
	Restart *Restart // what the job goes on from, which has filled in the rest: Restart.Adopt; nil: it begins
	Label   bool     // begin each line of output with its rank

	// Debugger gets a line with the pids of all workers when they wait for a debugger before their ranks run; nil: they do not.
	Debugger *os.File

	Trace      string   // file for a timeline, absolute; "": none
	TraceLimit uint64   // bytes that it may grow by in a second; 0: DefaultTraceLimit
	Progress   bool     // show how the job goes on standard error
	Typed      []string // options as typed, for the timeline
	Version    string   // of ampirun, for the timeline and checkpoints
	// CallName names an MPI function by its number, for the timeline.
	CallName func(fn int) string `json:"-"`

	probeOnly bool // see ProbeHeap

	Stdin, Stdout, Stderr *os.File // nil: the process's own

	// Libraries finds the shared libraries of a program, once for all workers.
	Libraries func(program string) ([]privatize.Library, error)
	// ControlSize is the size in bytes of the region's control area.
	ControlSize func(pes int) uint64
}

// Lasting are the options that hold as long as the job does. Checkpoints keep all of them, and Restart.Adopt takes them back.
type Lasting struct {
	vrank.Lasting
	Checkpoints *Checkpoints // where the job is saved; nil: it is not
	FT          *FT          // how the job goes on when a worker fails, which needs Checkpoints; nil: it ends
}

// DefaultPeriod is what Period is unless somebody says otherwise.
const DefaultPeriod = "auto"

func (o Options) withDefaults() Options {
	o.Period = cmp.Or(o.Period, DefaultPeriod)
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.probeOnly {
		o.Trace, o.Progress = "", false
	}
	if o.TraceLimit == 0 {
		o.TraceLimit = DefaultTraceLimit
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	return o
}

// observed tells whether somebody looks at the ranks while they run.
func (o Options) observed() bool { return o.Trace != "" || o.Progress }

// recorded tells whether what the ranks do is written to a file.
func (o Options) recorded() bool { return o.Trace != "" || o.Record != "" }

// facts are those of the method; the worker refuses one that does not exist.
func (o Options) facts() privatize.Facts {
	method, err := privatize.FindMethod(o.Method)
	if err != nil {
		return privatize.Facts{}
	}
	return method.Facts()
}

// check refuses option values that contradict each other.
func (o Options) check() error {
	facts := o.facts()
	limit := facts.PerWorker
	switch {
	case o.Workers < 1:
		return refusal.New(refusal.CodeUsage, "+p %d: at least one worker is needed", o.Workers)
	case limit > 0 && (o.Ranks+o.Workers-1)/o.Workers > limit:
		return refusal.New(refusal.CodeUsage, "+privatize %s: %d ranks in a worker, and %d is the limit (%s): take more workers (+p), or +privatize pie",
			o.Method, (o.Ranks+o.Workers-1)/o.Workers, limit, facts.Limit)
	case o.Ranks < o.Workers:
		return refusal.New(refusal.CodeUsage, "+p %d: more workers than the %d ranks; lower +p or raise +vp", o.Workers, o.Ranks)
	case o.Slice != 0 && o.Stack >= o.Slice:
		return refusal.New(refusal.CodeUsage, "+stack %d does not fit in a slice of %d bytes: lower +stack or raise +slice", o.Stack, o.Slice)
	}
	if o.copyFD() > 0 {
		if err := vrank.CannotCopy(); err != nil {
			return refusal.New(refusal.CodeUsage, "+migrate copy %v", err)
		}
	}
	if o.Isolate {
		if err := o.checkIsolate(); err != nil {
			return err
		}
	}
	return o.checkHeap()
}

// checkIsolate refuses what would leave memory of ranks outside of what +isolate keeps apart.
func (o Options) checkIsolate() error {
	switch {
	case o.Method != privatize.Methods()[0].Facts().Name:
		return refusal.New(refusal.CodeUsage, "+isolate: under +privatize %s ranks share memory outside of their slices: take +privatize pie", o.Method)
	case o.Restart != nil && !o.Restart.was.Options.Isolate:
		return refusal.New(refusal.CodeUsage, "+isolate: the job was saved without it, so its ranks may be anywhere in the runtime: leave it out, or begin anew")
	case o.Copy:
		return refusal.New(refusal.CodeUsage, "+isolate: not with +migrate copy: leave one of them out")
	case o.hostHeap():
		return refusal.New(refusal.CodeUsage, "+isolate: the heap of ranks is the C library's, which keeps them together: leave out what makes it so (+heap host, +movable no, +registered no, AMPI_HEAP)")
	}
	if err := vrank.CannotIsolate(); err != nil {
		return refusal.New(refusal.CodeUsage, "+isolate %v", err)
	}
	return nil
}
