package job

import (
	"ampirun/job/journal"
	"ampirun/vrank"
)

// rollbackTarget is what a job has besides its memory, and goes on with.
type rollbackTarget struct {
	files   journal.Files
	written [][2]uint64 // bytes to standard output and error, by rank
	ended   []ended

	isOurs bool  // the job stood so under this ampirun, and not under the one that it was restarted from; only then there are
	read   int64 // how far its input had been read, see input.place
	epoch  int   // and the first of the epochs whose notes of opened files are to be undone
}

func newRollbackTarget(ranks int) *rollbackTarget {
	return &rollbackTarget{files: make(journal.Files, ranks), written: make([][2]uint64, ranks)}
}

// rollbackTarget is what the job had when it stood still.
func (f *freeze) rollbackTarget(ranks int) *rollbackTarget {
	v := newRollbackTarget(ranks)
	v.read, v.epoch, v.isOurs = f.read, f.epoch(), true
	for _, w := range f.frozen {
		for _, r := range w.Ranks {
			v.files[r.Rank], v.written[r.Rank] = r.Files, r.Written
			if r.Ended {
				v.ended = append(v.ended, ended{r.Rank, r.Code})
			}
		}
	}
	return v
}

// config is what workers need to know of it; nil for a job that begins.
func (v *rollbackTarget) config() *vrank.Restart {
	if v == nil {
		return nil
	}
	return &vrank.Restart{Files: v.files}
}

// open is what ranks had open; nil: nothing.
func (v *rollbackTarget) open() journal.Files {
	if v == nil {
		return nil
	}
	return v.files
}

// output is how much the ranks had written; nil: nothing.
func (v *rollbackTarget) output() [][2]uint64 {
	if v == nil {
		return nil
	}
	return v.written
}

// exits gives the ranks that have ended.
func (v *rollbackTarget) exits() []ended {
	if v == nil {
		return nil
	}
	return v.ended
}
