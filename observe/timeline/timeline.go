// Package timeline writes and reads what a job did and when, in the form of Perfetto's traces (protocol buffers, TrackEvent), which
// ui.perfetto.dev opens.
//
// A trace has a track for each PE with a slice for each run of a rank ("rank 3", with the call in which it then waited), for each time
// without anything to run ("idle"), and for spans in which too much happened to be kept one by one ("many runs", with their number
// and time). Beside it are tracks with its messages and with moves of ranks, whose two ends are joined by flows. What was measured in
// all is in events at the end. Times are nanoseconds since all ranks existed.
package timeline

import "time"

// Facts are what is known of a job when it begins. Texts are as the user gave them.
type Facts struct {
	Program string
	Args    []string // Args[0] is the program as it was typed
	Options []string // of ampirun, as typed
	Method  string   // of privatization
	Version string
	Began   time.Time
	Ranks   int
	Mapping []int // the PE that each rank begins on
	PEs     int
}

// Run is a run of one rank, or a time without one.
type Run struct {
	PE       int
	From, To int64  // nanoseconds
	Rank     int    // Idle or Many where there is no one rank
	Then     string // the call in which the rank waited next; or ""
	Runs     int64  // of Many: how many runs there were
	Busy     int64  // and how long all took, in nanoseconds
}

// Ranks of runs that are none.
const (
	Idle = -1
	Many = -2
)

// Message is one end of a message that is shown.
type Message struct {
	PE       int
	At       int64 // nanoseconds
	Flow     uint64
	Rank     int
	To       int // rank; of the sending end
	Bytes    int64
	Received bool // this is the receiving end
}

// Move is one end of a rank's way to another PE.
type Move struct {
	PE      int
	At      int64 // nanoseconds
	Rank    int
	To      int // PE; of the end that it leaves
	Number  int // of this rank's moves, from 0
	Arrived bool
}

// Step is a step of load balancing: imbalance is the time of the PE that takes longest against the mean.
type Step struct {
	At            int64   // nanoseconds
	Window        float64 // seconds that were measured
	Strategy      string
	Asked         bool    // by the program
	Before, After float64 // as measured; as it would be after the moves
	Moves         int
}

// RankTotal is what a rank did in all.
type RankTotal struct {
	User  time.Duration
	Sent  uint64 // messages
	Moves uint64
}

// Traffic is what ranks of one block sent to those of others, with the messages that collective operations would be.
type Traffic struct {
	From            int // block
	To              []int
	Messages, Bytes []uint64
}

// End is what is known when a job has ended.
type End struct {
	Elapsed   time.Duration
	ExitCode  int
	Reason    string  // why it was ended; "" when it ended by itself
	Busy      float64 // seconds in ranks of all PEs
	Hidden    uint64  // messages that are not shown, by the limit
	Lost      uint64  // moves that are not shown, for want of room
	BlockSize int     // ranks of a block of Traffic
}

// Names of events.
const (
	nameJob       = "job"
	nameIdle      = "idle"
	nameMany      = "many runs"
	nameSend      = "send"
	nameReceive   = "receive"
	nameLeave     = "leaves"
	nameArrive    = "arrives"
	nameStep      = "balancing"
	nameTotals    = "ranks"
	nameTraffic   = "traffic"
	nameEnd       = "end"
	rankPrefix    = "rank "
	generatorName = "ampirun +trace"
)
