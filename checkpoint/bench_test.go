package checkpoint

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// benchDir is a folder on a disk: CKPT_BENCH_DIR, or a temporary one.
func benchDir(b *testing.B) string {
	if dir := os.Getenv("CKPT_BENCH_DIR"); dir != "" {
		return dir
	}
	return b.TempDir()
}

const benchPages = 256 * 256 // 256 ranks of 1 MB

// kinds of memory by how well it shrinks.
func benchMemory(kind string) Memory {
	m := random(7, benchPages)
	switch kind {
	case "numbers": // doubles of a smooth field: the low bits are noise
		for i := 0; i+8 <= len(m); i += 8 {
			m[i+7], m[i+6], m[i+5], m[i+4] = 0x3f, 0xf0, byte(i>>20), byte(i>>12)
		}
	case "sparse": // one page in four is in use, and short of information
		for i := range m {
			if i/page%4 != 0 || i%16 > 2 {
				m[i] = 0
			}
		}
	}
	return m
}

// plainWrite is dd with fsync: the bytes as they are, in one file.
func plainWrite(b *testing.B, dir string, m Memory) time.Duration {
	path := filepath.Join(dir, "plain")
	began := time.Now()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	for at := 0; at < len(m); at += 1 << 20 {
		if _, err := f.Write(m[at : at+1<<20]); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	os.Remove(path)
	return took
}

// BenchmarkCheckpoint makes first checkpoints, second ones after 5 % of the pages changed, restores them, and writes the same bytes
// to a file, by turns. Figures are medians, and under .min the least.
func BenchmarkCheckpoint(b *testing.B) {
	for _, kind := range []string{"random", "numbers", "sparse"} {
		b.Run(kind, func(b *testing.B) {
			m := benchMemory(kind)
			took := map[string][]time.Duration{}
			for b.Loop() {
				round(b, m, took)
			}
			for name, times := range took {
				slices.Sort(times)
				b.ReportMetric(times[len(times)/2].Seconds(), name+"-s")
				b.ReportMetric(times[0].Seconds(), name+"-min-s")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func round(b *testing.B, m Memory, took map[string][]time.Duration) {
	dir := benchDir(b)
	note := func(name string, d time.Duration) { took[name] = append(took[name], d) }
	note("plain", plainWrite(b, dir, m))
	s, err := Open(filepath.Join(dir, "store"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(s.Dir())
	defer s.Close()
	for _, name := range []string{"first", "second"} {
		r, err := s.Save(testJob(), m, []Extent{{0, uint64(len(m))}})
		if err != nil {
			b.Fatal(err)
		}
		note(name, r.Time)
		b.Logf("%s: %+v, disk %d MB/s", name, r.Counts, s.speed/1e6)
		touch(m, 0.05)
	}
	to := make(Memory, len(m))
	began := time.Now()
	g, err := s.Latest()
	if err == nil {
		err = g.Restore(to)
	}
	if err != nil {
		b.Fatal(err)
	}
	note("restore", time.Since(began))
}

// touch changes a share of the pages.
func touch(m Memory, share float64) {
	for i := range len(m) / page {
		if rand.Float64() < share {
			m[i*page+rand.IntN(page)]++
		}
	}
}
