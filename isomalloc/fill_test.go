package isomalloc

import (
	"bytes"
	"sync"
	"testing"
)

// TestFillerWritesTogether writes pages from several goroutines, so that both ways are taken.
func TestFillerWritesTogether(t *testing.T) {
	const writers, pages = 4, 2000
	r := newRegion(t, 0, 64<<20, 1)
	f := r.Fill()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			page := make([]byte, pageSize)
			for n := w; n < pages; n += writers {
				page[0], page[1], page[pageSize-1] = byte(n), byte(n>>8), 1
				if done, err := f.WriteAt(page, int64(n)*pageSize); done != pageSize || err != nil {
					t.Errorf("page %d: %d bytes, %v", n, done, err)
				}
			}
		})
	}
	all.Wait()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got := mem(r.Base(), pages*pageSize)
	for n := range pages {
		if page := got[n*pageSize : (n+1)*pageSize]; page[0] != byte(n) || page[1] != byte(n>>8) || page[pageSize-1] != 1 {
			t.Fatalf("page %d has %d, %d, %d", n, page[0], page[1], page[pageSize-1])
		}
	}
	expectExtents(t, r, r.Slice(0), []Range{{r.Base(), r.Base() + pages*pageSize}})
}

// TestFillerCopies writes while another write is under way, which goes to the mapping.
func TestFillerCopies(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 1)
	f := r.Fill()
	f.writes.Lock()
	data := bytes.Repeat([]byte{7}, 3*pageSize)
	if n, err := f.WriteAt(data, 5*pageSize); n != len(data) || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	f.writes.Unlock()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(mem(r.Base()+5*pageSize, uint64(len(data))), data) {
		t.Error("something else is there")
	}
}

// TestFillerKeepsInside refuses what the region has no room for, in both ways.
func TestFillerKeepsInside(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 1)
	f := r.Fill()
	end := int64(r.Config().Size())
	for _, at := range []int64{-pageSize, end - pageSize, end} {
		data := make([]byte, 2*pageSize)
		if f.copy(data, at) {
			t.Errorf("copied to %#x", at)
		}
		if _, err := f.WriteAt(data, at); err == nil {
			t.Errorf("written to %#x", at)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
