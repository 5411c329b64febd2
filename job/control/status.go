package control

import (
	"time"

	"ampirun/vrank"
)

// Status is what a job says about itself. Times are in seconds.
type Status struct {
	PID     int     `json:"pid"`
	Program string  `json:"program"`
	Ranks   int     `json:"ranks"`
	Ended   int     `json:"ended"` // ranks that have
	State   string  `json:"state"` // "starts", "runs", "ends", or between workers: "recovers", "scales"
	Running float64 `json:"running"`
	From    string  `json:"from,omitempty"` // directory of the checkpoint that the job goes on from

	Workers []WorkerStatus `json:"workers"`
	Moves   uint64         `json:"moves"`  // of ranks to other workers
	Stolen  uint64         `json:"stolen"` // those of them that idle workers took

	Balance     BalanceStatus     `json:"balance"`
	Steal       bool              `json:"steal"`
	Checkpoints *CheckpointStatus `json:"checkpoints,omitempty"` // nil: none on the disk
	FT          *FTStatus         `json:"ft,omitempty"`          // nil: the job ends with a worker that fails
	Problem     string            `json:"problem,omitempty"`     // why it is not known what the ranks do
}

// WorkerStatus is what is known of a worker.
type WorkerStatus struct {
	PE    int  `json:"pe"`
	PID   int  `json:"pid"`
	Alive bool `json:"alive"`
	Ranks *int `json:"ranks,omitempty"` // that it has and that have not ended; nil: nobody has looked, or could
}

// BalanceStatus is what load balancing has done.
type BalanceStatus struct {
	Strategy string `json:"strategy,omitempty"` // "": only when the program asks for it
	Period   string `json:"period,omitempty"`
	Steps    int    `json:"steps"`
	Moves    int    `json:"moves"`
}

// CheckpointStatus is what has been saved.
type CheckpointStatus struct {
	Dir    string           `json:"dir"`
	Every  float64          `json:"every,omitempty"` // at present; 0: when it is asked for
	OnTerm bool             `json:"onTerm"`
	Made   int              `json:"made"`   // since ampirun was started
	Saving bool             `json:"saving"` // one is being made
	Last   *SavedCheckpoint `json:"last,omitempty"`
	Buddy  *BuddyStatus     `json:"buddy,omitempty"` // nil: no other node has copies
}

// SavedCheckpoint is a checkpoint that is safe.
type SavedCheckpoint struct {
	Number  uint64    `json:"number"`
	When    time.Time `json:"when"` // it was safe
	Pause   float64   `json:"pause"`
	Safe    float64   `json:"safe"`    // until it was safe, from its beginning
	Written uint64    `json:"written"` // bytes
}

// BuddyStatus is what another node has.
type BuddyStatus struct {
	To      string            `json:"to"` // HOST:DIR
	Made    int               `json:"made"`
	Sending bool              `json:"sending"` // one is under way
	Last    *CopiedCheckpoint `json:"last,omitempty"`
	Problem string            `json:"problem,omitempty"` // why what was sent last is not there
}

// CopiedCheckpoint is a checkpoint that is safe on another node.
type CopiedCheckpoint struct {
	Number uint64    `json:"number"`
	When   time.Time `json:"when"` // it was safe there
	Safe   float64   `json:"safe"` // until it was, from its beginning
	Sent   uint64    `json:"sent"` // bytes
}

// FTStatus is how a job outlives its workers, and how often it has.
type FTStatus struct {
	Mode        string          `json:"mode"`           // FTMemory or FTDisk
	Copy        *CopyStatus     `json:"copy,omitempty"` // of mode FTMemory
	Shrink      bool            `json:"shrink"`         // nobody takes the place of a worker that has failed
	MaxFailures int             `json:"maxFailures"`    // so many are made good
	Failures    []FailureStatus `json:"failures"`       // so far
}

// CopyStatus is what the job would go on from.
type CopyStatus struct {
	Every float64  `json:"every,omitempty"` // at present; 0: when it is asked for
	Made  int      `json:"made"`            // since ampirun was started
	Age   *float64 `json:"age,omitempty"`   // of the last one; nil: there is none yet
	Pause float64  `json:"pause,omitempty"` // for it
}

// FailureStatus is a failure that has been made good, or is being.
type FailureStatus struct {
	What string    `json:"what"`
	When time.Time `json:"when"`           // it was noticed
	Took float64   `json:"took,omitempty"` // until ranks ran again; 0: they do not yet
}

// RankStatus is what is known of a rank.
type RankStatus struct {
	vrank.RankState
	GoesTo *int `json:"goesTo,omitempty"` // PE that a client has sent it to; nil: it is there, or was not sent
}
