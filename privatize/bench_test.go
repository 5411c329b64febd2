package privatize

import (
	"os"
	"syscall"
	"testing"

	"ampirun/privatize/internal/stage"
)

// benchPrograms are compiled the way users do.
var benchPrograms = map[string][]string{
	"C":       {"-O1", "hello.c"},
	"Cxx":     {"-O1", "cxx.cc"},
	"Fortran": {"-O1", "fortran.f90"},
}

func BenchmarkLoad(b *testing.B) {
	for name, args := range benchPrograms {
		b.Run(name, func(b *testing.B) {
			prog := compile(b, "prog", args...)
			libs, err := Resolve(prog, nil, stageABI)
			if err != nil {
				b.Fatal(err)
			}
			o := options(b)
			for b.Loop() {
				p, err := Load(prog, libs, o)
				if err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
		})
	}
}

// BenchmarkInstance makes ranks in fresh pages of a memory file: mappings, page faults and relocation together.
func BenchmarkInstance(b *testing.B) {
	for name, args := range benchPrograms {
		b.Run(name, func(b *testing.B) { benchInstance(b, load(b, compile(b, "prog", args...))) })
	}
}

// BenchmarkAttach takes a rank's images over again and again.
func BenchmarkAttach(b *testing.B) {
	for name, args := range benchPrograms {
		b.Run(name, func(b *testing.B) {
			p := load(b, compile(b, "prog", args...))
			ranks, f := mapSlices(b, 1)
			base := ranks[0].Images()
			if err := p.Instance(base); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := p.Attach(base); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := p.Detach(base, Backing{int(f.Fd()), stage.ImageOffset}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

func benchInstance(b *testing.B, p *Program) {
	const n = 1024
	f, err := os.CreateTemp("/dev/shm", "privatize-bench-*")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	os.Remove(f.Name())
	i := n
	for b.Loop() {
		if i == n {
			b.StopTimer()
			remap(b, f, p.Span(), n)
			b.StartTimer()
			i = 0
		}
		if err := p.Instance(testBase + uintptr(i)*uintptr(p.Span())); err != nil {
			b.Fatal(err)
		}
		i++
	}
	stage.Unmap(testBase, int(n*p.Span()/stage.SliceSize)+1)
	var bytes int
	for _, r := range p.pages {
		bytes += len(r.data)
	}
	b.ReportMetric(float64(bytes), "private-B")
	b.ReportMetric(float64(len(p.internal)), "words")
	b.ReportMetric(float64(len(p.maps)), "maps")
}

// remap gives benchInstance n fresh areas.
func remap(b *testing.B, f *os.File, span uint64, n int) {
	size := int64(span) * int64(n)
	if err := f.Truncate(0); err != nil {
		b.Fatal(err)
	}
	if err := f.Truncate(size); err != nil {
		b.Fatal(err)
	}
	flags := syscall.MAP_SHARED | syscall.MAP_NORESERVE
	if err := mmapAt(testBase, uint64(size), syscall.PROT_READ|syscall.PROT_WRITE, flags, int(f.Fd()), 0); err != nil {
		b.Fatal(err)
	}
}
