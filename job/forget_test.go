package job

import (
	"os"
	"testing"

	"ampirun/checkpoint"
	"ampirun/internal/safefile"
	"ampirun/job/journal"
)

// TestForget keeps the piped input that the oldest checkpoint on the disk needs to go back to, and no more.
func TestForget(t *testing.T) {
	reads, writes, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reads.Close()
	defer writes.Close()
	dir := t.TempDir()
	root, err := safefile.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, c := range []struct {
		mode string
		want int64
	}{{FTDisk, 20}, {FTMemory, 0}} { // a copy in memory needs other input
		notes, err := journal.In(root, journal.Mark{})
		if err != nil {
			t.Fatal(err)
		}
		defer notes.Close()
		k := &checkpointer{m: &manager{opt: Options{Lasting: Lasting{FT: &FT{Mode: c.mode}}}, input: newInput(reads)}, journal: notes}
		k.m.input.text = make([]byte, 100)
		saveOf(t, dir, "an earlier job", "heat")
		for _, read := range []int64{10, 30, 20} { // the last but one was damaged
			number := saveOf(t, dir, notes.Begin().Job, "heat")
			k.history = append(k.history, Saved{was: &rollbackTarget{read: read}, Report: checkpoint.Report{Generation: number}})
		}
		if k.store, err = checkpoint.Open(dir, checkpoint.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := k.store.Remove(k.history[0].Generation); err != nil {
			t.Fatal(err)
		}
		k.forget()
		k.store.Close()
		if in := k.m.input; in.at != c.want || in.end() != 100 {
			t.Errorf("%s: input from %d to %d is kept, want %d to 100", c.mode, in.at, in.end(), c.want)
		}
		if k.history[0].was != nil || k.history[1].was == nil {
			t.Errorf("%s: what belongs to checkpoints is kept for others than those that there are: %+v", c.mode, k.history)
		}
	}
}

// TestRenewedWorkers has the interval follow from the workers that there are.
func TestRenewedWorkers(t *testing.T) {
	k := &checkpointer{pace: newPace(Checkpoints{}, 8), copied: 3}
	k.renewed(2)
	if k.pace.workers != 2 || k.copied != 0 {
		t.Errorf("%d workers, %d copies", k.pace.workers, k.copied)
	}
}
