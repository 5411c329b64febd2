package isomalloc

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Filler writes to a region that nobody uses yet, from several goroutines at a time. The kernel lets one at a time write to a
// memfd: the others copy through a mapping meanwhile.
type Filler struct {
	region *Region
	writes sync.Mutex
	memory []byte // the region, wherever there was room for it; nil: there was none
}

// Fill is a Filler of the region, which needs its memfd only.
func (r *Region) Fill() *Filler {
	f := &Filler{region: r}
	size := r.cfg.Size()
	at, err := unix.MmapPtr(r.FD(), 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err == nil {
		f.memory = unsafe.Slice((*byte)(at), size)
	}
	return f
}

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

// copy writes through the mapping, unless there is none or no page for it: only a write to the memfd tells the reason of that.
func (f *Filler) copy(p []byte, at int64) bool {
	if at < 0 || at%pageSize != 0 || at > int64(len(f.memory))-int64(len(p)) {
		return false
	}
	to := f.memory[at : at+int64(len(p))]
	if len(to) == 0 || unix.Madvise(to, unix.MADV_POPULATE_WRITE) != nil {
		return false
	}
	copy(to, p)
	return true
}

// Close ends the writing. The region stays.
func (f *Filler) Close() error {
	if f.memory == nil {
		return nil
	}
	at := unsafe.Pointer(&f.memory[0])
	size := uintptr(len(f.memory))
	f.memory = nil
	return unix.MunmapPtr(at, size)
}
