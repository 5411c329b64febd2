package privatize

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
)

// TestHostileFields overwrites words of the tables that a loader follows, which random bytes seldom hit. Nothing may
// panic; whether a file is refused depends on the word.
func TestHostileFields(t *testing.T) {
	host, err := openHost()
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, args := range [][]string{
		{"-rdynamic", "hello.c"},
		{"-Wl,--hash-style=sysv", "-shared", "-fPIC", "user_lib.c"},
		{"-Wl,-z,pack-relative-relocs", "-O1", "cxx.cc"},
	} {
		good, err := os.ReadFile(compile(t, "seed", args...))
		if err != nil {
			t.Fatal(err)
		}
		tables := tableRanges(t, good)
		for range 4000 {
			bad := bytes.Clone(good)
			for range 1 + rnd.IntN(3) {
				poison(bad, tables[rnd.IntN(len(tables))], rnd)
			}
			im, err := parse("hostile", bad)
			if (im == nil) == (err == nil) {
				t.Fatalf("parse returned %v and %v", im, err)
			}
			if err == nil {
				fuzzImage(t, im, host)
			}
		}
	}
}

// tableRanges returns file ranges (offset, length) of the headers and tables of a good file.
func tableRanges(t *testing.T, data []byte) [][2]int {
	t.Helper()
	im, err := parse("good", data)
	if err != nil {
		t.Fatal(err)
	}
	dyn, _ := im.view(im.dynSeg.vaddr, im.dynSeg.size)
	d := &im.dyn
	ranges := [][2]int{{16, 48}, {int(le.Uint64(data[32:])), int(im.phdrs.size)}}
	for _, b := range [][]byte{dyn, d.rela, d.jmprel, d.relr, d.symtab[:min(len(d.symtab), 1024)], d.gnuHash.bloom, d.gnuHash.buckets,
		d.sysvHash.buckets, d.sysvHash.chain, d.versym[:min(len(d.versym), 64)]} {
		if len(b) >= 8 {
			ranges = append(ranges, [2]int{offsetIn(data, b), len(b)})
		}
	}
	return ranges
}

// offsetIn finds a sub-slice's place in the slice it was cut from.
func offsetIn(all, part []byte) int { return int(addressOf(part) - addressOf(all)) }

var poisons = []uint64{0, 1, 7, 8, 0xfff, 0x1000, 0x3dd0, 0x4000, 0x4008, 1 << 31, 1<<32 - 1, 1 << 40, 1<<46 - 8, 1 << 47, 1 << 62, 1 << 63, 1<<64 - 8, 1<<64 - 1}

func poison(b []byte, r [2]int, rnd *rand.Rand) {
	v := poisons[rnd.IntN(len(poisons))]
	if rnd.IntN(2) == 0 {
		at := r[0] + rnd.IntN(r[1]/8)*8
		le.PutUint64(b[at:], v)
		return
	}
	at := r[0] + rnd.IntN(r[1]/4)*4
	le.PutUint32(b[at:], uint32(v))
}
