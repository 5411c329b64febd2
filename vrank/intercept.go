package vrank

import "fmt"

// Need says whether a job needs something of its ranks' memory: that ranks can be moved or saved with it, or that it is
// registered with a transport.
type Need uint8

// The answers to "must it be so?". NeedRuntime leaves it to what the run turns out to use.
const (
	NeedNotGiven Need = iota
	NeedYes
	NeedNo
	NeedRuntime
	needs
)

var needNames = [needs]string{"", "yes", "no", "runtime"}

func (n Need) String() string { return needNames[n] }

// ParseNeed reads what a user writes: yes, no or runtime.
func ParseNeed(text string) (Need, error) {
	for n := NeedYes; n < needs; n++ {
		if needNames[n] == text {
			return n, nil
		}
	}
	return NeedNotGiven, fmt.Errorf("want yes, no or runtime")
}

// interception says whether the allocator and the mmap family are taken over, by "must ranks be movable" (first index) and
// "must memory be registered" (second).
var interception = [needs][needs]Need{
	NeedYes:      {NeedYes: NeedYes, NeedNo: NeedYes, NeedRuntime: NeedYes, NeedNotGiven: NeedYes},
	NeedNo:       {NeedYes: NeedYes, NeedNo: NeedNo, NeedRuntime: NeedNo, NeedNotGiven: NeedNo},
	NeedRuntime:  {NeedYes: NeedYes, NeedNo: NeedNo, NeedRuntime: NeedRuntime, NeedNotGiven: NeedRuntime},
	NeedNotGiven: {NeedYes: NeedYes, NeedNo: NeedNo, NeedRuntime: NeedRuntime, NeedNotGiven: NeedRuntime},
}

// Interception looks both needs up in the table. It is never NeedNotGiven.
func Interception(movable, registered Need) Need { return interception[movable][registered] }

// Circumstances are what decides where the table leaves it to the run.
type Circumstances struct {
	Moves     bool // ranks can be moved to other workers, or saved
	Registers bool // a transport has memory registered: between workers of a node, slices are what it can read
}

// Intercepts tells whether ranks allocate in their slices.
func Intercepts(movable, registered Need, c Circumstances) bool {
	need := Interception(movable, registered)
	return need == NeedYes || need == NeedRuntime && (c.Moves || c.Registers)
}
