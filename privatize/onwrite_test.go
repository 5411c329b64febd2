package privatize

import (
	"os"
	"syscall"
	"testing"
)

// table is the program whose data is mapped and not copied, its slices, and where the variables lie.
type table struct {
	p     *Program
	bases []uintptr
	file  *os.File
	t     *testing.T
}

const tableWords = 1 << 18

func newTable(t *testing.T, n int) *table {
	t.Helper()
	tb := &table{t: t, p: load(t, compile(t, "table", "-O1", "-rdynamic", "table.c"))}
	ranks, f := mapSlices(t, n)
	tb.file = f
	tb.p.opts.Backing = tb.backing
	for _, s := range ranks {
		if err := tb.p.Instance(s.Images()); err != nil {
			t.Fatal(err)
		}
		tb.bases = append(tb.bases, s.Images())
	}
	return tb
}

func (tb *table) backing(base uintptr) Backing {
	return Backing{FD: int(tb.file.Fd()), Offset: int64(base - testBase)}
}

// at is the address of word i of a variable of the rank at base.
func (tb *table) at(base uintptr, name string, i uint64) uintptr {
	tb.t.Helper()
	off, ok := tb.p.Symbol(name)
	if !ok {
		tb.t.Fatalf("the program does not export %s", name)
	}
	return base + uintptr(off+8*i)
}

func (tb *table) check(base uintptr, name string, i, want uint64) {
	tb.t.Helper()
	if got := *word(tb.at(base, name, i)); got != want {
		tb.t.Errorf("%s[%d] of the rank at %#x is %#x, want %#x", name, i, base, got, want)
	}
}

// stored is what the slice's file has at an address.
func (tb *table) stored(addr uintptr) uint64 {
	tb.t.Helper()
	var b [8]byte
	if _, err := tb.file.ReadAt(b[:], int64(addr-testBase)); err != nil {
		tb.t.Fatal(err)
	}
	return le.Uint64(b[:])
}

// TestLargeDataIsNotCopied wants a rank's slice to hold little of 6 MiB of data, and the data to be right.
func TestLargeDataIsNotCopied(t *testing.T) {
	tb := newTable(t, 2)
	if n := len(tb.p.onWrite); n < 2 {
		t.Errorf("%d parts of the data are mapped, want those around the pointer", n)
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(int(tb.file.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	if own := st.Blocks * 512 / 2; own > 256<<10 {
		t.Errorf("a rank has %d bytes of its own, want less than 256 KiB", own)
	}
	for _, base := range tb.bases {
		for i, want := range map[uint64]uint64{0: 1, 1: 0, tableWords / 2: 2, tableWords - 1: 3} {
			tb.check(base, "plain", i, want)
		}
		tb.check(base, "rows", tableWords, 7)
		tb.check(base, "rows", tableWords+1, uint64(tb.at(base, "plain", tableWords/2)))
		tb.check(base, "rows", 2*tableWords-2, 9)
	}
}

// TestWrittenDataIsPrivate writes in one rank and looks in the other.
func TestWrittenDataIsPrivate(t *testing.T) {
	tb := newTable(t, 2)
	*word(tb.at(tb.bases[0], "plain", 100)) = 5
	tb.check(tb.bases[1], "plain", 100, 0)
	tb.check(tb.bases[0], "plain", 100, 5)
}

// TestAttachOverOldMappings takes a rank back that has been committed elsewhere since it left: its data is mapped from the file here.
func TestAttachOverOldMappings(t *testing.T) {
	tb := newTable(t, 1)
	base := tb.bases[0]
	*word(tb.at(base, "plain", 5000)) = 5
	if _, err := tb.p.CommitPrivate(base, tb.backing(base)); err != nil {
		t.Fatal(err)
	}
	if err := tb.p.mapOnWrite(base, false); err != nil {
		t.Fatal(err)
	}
	tb.check(base, "plain", 5000, 0)
	if err := tb.p.Attach(base); err != nil {
		t.Fatal(err)
	}
	tb.check(base, "plain", 5000, 5)
	tb.check(base, "plain", tableWords-1, 3)
}

// TestCommitPrivate takes what was written along when a rank's images are let go and adopted again, more than once.
func TestCommitPrivate(t *testing.T) {
	tb := newTable(t, 1)
	base := tb.bases[0]
	want := map[uint64]uint64{0: 1, 700: 0, tableWords / 2: 2, tableWords - 1: 3}
	for round, places := range [][]uint64{{5000}, {6000, 200000}, {5000, 100000}, nil} {
		for _, i := range places {
			want[i] = uint64(1000*round) + i
			*word(tb.at(base, "plain", i)) = want[i]
		}
		moved, err := tb.p.CommitPrivate(base, tb.backing(base))
		if err != nil {
			t.Fatal(err)
		}
		if fresh := round < 3; moved > 64<<10 || fresh != (moved > 0) {
			t.Errorf("round %d moved %d bytes", round, moved)
		}
		for _, i := range places {
			if got := tb.stored(tb.at(base, "plain", i)); got != want[i] {
				t.Errorf("round %d: the slice has %d in plain[%d], want %d", round, got, i, want[i])
			}
		}
		if err := tb.p.Detach(base, tb.backing(base)); err != nil {
			t.Fatal(err)
		}
		if got := *word(tb.at(base, "plain", tableWords-1)); got != 0 {
			t.Errorf("after Detach plain's end is still there: %d", got)
		}
		if err := tb.p.Attach(base); err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			tb.check(base, "plain", i, v)
		}
	}
}
