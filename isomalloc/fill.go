package isomalloc

import "sync"

// Filler writes to a region that nobody uses yet, from several goroutines at a time. The kernel lets one at a time write to a
// memfd: the others copy through a view meanwhile.
type Filler struct {
	region *Region
	writes sync.Mutex
	view   *View
}

// Fill is a Filler of the region, which needs its memfd only.
func (r *Region) Fill() *Filler { return &Filler{region: r, view: r.View(true)} }

// WriteAt writes at an offset from the region's base. Goroutines that write at the same time have pages of their own.
func (f *Filler) WriteAt(p []byte, at int64) (int, error) {
	if !f.writes.TryLock() {
		if f.copy(p, at) {
			return len(p), nil
		}
		f.writes.Lock()
	}
	defer f.writes.Unlock()
	return f.region.WriteAt(p, at)
}

// copy writes through the view, unless that has no mapping or no page for it: only a write to the memfd tells the reason of that.
func (f *Filler) copy(p []byte, at int64) bool {
	if f.view.mapped == 0 || len(p) == 0 || at < 0 || at%pageSize != 0 || at > int64(f.region.cfg.Size())-int64(len(p)) {
		return false
	}
	lo := f.region.Base() + uintptr(at)
	return f.view.Populate(Range{lo, lo + uintptr(len(p))}) == nil && f.view.Write(lo, p) == nil
}

// Close ends the writing. The region stays.
func (f *Filler) Close() error {
	f.view.Close()
	return nil
}
