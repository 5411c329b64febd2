package vrank

import "golang.org/x/sys/unix"

// Frozen is what one worker tells when its ranks stand still, before anything is copied.
type Frozen struct {
	Obstacles []Obstacle   `json:",omitempty"` // why nothing can be saved, of this worker's ranks
	Ranks     []FrozenRank // of this worker
	Input     *InputState  `json:",omitempty"` // of the one that has rank 0
	Epoch     int          // that begins with this freeze, of notes of opened files
	Loaded    []string     `json:",omitempty"` // files of libraries that ranks have opened at run time
}

// InputState is how far rank 0 has read its standard input.
type InputState struct {
	Offset int64 // of a file, in bytes
	Unread int64 // bytes in a pipe
}

func inputState() *InputState {
	s := &InputState{}
	s.Offset, _ = unix.Seek(0, 0, unix.SEEK_CUR)
	if n, err := unix.IoctlGetInt(0, unix.TIOCINQ); err == nil {
		s.Unread = int64(n)
	}
	return s
}

// Thawed is what a worker tells when its ranks go on.
type Thawed struct {
	Refused bool    // some rank of the job cannot be saved: nothing was copied
	Bytes   uint64  // copied by this worker
	Same    bool    // no memory that this worker copies has come or gone since the last freeze of the same workers
	Pause   float64 // seconds that no rank of this worker ran
	Copying float64 // seconds of those that went into the copy
}

// Obstacle is why a rank cannot be saved, in the words that follow "rank 3 cannot be saved: ".
type Obstacle struct {
	Rank int
	Why  string
}

// FrozenRank is what a rank has outside of its slice.
type FrozenRank struct {
	Rank    int
	Ended   bool `json:",omitempty"`
	Code    int  `json:",omitempty"` // of the end
	Files   []File
	Written [2]uint64 // bytes to standard output and error so far
}
