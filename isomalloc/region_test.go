package isomalloc

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// newRegion is a mapped region somewhere in this process.
func newRegion(t testing.TB, control, slice uint64, count int) *Region {
	t.Helper()
	r, err := Create(freeConfig(t, control, slice, count))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := r.Map(); err != nil {
		t.Fatal(err)
	}
	return r
}

func freeConfig(t testing.TB, control, slice uint64, count int) Config {
	t.Helper()
	c := Config{Control: control, SliceSize: slice, Slices: count}
	free, err := FreeRanges()
	if err != nil {
		t.Fatal(err)
	}
	base, err := Agree([][]Range{free}, c.Size())
	c.Base = uint64(base)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRegionLayout(t *testing.T) {
	r := newRegion(t, 1<<20, 16<<30, 100)
	if got, want := r.Control(), (Range{r.Base(), r.Base() + 1<<20}); got != want {
		t.Errorf("control %v, want %v", got, want)
	}
	at := r.Control().Hi
	for i := range 100 {
		s := r.Slice(i)
		if s.Lo != at || s.Len() != 16<<30 {
			t.Fatalf("slice %d is %v, want it at %#x", i, s, at)
		}
		at = s.Hi
	}
	if at != r.Base()+uintptr(r.Config().Size()) {
		t.Errorf("slices end at %#x", at)
	}
	if e, err := r.Extents(r.Base(), at); err != nil || len(e) != 0 {
		t.Errorf("an untouched region has pages %v, %v", e, err)
	}
}

func TestExtentsAndPunch(t *testing.T) {
	r := newRegion(t, 0, 64<<20, 2)
	s := r.Slice(1)
	page := func(n int) uintptr { return s.Lo + uintptr(n)*pageSize }
	for _, n := range []int{0, 1, 2, 10, 12, 16383} {
		mem(page(n), 1)[0] = 7
	}
	want := []Range{{page(0), page(3)}, {page(10), page(11)}, {page(12), page(13)}, {page(16383), page(16384)}}
	expectExtents(t, r, s, want)
	expectExtents(t, r, Range{page(1), page(11)}, []Range{{page(1), page(3)}, {page(10), page(11)}})
	expectExtents(t, r, r.Slice(0), nil)
	if err := r.Punch(page(1), page(12)); err != nil {
		t.Fatal(err)
	}
	if mem(page(10), 1)[0] != 0 {
		t.Error("a punched page is not zero")
	}
	if err := r.Punch(page(10), page(11)); err != nil {
		t.Fatal(err)
	}
	expectExtents(t, r, s, []Range{{page(0), page(1)}, {page(12), page(13)}, {page(16383), page(16384)}})
	for _, bad := range []Range{{s.Lo + 1, s.Hi}, {s.Lo - 256<<20, s.Hi}, {s.Lo, s.Hi + pageSize}, {s.Hi, s.Lo}} {
		if _, err := r.Extents(bad.Lo, bad.Hi); err == nil {
			t.Errorf("extents of %v: no error", bad)
		}
		if r.Punch(bad.Lo, bad.Hi) == nil || r.Guard(bad.Lo, bad.Hi) == nil {
			t.Errorf("%v is taken for whole pages of the region", bad)
		}
	}
}

func expectExtents(t *testing.T, r *Region, in Range, want []Range) {
	t.Helper()
	got, err := r.Extents(in.Lo, in.Hi)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("extents of %v: %v (%v), want %v", in, got, err, want)
	}
}

func TestGuard(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 2)
	s := r.Slice(1)
	if err := r.Guard(s.Lo, s.Lo+pageSize); err != nil {
		t.Fatal(err)
	}
	free, err := FreeRanges()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Range{s.Lo, s.Lo + pageSize}); !slices.Contains(free, want) {
		t.Errorf("no hole at %s: free are %v", want, free)
	}
}

func TestRegionSizeIsSealed(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 2)
	if err := unix.Ftruncate(r.FD(), 0); !errors.Is(err, unix.EPERM) {
		t.Errorf("shrinking the region: %v", err)
	}
}

func TestMapRefusesOccupied(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 2)
	other, err := Create(r.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Map(); !errors.Is(err, unix.EEXIST) || !strings.Contains(err.Error(), "something else is mapped there") {
		t.Errorf("mapping over another region: %v", err)
	}
	if err := other.Guard(r.Base(), r.Base()+pageSize); err == nil {
		t.Error("a region that is not mapped can be guarded")
	}
}

func TestBadConfigs(t *testing.T) {
	for name, c := range map[string]Config{
		"no slices":       {SliceSize: 4096},
		"negative slices": {SliceSize: 4096, Slices: -1},
		"empty slices":    {Slices: 4},
		"crooked slice":   {SliceSize: 5000, Slices: 4},
		"crooked control": {Control: 1, SliceSize: 4096, Slices: 4},
		"crooked base":    {Base: 1, SliceSize: 4096, Slices: 4},
		"too large":       {SliceSize: 1 << 40, Slices: 128},
		"overflow":        {SliceSize: 1 << 62, Slices: 4},
		"control wraps":   {Control: 1<<64 - 4096, SliceSize: 4096, Slices: 2},
		"base too high":   {Base: userHigh - 4096, SliceSize: 4096, Slices: 2},
	} {
		if r, err := Create(c); err == nil || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

func TestAttachRefusesOtherSize(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 2)
	fd, err := unix.Dup(r.FD())
	if err != nil {
		t.Fatal(err)
	}
	c := r.Config()
	c.Slices++
	if _, err := Attach(fd, c); err == nil || !strings.Contains(err.Error(), "holds 2 MiB, the region has 3 MiB") {
		t.Errorf("attach with another size: %v", err)
	}
}

func TestDefaultSliceSize(t *testing.T) {
	for _, c := range []struct {
		slices int
		want   uint64
	}{{0, 16 << 30}, {1, 16 << 30}, {256, 16 << 30}, {3584, 16 << 30}, {3585, 8 << 30}, {100_000, 512 << 20}, {1 << 20, 32 << 20}} {
		got := DefaultSliceSize(c.slices)
		if got != c.want+pageSize || (got-pageSize)*uint64(c.slices) > 56<<40 {
			t.Errorf("%d slices: %s, want %s", c.slices, formatBytes(got), formatBytes(c.want+pageSize))
		}
	}
}

// The address space limit is named when it is what forbids the mapping.
func TestMapNamesLimit(t *testing.T) {
	if os.Getenv("ISO_TEST_LIMITED") != "" {
		c := freeConfig(t, 0, 16<<30, 64)
		if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: 64 << 30, Max: 64 << 30}); err != nil {
			t.Fatal(err)
		}
		r, err := Create(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Map(); err == nil || !strings.Contains(err.Error(), "ulimit -v") {
			t.Fatalf("mapping 1 TiB under a limit of 64 GiB: %v", err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMapNamesLimit$")
	cmd.Env = append(os.Environ(), "ISO_TEST_LIMITED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
