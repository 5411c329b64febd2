// Package vrank runs virtual ranks: user-level threads whose whole userland lies in one slice of the job's region.
//
// The C core of this package runs on the stacks of ranks: switching, the run queue, point-to-point messages, matching.
// The Go side is the PE loop: it runs on the PE's own stack, starts ranks, serves what C hands over, and reports what
// happened to the job.
package vrank

import (
	"slices"
	"time"

	"ampirun/isomalloc"
	"ampirun/privatize"
)

// Config is what one worker needs to run its share of a job. The job's manager fills it and sends it.
type Config struct {
	PE    int // this worker's number, 0 <= PE < PEs
	PEs   int // workers of the job
	Ranks int // virtual ranks of the job

	RegionFD int              // descriptor of the region's memfd in this process
	Layout   isomalloc.Config // where it is; Control as ControlSize says or, after a restart, has said

	Lasting
	ThisRun

	Program   string              // path of the program's file
	Args      []string            // its arguments, Args[0] included
	Env       []string            // its environment, before the per-rank variables are added
	Libraries []privatize.Library // its shared libraries, resolved once by the manager
	Copies    map[string]string   // of those files that are not what they were at their paths: where they are read
	Directory string              // of the job, for methods that copy the program; or ""

	HostHeap bool // ranks allocate with their C library, outside of their slices: see Intercepts

	Keeps      bool     // the job can be frozen: see Freeze
	Snapshot   bool     // and copied
	SnapshotFD int      // with Snapshot: descriptor of the snapshot that the region is copied to then, see isomalloc.Snapshot
	ToDisk     bool     // ranks may have the job saved on disk
	ToMemory   bool     // and in memory
	Restart    *Restart // the region holds a job that was saved and goes on; nil: ranks begin

	Holds   bool    // the manager gets descriptors of what ranks have open: EventRetained
	Journal Journal // with Keeps: what is noted of files that ranks open to write

	ProbeOnly bool // end before main: see HeapReport, Stats.Start

	FDPassFD int // where descriptors of ranks come in from other workers; after it come those to send to each PE. 0: ranks do not move
	// CopyFD is where the memory of ranks comes in from other workers, and after it those to send to each PE; 0: moves copy nothing.
	CopyFD  int
	Mapping []int32 // the PE that each rank begins on; nil: neighbours together, equally many on each

	StealPolicy StealPolicy // with Steal

	// Started is called once when the ranks of all workers exist, on the PE thread, before any of this worker's runs; may be nil.
	Started func() `json:"-"`

	Timeline *TimelineLimit // what is recorded for Observer.Moments; nil: nothing

	OutputFD int  // where frames of the ranks' output go, see FrameHeader
	Traffic  bool // count messages by sender and receiver
	Measure  bool // account time to ranks
	Debug    bool // wait for a debugger before ranks run
}

// Lasting are the options of a job that hold as long as it does: checkpoints keep them, and a restart has those again for which it says nothing
// else. A new one needs a row in the table of options, a field here, and the place where it takes effect.
type Lasting struct {
	Stack  uint64 // bytes of one rank's stack
	Method string // privatization method, see privatize.Methods

	// Balance names the strategy of load balancing ("": none, unless the program asks for a step), and Period how often it is asked, see
	// live.ParsePeriod. They are for Started: vrank itself heeds neither.
	Balance, Period string

	Steal   bool // idle PEs take ready ranks from busy ones
	Isolate bool // a rank that touches another one's slice is ended: see CannotIsolate
}

// ThisRun are the options that workers heed and that hold until the job ends or is interrupted. A new one needs no other places than one of
// Lasting.
type ThisRun struct {
	// Record is the file that what is measured is written to, step by step, and RecordStep how long a step is, for Started; "" for none.
	Record, RecordStep string

	Stall     time.Duration // how long nothing may come of what ranks do until that is reported: EventStalled; 0: it never is
	HeapCheck bool          // check every rank's heap at each operation and at the end
	Stats     bool          // report what was measured at the end
	Pin       bool          // bind the PE thread to a core of its own
}

// Journal says where workers note which files ranks open to write, and how large those were: see file_journal.h.
type Journal struct {
	Name   string // of the job, with which the names of the files with notes begin; "": there are none
	Memory bool   // there is one file, of memory
	FD     int    // descriptor of that file, or of the directory (O_PATH) of the others
	Epoch  int    // that begins with the job: the number of freezes before
}

// Wanted tells whether anything is noted.
func (o *Journal) Wanted() bool { return o.Memory || o.Name != "" }

// StealPolicy is how a PE with nothing to run takes ready ranks from another.
type StealPolicy struct {
	Half bool    // take half of what is ready, else one rank
	Cost float64 // seconds that a steal takes: less work than that is left alone
}

// TimelineLimit bounds what each PE records one by one in a span of time; what is more is added up.
type TimelineLimit struct {
	Quantum        float64 // seconds
	Runs, Messages int
}

// home is the PE that a rank begins on.
func (c *Config) home(id int) int {
	if c.Mapping != nil {
		return int(c.Mapping[id])
	}
	return id * c.PEs / c.Ranks
}

// Placement is the PE that each rank begins on.
func (c *Config) Placement() []int {
	all := make([]int, c.Ranks)
	for id := range all {
		all[id] = c.home(id)
	}
	return all
}

// firstRank is the lowest rank that begins on a PE; -1 when none does.
func (c *Config) firstRank(pe int) int {
	if c.Mapping != nil {
		return slices.Index(c.Mapping, int32(pe))
	}
	return (pe*c.Ranks + c.PEs - 1) / c.PEs
}
