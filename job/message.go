package job

import (
	"ampirun/isomalloc"
	"ampirun/vrank"
)

// The kinds of control messages, in the order in which a healthy worker meets them.
const (
	kindHello   = "hello"   // worker: Free holds the free ranges of its address space
	kindConfig  = "config"  // manager: Config to run; the region's memfd travels along
	kindEvent   = "event"   // worker: Event happened
	kindFailed  = "failed"  // worker: it cannot run; Text says why, Code is the job's exit code
	kindStop    = "stop"    // manager: end now
	kindFreeze  = "freeze"  // manager, to one worker: have all workers stand still, and copy the region or, with Halt, end; see vrank.Freeze
	kindPrepare = "prepare" // manager, to the other workers: a freeze is coming; see vrank.Prepare
	kindPing    = "ping"    // manager: give a sign of life; worker: here it is
	kindTrace   = "trace"   // manager: say where your ranks are; worker: Trace says so, also when it was asked by a signal of its own
	kindSurvey  = "survey"  // manager: what do all ranks do? worker: Survey says so, with the question's Number
	kindMove    = "move"    // manager: have Rank go to PE; worker: Moved says what has become of it, with the question's Number
)

// message is what goes over a control link, as one wire.Frame. Fields that a kind does not use are left out.
type message struct {
	Kind   string
	Free   [][2]uint64   `json:",omitempty"`
	Config *vrank.Config `json:",omitempty"`
	Event  *vrank.Event  `json:",omitempty"`
	Trace  *vrank.Trace  `json:",omitempty"`
	Text   string        `json:",omitempty"`
	Code   int           `json:",omitempty"`
	Halt   bool          `json:",omitempty"`
	Number int           `json:",omitempty"` // of a question, and of its answer
	Rank   int           `json:",omitempty"`
	PE     int           `json:",omitempty"`
	Survey *vrank.Survey `json:",omitempty"`
	Moved  *vrank.Moved  `json:",omitempty"`
	Rights int           `json:",omitempty"` // so many descriptors come with it; set by send
	fds    []int         // those: whoever takes the message is to close them
}

// limits are ranges of addresses as they travel.
func limits(free []isomalloc.Range) (all [][2]uint64) {
	for _, r := range free {
		all = append(all, [2]uint64{uint64(r.Lo), uint64(r.Hi)})
	}
	return all
}

// free are the ranges that a worker has said hello with.
func (m *message) free() (all []isomalloc.Range) {
	for _, r := range m.Free {
		all = append(all, isomalloc.Range{Lo: uintptr(r[0]), Hi: uintptr(r[1])})
	}
	return all
}
