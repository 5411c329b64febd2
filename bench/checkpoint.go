package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ampirun/checkpoint"
)

// The memory of 256 ranks of 1 MB each, filled with what does not shrink.
const (
	savedRanks = 256
	savedPage  = 4096
	savedPages = savedRanks * 256
)

// checkpointFiles measures what writes and reads checkpoints, in this process, beside dd with the same bytes.
func checkpointFiles() *experiment {
	return &experiment{name: "checkpoint_files", rounds: 9, inside: saveAndRestore,
		figures: []*figure{
			{name: "checkpoint_first", unit: "s", value: of("first")},
			{name: "checkpoint_dd", unit: "s", value: of("dd")},
			{name: "checkpoint_first_bandwidth", unit: "ratio", value: ratio("dd", "first"), atLeast: true},
			{name: "checkpoint_second", unit: "s", value: of("second")},
			{name: "checkpoint_second_per_first", unit: "ratio", value: ratio("second", "first")},
			{name: "checkpoint_restore", unit: "s", value: of("restore")},
		}}
}

// trackedMemory knows which pages have changed.
type trackedMemory struct {
	checkpoint.Memory
	changed []bool
}

func (m *trackedMemory) HasChanged(at, size uint64) bool {
	return slices.Contains(m.changed[at/savedPage:(at+size)/savedPage], true)
}

// saveAndRestore is one round.
func saveAndRestore(ctx context.Context, _ *builder) (run map[string]series, err error) {
	dir, err := os.MkdirTemp("", "ampibench-checkpoint")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	memory := &trackedMemory{make(checkpoint.Memory, savedPages*savedPage), make([]bool, savedPages)}
	_, _ = rand.NewChaCha8([32]byte{1}).Read(memory.Memory)
	run = map[string]series{}
	if run["dd"], err = dd(ctx, dir, memory.Memory); err != nil {
		return nil, err
	}
	s, err := checkpoint.Open(filepath.Join(dir, "store"), checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	job := &checkpoint.Job{Program: "bench", Ranks: savedRanks, PEs: 2, PageSize: savedPage, SliceSize: 1 << 20, PerRank: make([]checkpoint.Rank, savedRanks)}
	for _, name := range []string{"first", "second"} {
		r, err := s.Save(job, memory, []checkpoint.Extent{{Length: savedPages * savedPage}})
		if err != nil {
			return nil, err
		}
		run[name] = series{r.Time.Seconds()}
		for range savedPages / 20 {
			at := rand.IntN(len(memory.Memory))
			memory.Memory[at]++
			memory.changed[at/savedPage] = true
		}
	}
	run["restore"], err = readBack(s)
	return run, err
}

// dd writes the same bytes as one file until they are safe.
func dd(ctx context.Context, dir string, memory []byte) (series, error) {
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, memory, 0o600); err != nil {
		return nil, err
	}
	f, err := launch(ctx, []string{"dd", "if=" + from, "of=" + to, "bs=1M", "conv=fsync"}, nil)
	if err != nil {
		return nil, err
	}
	return series{f.wall.Seconds()}, errors.Join(os.Remove(from), os.Remove(to))
}

func readBack(s *checkpoint.Store) (series, error) {
	to := make(checkpoint.Memory, savedPages*savedPage)
	began := time.Now()
	g, err := s.Latest()
	if err == nil {
		err = g.Restore(to)
	}
	if err != nil {
		return nil, fmt.Errorf("read back: %w", err)
	}
	return series{time.Since(began).Seconds()}, nil
}
