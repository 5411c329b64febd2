package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// partial marks folders of generations that are being written or removed.
const partial = ".partial"

const defaultKeep = 2

// Store is a directory of generations.
type Store struct {
	dir     string
	options Options
	disk    disk
	lock    *os.File      // nil: only read
	last    uint64        // highest number ever used here
	above   atomic.Uint64 // as NumberAbove says
	saved   uint64        // number of the last generation that Save has made; 0: none since Open
	chains  []chain
	speed   uint64 // of the disk, bytes in a second; 0: not known
	tuner   tuner
	bad     map[uint64]bool // generations that somebody has found damaged
	tools   []*tools
}

// chain is generations of which each shares files with the one before.
type chain struct {
	pool   *pool // nil: to be read
	number uint64
	page   uint64 // size of its pages
	memo   memo
}

// Open takes a directory for one job, and makes it if it is not there; errors.Is(err, ErrLocked) tells that another job has
// it. What earlier jobs left incomplete is removed. Close gives the directory back.
func Open(dir string, options Options) (*Store, error) {
	if options.Keep == 0 {
		options.Keep = defaultKeep
	}
	options.Chains = max(options.Chains, 1)
	if options.Keep < options.Chains {
		return nil, fmt.Errorf("checkpoints in %s: %d to keep: keep %d or more", dir, options.Keep, options.Chains)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	held, err := lock(dir, options.Owner)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, options: options, disk: realDisk{}, lock: held, chains: make([]chain, options.Chains), bad: map[uint64]bool{}}
	s.tuner = tuner{mode: options.Compression, writers: float64(runtime.GOMAXPROCS(0)), speed: guessedSpeed}
	if err := s.clean(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// View opens a directory to look at it, while a job may be using it. Nothing is changed, and Save fails.
func View(dir string) (*Store, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	return &Store{dir: dir, options: Options{Keep: defaultKeep}, disk: realDisk{}}, nil
}

// Close gives the directory to others.
func (s *Store) Close() error {
	if s.lock == nil {
		return nil
	}
	err := s.lock.Close()
	for _, t := range s.tools {
		err = errors.Join(err, t.stage.close())
	}
	s.lock, s.tools = nil, nil
	return err
}

// Dir is the store's directory.
func (s *Store) Dir() string { return s.dir }

// clean removes what is incomplete.
func (s *Store) clean() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, ok := parseNumber(strings.TrimSuffix(e.Name(), partial)); ok && strings.HasSuffix(e.Name(), partial) {
			if err := s.disk.RemoveAll(filepath.Join(s.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// NumberAbove has generations get numbers above n from now on. Any goroutine may call it.
func (s *Store) NumberAbove(n uint64) {
	for was := s.above.Load(); was < n && !s.above.CompareAndSwap(was, n); was = s.above.Load() {
	}
}

// Numbers are the complete generations, the oldest first.
func (s *Store) Numbers() ([]uint64, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, e := range entries {
		if n, ok := parseNumber(e.Name()); ok && e.IsDir() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// folderName is the name of a generation's folder: at least six digits.
func folderName(number uint64) string { return fmt.Sprintf("%06d", number) }

func parseNumber(name string) (uint64, bool) {
	n, err := strconv.ParseUint(name, 10, 63)
	return n, err == nil && n > 0 && folderName(n) == name
}

func (s *Store) folder(number uint64) string { return filepath.Join(s.dir, folderName(number)) }

// publish makes a folder visible as a generation, when all of it is on the disk and check, which reads it back, has found nothing wrong.
func (s *Store) publish(temp string, number uint64, check func() error) error {
	if err := s.disk.SyncDir(temp); err != nil {
		return err
	}
	if err := check(); err != nil {
		return err
	}
	folder := s.folder(number)
	if err := s.disk.Rename(temp, folder); err != nil {
		return err
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		// It may be there after a power failure or not; for those who look now it must not be there after an error.
		return errors.Join(err, s.disk.Rename(folder, temp))
	}
	return nil
}

// ErrNone tells that a directory has no complete generation.
var ErrNone = errors.New("there is no complete checkpoint")

// Latest is the newest complete generation; errors.Is(err, ErrNone) tells that there is none. A damaged one is an error
// (*Damage), never passed by: LatestGood does that.
func (s *Store) Latest() (*Generation, error) {
	numbers, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("%s: %w", s.dir, ErrNone)
	}
	return s.Generation(numbers[len(numbers)-1])
}

// LatestGood is the newest generation in which every byte is as it was written, and what is wrong with those that are newer.
func (s *Store) LatestGood() (g *Generation, worse []error, err error) {
	numbers, err := s.Numbers()
	if err != nil {
		return nil, nil, err
	}
	for _, number := range slices.Backward(numbers) {
		g, err := s.Generation(number)
		if err == nil {
			err = g.Verify()
		}
		if err == nil {
			return g, worse, nil
		}
		worse = append(worse, err)
	}
	return nil, worse, fmt.Errorf("%s: %w%s", s.dir, ErrNone, ofDamaged(len(worse)))
}

func ofDamaged(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(": all %d are damaged", n)
}

// Generation opens a complete generation by its number.
func (s *Store) Generation(number uint64) (*Generation, error) {
	folder := s.folder(number)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no checkpoint %d", s.dir, number)
	}
	return openGeneration(folder, number)
}

// JobOf reads the metadata of a generation, also of one whose other files are damaged.
func (s *Store) JobOf(number uint64) (*Job, error) {
	folder := s.folder(number)
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	return (&Generation{folder, m}).Job()
}

// Distrust tells that generations are damaged, as a look at all of their bytes has shown. They are not counted among those to keep, and no
// other one shares files with them.
func (s *Store) Distrust(numbers ...uint64) {
	for _, n := range numbers {
		s.bad[n] = true
	}
}

// isGood tells whether a generation is not known to be damaged, nor seen to be at a short look.
func (s *Store) isGood(number uint64) bool {
	if s.bad[number] {
		return false
	}
	_, err := s.Generation(number)
	return err == nil
}

// Remove removes a generation; the others keep what they share with it.
func (s *Store) Remove(number uint64) error {
	if s.lock == nil {
		panic("BUG: removing from a store that is only viewed")
	}
	folder := s.folder(number)
	if err := s.disk.Rename(folder, folder+partial); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no checkpoint %d", s.dir, number)
	} else if err != nil {
		return err
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	return s.disk.RemoveAll(folder + partial)
}
