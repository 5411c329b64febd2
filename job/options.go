// Package job is the node manager: it starts the workers of a job, agrees with them on the region, merges their output,
// forwards signals, and turns what they report into one exit code. Nothing of a job outlives it.
//
// The manager is one goroutine that owns all state (manager.serve); whatever else runs (readers of control links and
// pipes, the reaper) posts functions to it. The process belongs to the job while Run is active: children it did not have
// before are ended with the job.
package job

import (
	"os"
	"time"

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
	Stack   uint64 // bytes of one rank's stack
	Slice   uint64 // bytes of one rank's slice; 0: isomalloc's choice for Ranks
	Method  string // privatization method, see privatize.Methods

	Directory string // where methods that copy the program do so; "": $TMPDIR

	Heap                Heap
	Movable, Registered vrank.Need // of the memory that ranks allocate; what HeapAuto looks at

	Balance    string // strategy of load balancing; "": none, unless the program asks for a step
	Period     string // how often it is asked, see balance.ParsePeriod
	Record     string // file that what was measured is written to, step by step; "": none
	RecordStep string // how long a step is, see balance.ParseStep

	Mapping mapping.Function `json:"-"` // where ranks begin; nil: neighbours together

	Copy  bool // ranks that move are copied
	Steal bool // idle workers take ready ranks from busy ones

	Checkpoints *Checkpoints // where the job is saved; nil: it is not
	FT          *FT          // how the job goes on when a worker fails, which needs Checkpoints; nil: it ends
	Restart     *Restart     // what it goes on from, which has filled in the rest: Restart.Adopt; nil: it begins

	HeapCheck bool // check every rank's heap
	Label     bool // begin each line of output with its rank
	Stats     bool // print what was measured when the job ends
	Pin       bool // bind each worker to a core

	Stall time.Duration // after so long without anything that comes of what the ranks do a note says where they are; 0: never

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

func (o Options) withDefaults() Options {
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
	return o.checkHeap()
}
