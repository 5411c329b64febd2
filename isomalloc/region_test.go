package isomalloc

import "testing"

// newRegion is a mapped region somewhere in this process.
func newRegion(t testing.TB, control, slice uint64, slices int) *Region {
	t.Helper()
	c := Config{Control: control, SliceSize: slice, Slices: slices}
	free, err := FreeRanges()
	if err != nil {
		t.Fatal(err)
	}
	if c.Base, err = Agree([][]Range{free}, c.Size()); err != nil {
		t.Fatal(err)
	}
	r, err := Create(c)
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
