package checkpoint

import (
	"errors"
	"sync"
	"time"
)

// packList is the packs that a Save writes. Their numbers follow those of the pool.
type packList struct {
	mu      sync.Mutex
	list    []*packWriter
	counts  Counts
	syncing time.Duration
}

// create begins a pack; number is what places call it.
func (l *packList) create(v *saving, c *compressor, to *stage) (w *packWriter, number int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, err = createPack(v.store.disk, v.temp, shape{v.PageSize, v.BlockPages, v.Number, uint32(len(l.list))}, c, to)
	if err != nil {
		return nil, 0, err
	}
	l.list = append(l.list, w)
	return w, len(v.old.packs) + len(l.list) - 1, nil
}

func (l *packList) count(c *Counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.Zero += c.Zero
	l.counts.Same += c.Same
	l.counts.Kept += c.Kept
	l.counts.Written += c.Written
}

// sync waits until all packs are on the disk.
func (l *packList) sync() error {
	began := time.Now()
	next := make(chan *packWriter, len(l.list))
	for _, w := range l.list {
		next <- w
	}
	close(next)
	err := parallel(min(diskWorkers(), len(l.list)), func() error {
		for w := range next {
			if err := w.out.Sync(); err != nil {
				return err
			}
		}
		return nil
	})
	l.syncing = time.Since(began)
	return err
}

func (l *packList) close() error {
	var errs []error
	for _, w := range l.list {
		errs = append(errs, w.out.Close())
	}
	return errors.Join(errs...)
}

// leastMeasured is how many bytes it takes to tell how fast a disk is.
const leastMeasured = 8 << 20

// speed is how many bytes the disk has taken for each second that we waited for it; the mean with what was known before, if
// anything was. 0: not known.
func (l *packList) speed(before uint64) uint64 {
	bytes, waited := uint64(0), l.syncing
	for _, w := range l.list {
		bytes += w.size
		waited += w.busy / time.Duration(diskWorkers())
	}
	if bytes < leastMeasured || waited <= 0 {
		return before
	}
	now := uint64(float64(bytes) / waited.Seconds())
	if before == 0 {
		return now
	}
	return before/2 + now/2
}
