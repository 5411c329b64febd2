package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"time"

	"ampirun/internal/safefile"
	"ampirun/internal/wire"
)

// blockBytes is how much memory goes into a block.
const blockBytes = 256 << 10

// Save writes a generation: the job's metadata, and of the memory, which does not change meanwhile, the pages in the extents.
// When it returns without an error the generation is safe on the disk and visible, and those beyond Options.Keep are gone.
// After an error nothing has changed, and Save may be tried again.
//
// Memory that has a method Slice(at, size uint64) []byte, as Memory has, is read in place. Of Tracked memory only what has changed is read.
func (s *Store) Save(job *Job, memory io.ReaderAt, extents []Extent) (*Report, error) {
	if s.lock == nil {
		return nil, errors.New("the directory of checkpoints is not open for writing")
	}
	began := time.Now()
	all, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	older := s.owned(all)
	v, err := s.newSaving(job, memory, extents, older)
	if err != nil {
		return nil, err
	}
	if err := v.run(); err != nil {
		s.abandon(v.temp, v.Number)
		*v.chain = chain{} // look at the disk again
		return nil, fmt.Errorf("checkpoint %d: %w", v.Number, err)
	}
	v.temp.Close()
	s.last, s.saved, s.speed = v.Number, v.Number, v.packs.speed(s.speed)
	r := &Report{Generation: v.Number, Counts: v.Counts, Time: time.Since(began), Warnings: v.warnings}
	v.remember()
	s.removeOld(append(older, v.Number), r)
	return r, nil
}

// saving is one call of Save.
type saving struct {
	manifest
	store    *Store
	job      *Job
	memory   source
	tracked  Tracked // nil: what the last Save found has to be looked at again
	temp     *safefile.Dir
	before   uint64 // the generation that this one shares files with; 0: none
	chain    *chain
	old      *pool
	news     news
	places   []place // of all pages in the extents
	hashes   []Hash  // of the same
	pieces   []piece
	packs    packList
	warnings []string
}

func (s *Store) newSaving(job *Job, memory io.ReaderAt, extents []Extent, older []uint64) (*saving, error) {
	page := uint64(job.PageSize)
	v := &saving{store: s, job: job, memory: sourceOf(memory)}
	v.manifest = manifest{Created: time.Now().UnixNano(), PageSize: page, BlockPages: blockPages(page)}
	if err := v.checkPage(); err != nil {
		return nil, err
	}
	if err := checkExtents(extents, page); err != nil {
		return nil, err
	}
	if len(older) > 0 {
		s.last = max(s.last, older[len(older)-1])
	}
	s.last = max(s.last, s.above.Load())
	for v.Number = s.last + 1; s.root.HasDir(folderName(v.Number)); { // somebody else's
		v.Number++
	}
	v.Extents = join(extents)
	v.old = v.packsBefore(older)
	v.old.choose()
	if v.chain.pool != nil && v.chain.number == s.saved {
		v.tracked, _ = memory.(Tracked)
	}
	v.split()
	v.Speed = s.speed
	if s.speed > 0 {
		s.tuner.speed = float64(s.speed)
	}
	return v, nil
}

// packsBefore gives the packs that pages may be taken from: those of the last generation of the same chain, if its pages are as
// large and it can be read.
func (v *saving) packsBefore(older []uint64) *pool {
	s, chains := v.store, uint64(v.store.options.Chains)
	v.chain = &s.chains[v.Number%chains]
	for len(older) > 0 && older[len(older)-1]%chains != v.Number%chains {
		older = older[:len(older)-1]
	}
	if len(older) == 0 || s.bad[older[len(older)-1]] {
		*v.chain = chain{}
		return &pool{}
	}
	number := older[len(older)-1]
	v.before = number
	if v.chain.pool != nil && v.chain.number == number && v.chain.page == v.PageSize {
		return v.chain.pool
	}
	*v.chain = chain{}
	p, err := v.readPool(number)
	if err != nil {
		v.warnings = append(v.warnings, fmt.Sprintf("nothing is shared with checkpoint %d: %v", number, err))
		p = &pool{}
	}
	return p
}

func (v *saving) readPool(number uint64) (*pool, error) {
	g, err := v.store.Generation(number)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if v.store.speed == 0 {
		v.store.speed = g.Speed
	}
	if g.PageSize != v.PageSize || g.BlockPages != v.BlockPages {
		return &pool{}, nil
	}
	return poolOf(g)
}

// blockPages is how many pages go into a block.
func blockPages(page uint64) uint64 { return max(1, blockBytes/max(page, 1)) }

// run writes a folder and makes it visible.
func (v *saving) run() (err error) {
	if v.temp, err = v.store.newFolder(v.Number); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.packs.close()) }()
	if err := v.writeMemory(); err != nil {
		return err
	}
	if err := v.writeRest(); err != nil {
		return err
	}
	return v.store.publish(v.temp, v.Number, v.readBack)
}

func (v *saving) readBack() error {
	_, err := openGeneration(v.temp, v.Number) // which stays open
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	return nil
}

// writeMemory writes pages, and meanwhile images, and makes the metadata ready.
func (v *saving) writeMemory() error {
	described := make(chan error, 1)
	go func() { described <- v.describe() }()
	err := v.writePages()
	return errors.Join(err, <-described)
}

// describe puts the job's metadata into the manifest.
func (v *saving) describe() error {
	if err := v.embed(); err != nil {
		return err
	}
	v.manifest.Job = wire.Encode(v.job)
	return nil
}

// writeRest makes the packs safe, and meanwhile links the older ones and writes the manifest.
func (v *saving) writeRest() error {
	synced := make(chan error, 1)
	go func() { synced <- v.packs.sync() }()
	err := v.list()
	if err == nil {
		err = v.writeManifest()
	}
	return errors.Join(<-synced, err)
}

func (v *saving) writeManifest() error {
	if err := v.check(); err != nil {
		panic("BUG: " + err.Error())
	}
	return writeFile(v.store.disk, v.temp, manifestName, v.encode())
}

// writeFile writes a new file until it is safe.
func writeFile(d disk, in *safefile.Dir, name string, data []byte) (err error) {
	out, err := d.Create(in, name, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := out.Write(data); err != nil {
		return err
	}
	return out.Sync()
}

// removeOld removes the generations beyond those to keep, and what failed Saves left. What fails here is tried again after the
// next Save.
func (s *Store) removeOld(numbers []uint64, r *Report) {
	oldest, good := len(numbers), 0 // that stays; so many from there on
	for ; good < s.options.Keep && oldest > 0; oldest-- {
		if s.isGood(numbers[oldest-1]) {
			good++
		}
	}
	for _, number := range numbers[:oldest] {
		if err := s.Remove(number); err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("checkpoint %d cannot be removed: %v", number, err))
		} else {
			r.Removed = append(r.Removed, number)
		}
	}
	if err := s.clean(); err != nil {
		r.Warnings = append(r.Warnings, err.Error())
	}
}
