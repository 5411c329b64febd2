package job

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampirun/checkpoint"
	"ampirun/internal/wire"
)

// saveOf has a checkpoint in a directory of some job and program, and returns its number.
func saveOf(t *testing.T, dir, name, program string) uint64 {
	t.Helper()
	store, err := checkpoint.Open(dir, checkpoint.Options{Keep: 9})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	job, p := sampleJob("/" + program)
	p.Opened.Job = name
	job.Opaque = map[string][]byte{metadataKey: wire.Encode(p)}
	text := make(checkpoint.Memory, os.Getpagesize())
	_, _ = rand.Read(text) // so that nothing is shared
	r, err := store.Save(job, text, []checkpoint.Extent{{Length: uint64(len(text))}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Generation
}

// cutOff leaves little of a file of a checkpoint.
func cutOff(t *testing.T, dir string, number uint64, pattern string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("%06d", number), pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("checkpoint %d has no %s (%v)", number, pattern, err)
	}
	for _, file := range files {
		if err := os.Truncate(file, 20); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpenRestart takes the newest checkpoint that is not damaged, and none of another job.
func TestOpenRestart(t *testing.T) {
	for _, row := range []struct {
		what    string
		jobs    []string // of checkpoints 1, 2, ...: names of job and program
		cut     string   // what is cut off of the newest one
		before  uint64
		want    uint64 // 0: refused
		damaged []uint64
		worse   []uint64
		says    string
	}{
		{what: "good", jobs: []string{"a heat", "b heat"}, want: 2},
		{what: "pack", jobs: []string{"a heat", "a heat"}, cut: "*.pack", want: 1, damaged: []uint64{2}, worse: []uint64{2}},
		{what: "manifest", jobs: []string{"a heat", "a heat"}, cut: "manifest", want: 1, damaged: []uint64{2}, worse: []uint64{2}},
		{what: "memory", jobs: []string{"a heat", "a heat", "a heat"}, before: 3, want: 2, worse: []uint64{3}},
		{what: "other job", jobs: []string{"a heat", "b heat"}, cut: "*.pack", damaged: []uint64{2},
			says: "checkpoint 1 is another job's (/heat), and those of the newest one (/heat) are damaged: to go on with the older job remove them (ampirun ckpt rm "},
		{what: "other program", jobs: []string{"a heat", "a sand", "a sand"}, before: 2, says: "another job's (/heat), and those of the newest one (/sand)"},
		{what: "other job's memory", jobs: []string{"a heat", "b heat"}, before: 2, says: " 2)"},
		{what: "none", jobs: []string{"a heat"}, cut: "*.pack", damaged: []uint64{1}, says: "there is no checkpoint that is not damaged"},
	} {
		t.Run(row.what, func(t *testing.T) {
			dir := t.TempDir()
			var last uint64
			for _, job := range row.jobs {
				name, program, _ := strings.Cut(job, " ")
				last = saveOf(t, dir, name, program)
			}
			if row.cut != "" {
				cutOff(t, dir, last, row.cut)
			}
			var damaged []uint64
			r, err := OpenRestart(dir, false, row.before, func(d *DamagedCheckpoint) { damaged = append(damaged, d.Number) })
			if row.want == 0 && (err == nil || !strings.Contains(err.Error(), row.says)) {
				t.Errorf("%v", err)
			}
			if row.want != 0 && (err != nil || r.Generation.Number != row.want || !slices.Equal(r.worse, row.worse)) {
				t.Errorf("%+v, %v", r, err)
			}
			if !slices.Equal(damaged, row.damaged) {
				t.Errorf("damaged: %v, not %v", damaged, row.damaged)
			}
		})
	}
}
