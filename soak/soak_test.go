package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/zeebo/xxh3"
)

func trialOf(t *testing.T, seed uint64, run func(*trial)) *trial {
	t.Helper()
	s := &soak{ctx: t.Context(), top: t.TempDir(), totals: map[string]*total{}}
	return newTrial(s, attack{name: "test", run: run}, seed)
}

// TestSpoilELF changes the same with the same seed, and never code.
func TestSpoilELF(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	places, err := loaderReads(self)
	if err != nil || len(places) < 3 {
		t.Fatal(places, err)
	}
	f, err := elf.NewFile(bytes.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	text := f.Section(".text")
	changed := 0
	for seed := range uint64(50) {
		one := trialOf(t, seed, nil).spoilELF(good, places)
		if !bytes.Equal(one, trialOf(t, seed, nil).spoilELF(good, places)) {
			t.Fatalf("seed %d makes two files", seed)
		}
		if !bytes.Equal(one, good) {
			changed++
		}
		if end := text.Offset + text.Size; uint64(len(one)) >= end && !bytes.Equal(one[text.Offset:end], good[text.Offset:end]) {
			t.Errorf("seed %d changes code", seed)
		}
	}
	if changed < 40 {
		t.Errorf("%d of 50 files are changed", changed)
	}
}

// TestForge changes a manifest and leaves it with the right checksum.
func TestForge(t *testing.T) {
	type job struct {
		Ranks int      `cbor:"ranks"`
		Args  []string `cbor:"args"`
		Base  uint64   `cbor:"base"`
	}
	content, err := cbor.Marshal(map[string]any{"number": 5, "job": job{3, []string{"a", "b"}, 1 << 40}})
	if err != nil {
		t.Fatal(err)
	}
	good := sign(bytes.Repeat([]byte{7}, manifestHead), content)
	negative, changed := 0, 0
	for seed := range uint64(200) {
		data := trialOf(t, seed, nil).forge(good)
		body := data[:len(data)-manifestSum]
		sum := xxh3.Hash128(body).Bytes()
		if !bytes.Equal(data[len(body):], sum[:]) || !bytes.Equal(body[:manifestLength], good[:manifestLength]) {
			t.Errorf("seed %d", seed)
		}
		if !bytes.Equal(data, good) {
			changed++
		}
		var now struct{ Job job }
		if cbor.Unmarshal(body[manifestHead:], &now) == nil && now.Job.Ranks < 0 {
			negative++
		}
	}
	if changed < 150 || negative == 0 {
		t.Errorf("%d of 200 manifests are changed, %d have fewer than no ranks", changed, negative)
	}
}

// TestNothingLeft finds a process that outlives its case, and ends it.
func TestNothingLeft(t *testing.T) {
	var left *exec.Cmd
	c := trialOf(t, 5, func(c *trial) {
		left = exec.Command("sleep", "1000")
		left.Env = append(os.Environ(), c.mark())
		if err := left.Start(); err != nil {
			c.fail("%v", err)
		}
	})
	c.all()
	left.Wait()
	if !strings.HasPrefix(c.failed, "left processes running: [") || c.failures != 1 {
		t.Errorf("%q, %d", c.failed, c.failures)
	}
	if _, err := os.Stat(c.dir); err == nil {
		t.Error("its directory is there")
	}
}

// TestTake ends with the time or the number of cases, and gives each its own seed.
func TestTake(t *testing.T) {
	s := &soak{ctx: t.Context(), options: options{seed: 7, time: time.Hour, cases: 3}, began: time.Now(), attacks: attacks}
	for i := range uint64(3) {
		if c := s.take(); c == nil || c.seed != 7+i || c.attack.name != attacks[i].name {
			t.Fatal(i, c)
		}
	}
	if s.take() != nil {
		t.Error("a fourth case")
	}
	s = &soak{ctx: t.Context(), options: options{time: time.Minute}, began: time.Now().Add(-time.Hour), attacks: attacks}
	if s.take() != nil {
		t.Error("a case after the end")
	}
}
