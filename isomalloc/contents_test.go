package isomalloc

import (
	"slices"
	"testing"
)

// TestEachContent lists what holds something among holes, zeroes and data, while it is taken away.
func TestEachContent(t *testing.T) {
	r := newRegion(t, 0, 8<<20, 2)
	s := r.Slice(1)
	page := func(n uintptr) uintptr { return s.Lo + n*pageSize }
	for _, n := range []uintptr{2, 3, 5, 700} { // of which 3 is to be zeroes
		mem(page(n), 1)[0] = 1
	}
	mem(page(3), 1)[0] = 0
	mem(page(10)-1, 1)[0] = 1 // the last byte of a page
	for n := uintptr(20); n < 20+600; n++ {
		mem(page(n), pageSize)[n] = 1
	}
	for n := uintptr(620); n < 640; n++ {
		mem(page(n), pageSize)[0] = 0 // exists, and is zeroes
	}
	var got []Range
	err := r.EachContent(s.Lo, s.Hi, func(e Range) error {
		if n := len(got); n > 0 && got[n-1].Hi == e.Lo {
			got[n-1].Hi = e.Hi
		} else {
			got = append(got, e)
		}
		return r.Punch(e.Lo, e.Hi)
	})
	want := []Range{{page(2), page(3)}, {page(5), page(6)}, {page(9), page(10)}, {page(20), page(620)}, {page(700), page(701)}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("listed %v, %v; want %v", got, err, want)
	}
	if err := r.EachContent(s.Lo, s.Hi, func(e Range) error { t.Errorf("%v is left", e); return nil }); err != nil {
		t.Error(err)
	}
}
