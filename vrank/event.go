package vrank

// EventKind says what a worker reports to the job.
type EventKind string

// The kinds of events.
const (
	EventRankExit EventKind = "rank-exit" // a rank ended by return from main or exit: Rank, Code
	EventAbort    EventKind = "abort"     // the job must end now with Code: MPI_Abort, fatal MPI error, Text explains
	EventFault    EventKind = "fault"     // a rank died of Signal: Text is the report, Code is 128+signal
	EventDeadlock EventKind = "deadlock"  // every rank waits for ever: Text lists who waits for whom
	EventDone     EventKind = "done"      // all ranks of this worker have ended; Stats is set when asked for
)

// Event is one report of a worker, sent as JSON. Rank is -1 where none is meant.
type Event struct {
	Kind   EventKind
	PE     int
	Rank   int
	Code   int
	Signal int
	Text   string
	Stats  *Stats `json:",omitempty"`
}

// Stats is what one worker measured.
type Stats struct {
	Switches uint64  // rank switches of this PE
	Idle     float64 // seconds with no rank ready
	Busy     float64 // seconds in ranks
	Ranks    []RankStats
}

// RankStats is what one rank did. Times in seconds, sizes in bytes.
type RankStats struct {
	Rank                     int
	User                     float64
	Switches                 uint64
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64
	Memory                   uint64 // bytes of the slice that exist
}

// FrameHeader precedes every piece of output on Config.OutputFD: rank, stream (1 standard output, 2 standard error) and
// length of the data that follows, all little-endian uint32. A frame is at most 4096 bytes with its header, so that
// writes to the pipe are atomic.
type FrameHeader struct{ Rank, Stream, Length uint32 }
