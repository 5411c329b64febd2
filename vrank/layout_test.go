package vrank

import (
	stdstrings "strings"
	"testing"

	"ampirun/isomalloc"
)

// VR_LINE and VR_COLOURS of the core; TestOffsets compares them with its header.
const (
	cacheLine = 64
	colours   = 32
)

type layoutCase struct {
	slice, stack, images, align, tls uint64
}

func layoutCases() []layoutCase {
	var all []layoutCase
	for _, stack := range []uint64{64 << 10, 1<<20 + 1, 2 << 20, 3<<20 - page, 64 << 20, 64<<20 + 12345, 1 << 30} {
		for _, images := range []uint64{page, 3<<20 + 100, 200 << 20} {
			for _, align := range []uint64{1, page, 64 << 10, 2 << 20} {
				for _, tls := range []uint64{0, 64, 4096, 65536} {
					all = append(all, layoutCase{4 << 30, stack, images, align, tls})
				}
			}
		}
	}
	return all
}

func (c layoutCase) make(t *testing.T) sliceLayout {
	t.Helper()
	l, err := newLayout(&Config{Layout: isomalloc.Config{SliceSize: c.slice}, Lasting: Lasting{Stack: c.stack}}, c.images, c.align, c.tls)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	return l
}

// The parts follow one another without overlap, and the last ends with the slice.
func TestLayoutOrder(t *testing.T) {
	for _, c := range layoutCases() {
		l := c.make(t)
		headEnd := l.stack + l.stackSize + headSize(c.tls)
		parts := []struct {
			name   string
			lo, hi uint64
		}{
			{"guard", l.guard, l.guard + l.guardSize},
			{"stack", l.stack, l.stack + l.stackSize},
			{"snapshot", l.controlBlock - c.tls, l.controlBlock},
			{"control block", l.controlBlock, headEnd},
			{"images", l.images, l.images + l.imagesSize},
			{"heap", l.heap, l.heap + l.heapSize},
			{"libraries", l.libraries, l.libraries + l.librariesSize},
			{"requests", l.requests, l.requests + l.requestsSize},
		}
		at := uint64(0)
		for _, p := range parts {
			if p.lo < at || p.hi < p.lo {
				t.Fatalf("%+v: %s is [%#x,%#x), what comes before ends at %#x", c, p.name, p.lo, p.hi, at)
			}
			at = p.hi
		}
		if at != c.slice {
			t.Errorf("%+v: the last part ends at %#x", c, at)
		}
	}
}

// Every colour's control block, with what lies beside it, ends before the images.
func TestLayoutColours(t *testing.T) {
	block := headSize(0) - colours*cacheLine
	for _, c := range layoutCases() {
		for _, odd := range []uint64{0, 8, 56} {
			c.tls += odd
			l := c.make(t)
			if end := l.controlBlock + (colours-1)*cacheLine + block; end > l.images {
				t.Errorf("%+v: the last colour's block ends at %#x, images begin at %#x", c, end, l.images)
			}
		}
	}
}

func TestLayoutAlignment(t *testing.T) {
	for _, c := range layoutCases() {
		l := c.make(t)
		for _, p := range []struct {
			name  string
			at, a uint64
		}{
			{"guard size", l.guardSize, page}, {"stack", l.stack, page}, {"stack size", l.stackSize, page},
			{"control block", l.controlBlock, cacheLine}, {"images", l.images, page},
			{"requests", l.requests, page}, {"heap", l.heap, page},
		} {
			if p.at%p.a != 0 {
				t.Errorf("%+v: %s %#x is not aligned to %#x", c, p.name, p.at, p.a)
			}
		}
		if room := l.heap - l.images; room < l.imagesSize+max(c.align, page)-page {
			t.Errorf("%+v: %#x bytes for images cannot hold them at every slice's next aligned address", c, room)
		}
		if l.stackSize < c.stack {
			t.Errorf("%+v: the stack has %d bytes", c, l.stackSize)
		}
		if l.guard != 0 || l.guardSize < guardSize {
			t.Errorf("%+v: the guard has %d bytes from %#x", c, l.guardSize, l.guard)
		}
	}
}

// The hot end of the stack, the control block and the first image page are mapped by one page table.
func TestLayoutSharesPageTable(t *testing.T) {
	const hot = 256 << 10
	for _, c := range layoutCases() {
		l := c.make(t)
		top := l.stack + l.stackSize
		window := (top - hot) / tableSpan
		for name, at := range map[string]uint64{"control block": l.controlBlock + headSize(0), "stack top": top} {
			if at/tableSpan != window {
				t.Errorf("%+v: %s at %#x lies outside of the window of the stack's top %#x", c, name, at, top)
			}
		}
		if c.align <= page && l.images/tableSpan != window {
			t.Errorf("%+v: images begin at %#x, outside of the window of the stack's top %#x", c, l.images, top)
		}
	}
}

// A slice that is one byte too small is refused by the flags that help; one that just fits is not.
func TestLayoutRefusal(t *testing.T) {
	fits := layoutCase{4 << 30, 64 << 20, 30 << 20, page, 4096}
	l := fits.make(t)
	for range 10 { // the guard becomes smaller with the slice
		fits.slice = l.heap + minHeapSize + l.requestsSize
		l = fits.make(t)
	}
	if l.heapSize != minHeapSize {
		t.Errorf("the smallest slice has a heap of %d bytes", l.heapSize)
	}
	for _, c := range []layoutCase{
		{fits.slice - 1, fits.stack, fits.images, page, 4096},
		{fits.slice, fits.stack + 4<<20, fits.images, page, 4096},
		{fits.slice, fits.stack, fits.images + 4<<20, page, 4096},
		{0, fits.stack, fits.images, page, 0},
		{1 << 30, 1 << 62, page, page, 0},
	} {
		_, err := newLayout(&Config{Layout: isomalloc.Config{SliceSize: c.slice}, Lasting: Lasting{Stack: c.stack}}, c.images, c.align, c.tls)
		if err == nil {
			t.Errorf("%+v: no refusal", c)
			continue
		}
		for _, flag := range []string{"+slice", "+stack"} {
			if !stdstrings.Contains(err.Error(), flag) {
				t.Errorf("%+v: %q does not name %s", c, err, flag)
			}
		}
	}
}
