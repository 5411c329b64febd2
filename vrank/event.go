package vrank

import "time"

// EventKind says what a worker reports to the job.
type EventKind string

// The kinds of events.
const (
	EventRankExit EventKind = "rank-exit" // a rank ended by return from main or exit: Rank, Code
	EventAbort    EventKind = "abort"     // the job must end now with Code: MPI_Abort, fatal MPI error, Text explains
	EventFault    EventKind = "fault"     // a rank died of Signal: Text is the report, Code is 128+signal
	EventDeadlock EventKind = "deadlock"  // every rank waits for ever: Text lists who waits for whom
	EventStalled  EventKind = "stalled"   // nothing has come of what ranks do for Config.Stall: Text says where they are; the job goes on
	EventPlaced   EventKind = "placed"    // with Config.Debug: ranks exist, a debugger is waited for
	EventBalanced EventKind = "balanced"  // a step of load balancing: Step
	EventSave     EventKind = "save"      // Rank wants the job to be saved
	EventRunning  EventKind = "running"   // the ranks of all workers exist and begin to run; one worker says so
	EventRetained EventKind = "held"      // before that: descriptors FDs of the files in Retained, which ranks of this worker have open
	EventFrozen   EventKind = "frozen"    // this worker's ranks stand still: Frozen
	EventThawed   EventKind = "thawed"    // they go on: Thawed
	EventDone     EventKind = "done"      // all ranks of this worker have ended; Stats is set when asked for
)

// Event is one report of a worker, sent as JSON. Rank is -1 where none is meant.
type Event struct {
	Kind     EventKind
	PE       int
	Rank     int
	Code     int
	Signal   int
	Text     string
	Place    string       `json:",omitempty"` // of a fault: where in the program
	Memory   bool         `json:",omitempty"` // of a save: into memory only
	Core     bool         `json:",omitempty"` // of a fault: the worker dies of the signal now, and may leave a core file
	Stats    *Stats       `json:",omitempty"`
	Step     *BalanceStep `json:",omitempty"`
	Frozen   *Frozen      `json:",omitempty"`
	Thawed   *Thawed      `json:",omitempty"`
	Retained []Retained   `json:",omitempty"`
	FDs      []int        `json:"-"` // of EventRetained, of the first ones in Retained: they are to be closed by whom they are reported to
}

// BalanceStep is one step of load balancing. Imbalance is the time of the PE that takes longest against the mean; 1 is perfect.
type BalanceStep struct {
	At            float64 // seconds since the ranks began
	When          time.Time
	Window        float64 // seconds that were measured
	Strategy      string
	Asked         bool    // by AMPI_Migrate
	Before, After float64 // imbalance as measured, and as it would be in another such window after the moves
	Moves         int
}

// Stats is what one worker measured.
type Stats struct {
	Switches uint64  // rank switches of this PE
	Idle     float64 // seconds with no rank ready
	Busy     float64 // seconds in ranks
	Ranks    []RankStats
	Stolen   Stolen
	Copied   Copied
	Heap     *HeapReport // nil when ranks allocate elsewhere on purpose
	Placing  []float64   `json:",omitempty"` // with Config.ProbeOnly: seconds that it took to place each rank
}

// Stolen is what a PE with nothing to run took from others.
type Stolen struct {
	Ranks   uint64
	Steals  uint64  // that each took one or more of them
	Seconds float64 // from the answer of the other PE until the first one was here, in all
}

// Copied is what a PE sent of ranks that moved by copy.
type Copied struct {
	Moves, Bytes uint64
	Seconds      float64 // until all was sent
}

// RankStats is what one rank did. Times in seconds, sizes in bytes.
type RankStats struct {
	Rank                     int
	User                     float64
	Switches                 uint64
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64
	Memory                   uint64 // bytes of the slice that exist
	Moves                    uint64 // to another worker
	Pinned                   string // why it cannot move to another worker; "" when it can
}

// FrameHeader precedes every piece of output on Config.OutputFD: rank, stream (1 standard output, 2 standard error) and
// length of the data that follows, all little-endian uint32. A frame is at most 4096 bytes with its header, so that
// writes to the pipe are atomic.
type FrameHeader struct{ Rank, Stream, Length uint32 }
