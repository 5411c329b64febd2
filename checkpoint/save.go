package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// blockBytes is how much memory goes into a block.
const blockBytes = 256 << 10

// Save writes a generation: the job's metadata, and of the memory, which does not change meanwhile, the pages in the extents.
// When it returns without an error the generation is safe on the disk and visible, and those beyond Options.Keep are gone.
// After an error nothing has changed, and Save may be tried again.
//
// Memory that has a method Slice(at, size uint64) []byte, as Memory has, is read in place.
func (s *Store) Save(job *Job, memory io.ReaderAt, extents []Extent) (*Report, error) {
	if s.lock == nil {
		return nil, errors.New("the directory of checkpoints is not open for writing")
	}
	began := time.Now()
	older, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	v, err := s.newSaving(job, memory, extents, older)
	if err != nil {
		return nil, err
	}
	if err := v.run(); err != nil {
		_ = s.disk.RemoveAll(v.temp) // Open removes what stays
		s.pool = nil                 // look at the disk again
		return nil, fmt.Errorf("checkpoint %d: %w", v.Number, err)
	}
	s.last, s.speed = v.Number, v.Speed
	r := &Report{Generation: v.Number, Counts: v.Counts, Time: time.Since(began), Warnings: v.warnings}
	s.pool = v.merged()
	s.removeOld(append(older, v.Number), r)
	return r, nil
}

// saving is one call of Save.
type saving struct {
	manifest
	store      *Store
	job        *Job
	memory     source
	temp, dest string // folders
	before     string // folder of the newest generation; "" without one
	old        *pool
	news       news
	places     []place // of all pages in the extents
	pieces     []piece
	tuner      tuner
	packs      packList
	warnings   []string
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
	v.old = s.packsOf(older, page, &v.warnings)
	if len(older) > 0 {
		s.last = max(s.last, older[len(older)-1])
		v.before = s.folder(older[len(older)-1])
	}
	v.Number, v.Extents = s.last+1, join(extents)
	v.dest = s.folder(v.Number)
	v.temp = v.dest + partial
	v.old.choose()
	v.split()
	v.tuner = tuner{mode: s.options.Compression, writers: float64(writers()), speed: guessedSpeed}
	if s.speed > 0 {
		v.tuner.speed = float64(s.speed)
	}
	return v, nil
}

// packsOf gives the packs that pages may be taken from: those of the newest generation, if its pages are as large and it can
// be read.
func (s *Store) packsOf(older []uint64, page uint64, warnings *[]string) *pool {
	if len(older) == 0 {
		s.pool = nil
		return &pool{}
	}
	newest := older[len(older)-1]
	if s.pool != nil && s.poolPage == page && newest == s.last {
		return s.pool
	}
	s.pool, s.poolPage = nil, page
	g, err := s.Generation(newest)
	if err == nil && s.speed == 0 {
		s.speed = g.Speed
	}
	if err == nil && g.PageSize == page && g.BlockPages == blockPages(page) {
		if s.pool, err = poolOf(g); err == nil {
			return s.pool
		}
		s.pool = nil
	}
	if err != nil {
		*warnings = append(*warnings, fmt.Sprintf("nothing is shared with checkpoint %d: %v", newest, err))
	}
	return &pool{}
}

// blockPages is how many pages go into a block.
func blockPages(page uint64) uint64 { return max(1, blockBytes/max(page, 1)) }

// run writes a folder and makes it visible.
func (v *saving) run() (err error) {
	d := v.store.disk
	if err := d.Mkdir(v.temp); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.packs.close()) }()
	if err := v.writePages(); err != nil {
		return err
	}
	if err := v.writeRest(); err != nil {
		return err
	}
	if err := d.SyncDir(v.temp); err != nil {
		return err
	}
	if _, err := openGeneration(v.temp, v.Number); err != nil {
		return fmt.Errorf("after writing: %w", err)
	}
	if err := d.Rename(v.temp, v.dest); err != nil {
		return err
	}
	if err := d.SyncDir(v.store.dir); err != nil {
		// It may be there after a power failure or not; for those who look now it must not be there after an error.
		return errors.Join(err, d.Rename(v.dest, v.temp))
	}
	return nil
}

// writeRest makes the packs safe, and meanwhile links the older ones and writes images and manifest.
func (v *saving) writeRest() error {
	synced := make(chan error, 1)
	go func() { synced <- v.packs.sync() }()
	err := v.list()
	if err == nil {
		err = v.embed()
	}
	if syncing := <-synced; err == nil {
		err = syncing
	}
	if err != nil {
		return err
	}
	v.Speed = v.packs.speed(v.store.speed)
	v.Duration = time.Now().UnixNano() - v.Created
	return v.writeManifest()
}

func (v *saving) writeManifest() (err error) {
	if v.manifest.Job, err = encoding.Marshal(v.job); err != nil {
		return err
	}
	if err := v.check(); err != nil {
		panic("BUG: " + err.Error())
	}
	data, err := v.encode()
	if err != nil {
		return err
	}
	return writeFile(v.store.disk, filepath.Join(v.temp, manifestName), data)
}

// writeFile writes a new file until it is safe.
func writeFile(d disk, path string, data []byte) (err error) {
	out, err := d.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := out.Write(data); err != nil {
		return err
	}
	return out.Sync()
}

// removeOld removes the generations beyond those to keep; what fails here is tried again after the next Save.
func (s *Store) removeOld(numbers []uint64, r *Report) {
	for len(numbers) > s.options.Keep {
		if err := s.Remove(numbers[0]); err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("checkpoint %d cannot be removed: %v", numbers[0], err))
		} else {
			r.Removed = append(r.Removed, numbers[0])
		}
		numbers = numbers[1:]
	}
}
