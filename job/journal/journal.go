// Package journal makes the files of a job as they were when it was saved. Workers note which files ranks open to write (the undo journal,
// vrank/libc/file_journal.h), and give descriptors of those that ranks have open (retained files): a job that goes back finds what it had, so
// that what it appends does not come twice, and what it makes is not there yet.
package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"ampirun/internal/safefile"
	"ampirun/vrank"
)

// Folder is where the notes lie in a directory of checkpoints.
const Folder = "opened"

// Journal is what is noted of a job's files. Only the manager's goroutine uses it, or, while there are no workers, who makes the files as
// they were.
type Journal struct {
	begin    Mark          // with which the job began under this ampirun
	folder   *safefile.Dir // with the notes; nil: they are in memory
	memory   *memory       // with the notes; nil: they are in the folder
	retained *retained     // nil: nobody goes back, so files need not stay
}

// InMemory makes the journal of a job that goes back to a copy in memory and has no directory for notes.
func InMemory() (*Journal, error) {
	m, err := newMemory()
	if err != nil {
		return nil, err
	}
	return &Journal{begin: newMark(), memory: m}, nil
}

// In makes the journal of a job in its directory of checkpoints. was is what a restarted job has from before; the zero value: nothing.
func In(root *safefile.Dir, was Mark) (*Journal, error) {
	folder, err := root.MakeSub(Folder)
	if err != nil {
		return nil, fmt.Errorf("make a place for notes of opened files: %w", err)
	}
	if was.Job == "" {
		was = newMark()
	}
	return &Journal{begin: was, folder: folder}, nil
}

// RetainFiles has files kept that ranks have open, for a job with so many workers.
func (j *Journal) RetainFiles(workers int) { j.retained = newRetained(workers) }

// Begin is the mark that the job began with under this ampirun.
func (j *Journal) Begin() Mark { return j.begin }

// At is the mark to be kept with a checkpoint after which an epoch begins.
func (j *Journal) At(epoch int) Mark { return Mark{j.begin.Job, epoch} }

// ForWorkers is what workers have to know that begin with an epoch. The descriptor goes to them beside it.
func (j *Journal) ForWorkers(epoch int) vrank.Journal {
	switch {
	case j == nil:
		return vrank.Journal{}
	case j.memory != nil:
		return vrank.Journal{Memory: true, Epoch: epoch}
	}
	return vrank.Journal{Name: j.begin.Job, Epoch: epoch}
}

// FD is the descriptor that workers write notes by: of the file in memory, or of the folder.
func (j *Journal) FD() int {
	if j.memory != nil {
		return int(j.memory.file.Fd())
	}
	return j.folder.FD()
}

// Retain takes descriptors of the first of some files that ranks have open, after RetainFiles. What it gives is to be said to the user, if it is not "".
func (j *Journal) Retain(names []vrank.Retained, fds []int) string {
	return j.retained.add(names, fds)
}

// Stood takes what files ranks have open in a freeze just now, and lets go of those that belong neither to that nor to the given states.
func (j *Journal) Stood(now Files, states ...Files) {
	if j.retained != nil {
		j.retained.recent = now
		j.retained.sweep(states...)
	}
}

// Restore makes the files as they were that ranks have opened since an epoch began, and gives those of open their names again. It notes in
// open which have to be opened by another one. said is for the user. No worker is there.
func (j *Journal) Restore(epoch int, open Files) (said []string, err error) {
	var done *undo
	if j.memory != nil {
		done, err = j.memory.undo(epoch)
	} else {
		done, said, err = j.At(epoch).undo(j.folder)
	}
	if err != nil {
		return said, err
	}
	return append(said, j.retained.restore(open, done.made)...), nil
}

// Forget drops the notes of epochs before the given one.
func (j *Journal) Forget(epoch int) {
	if j.memory != nil {
		j.memory.forget(epoch)
		return
	}
	j.begin.forget(j.folder, epoch)
}

// Close lets go of all that is retained. Notes in a folder stay.
func (j *Journal) Close() {
	if j == nil {
		return
	}
	j.retained.close()
	if j.memory != nil {
		j.memory.file.Close()
	}
	if j.folder != nil {
		j.folder.Close()
	}
}

// Undo makes the files as they were that ranks have opened since a checkpoint in a directory, with which the mark was kept. said is for the user.
func Undo(root *safefile.Dir, since Mark) (said []string, err error) {
	folder, err := root.Sub(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing was noted
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	_, said, err = since.undo(folder)
	return said, err
}
