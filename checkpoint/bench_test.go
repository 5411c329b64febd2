package checkpoint

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// BenchmarkWrite is dd with fsync: the bytes as they are in one file.
func BenchmarkWrite(b *testing.B) {
	m := benchMemory("random")
	b.SetBytes(int64(len(m)))
	path := filepath.Join(benchDir(b), "dd")
	for b.Loop() {
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		for at := 0; at < len(m); at += 1 << 20 {
			if _, err := f.Write(m[at : at+1<<20]); err != nil {
				b.Fatal(err)
			}
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		f.Close()
		b.StopTimer()
		os.Remove(path)
		b.StartTimer()
	}
}

// BenchmarkSave makes first checkpoints, and second ones after 5 % of the pages changed.
func BenchmarkSave(b *testing.B) {
	for _, kind := range []string{"random", "numbers", "sparse"} {
		m := benchMemory(kind)
		extents := []Extent{{0, uint64(len(m))}}
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(m)))
			var first, second, restore time.Duration
			for b.Loop() {
				b.StopTimer()
				s, err := Open(filepath.Join(benchDir(b), kind), Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				r, err := s.Save(testJob(), m, extents)
				if err != nil {
					b.Fatal(err)
				}
				first += r.Time
				b.StopTimer()
				touch(m, 0.05)
				if r, err = s.Save(testJob(), m, extents); err != nil {
					b.Fatal(err)
				}
				second += r.Time
				began := time.Now()
				g, err := s.Latest()
				if err != nil {
					b.Fatal(err)
				}
				if err := g.Restore(make(Memory, len(m))); err != nil {
					b.Fatal(err)
				}
				restore += time.Since(began)
				b.Log(fmt.Sprintf("%+v speed %d", r.Counts, s.speed/1e6))
				s.Close()
				os.RemoveAll(s.Dir())
				b.StartTimer()
			}
			b.ReportMetric(first.Seconds()/float64(b.N), "s/first")
			b.ReportMetric(second.Seconds()/float64(b.N), "s/second")
			b.ReportMetric(restore.Seconds()/float64(b.N), "s/restore")
		})
	}
}

// touch changes a share of the pages.
func touch(m Memory, share float64) {
	for i := range len(m) / page {
		if rand.Float64() < share {
			m[i*page+rand.IntN(page)] += 1
		}
	}
}
