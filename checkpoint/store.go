package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/atomic"
	"golang.org/x/sys/unix"

	"ampirun/internal/safefile"
)

// partial marks folders of generations that are being written or removed.
const partial = ".partial"

const defaultKeep = 2

// Store is a directory of generations.
type Store struct {
	root    *safefile.Dir
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
// it. A directory of another user is refused. What earlier jobs left incomplete is removed. Close gives the directory back.
func Open(dir string, options Options) (*Store, error) {
	if options.Keep == 0 {
		options.Keep = defaultKeep
	}
	options.Chains = max(options.Chains, 1)
	if options.Keep < options.Chains {
		return nil, fmt.Errorf("checkpoints in %s: %d to keep: keep %d or more", dir, options.Keep, options.Chains)
	}
	root, err := safefile.Make(dir)
	if err != nil {
		return nil, err
	}
	if !root.IsOwn() {
		root.Close()
		return nil, fmt.Errorf("%s belongs to %s: name a directory of your own", dir, safefile.UserName(root.Owner()))
	}
	held, err := lock(root, options.Owner)
	if err != nil {
		root.Close()
		return nil, err
	}
	s := &Store{root: root, options: options, disk: realDisk{}, lock: held, chains: make([]chain, options.Chains), bad: map[uint64]bool{}}
	s.tuner = tuner{mode: options.Compression, writers: float64(runtime.GOMAXPROCS(0)), speed: guessedSpeed}
	if err := s.clean(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// View opens a directory to look at it, whoever it belongs to and while a job may be using it. Nothing is changed, and Save fails.
func View(dir string) (*Store, error) {
	root, err := safefile.Open(dir)
	if errors.Is(err, unix.ENOTDIR) {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	if err != nil {
		return nil, err
	}
	return &Store{root: root, options: Options{Keep: defaultKeep}, disk: realDisk{}}, nil
}

// Close gives the directory to others.
func (s *Store) Close() error {
	err := s.root.Close()
	if s.lock == nil {
		return err
	}
	err = errors.Join(err, s.lock.Close())
	for _, t := range s.tools {
		err = errors.Join(err, t.stage.close())
	}
	s.lock, s.tools = nil, nil
	return err
}

// Dir is the store's directory, and Root the same to open files in it.
func (s *Store) Dir() string         { return s.root.Path("") }
func (s *Store) Root() *safefile.Dir { return s.root }

// clean removes what is incomplete.
func (s *Store) clean() error {
	names, err := s.root.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, ok := parseNumber(strings.TrimSuffix(name, partial)); ok && strings.HasSuffix(name, partial) {
			if err := s.disk.RemoveAll(s.root, name); err != nil {
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
	names, err := s.root.Names()
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, name := range names {
		if n, ok := parseNumber(name); ok && s.root.HasDir(name) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// owned leaves those generations out that somebody else has put there.
func (s *Store) owned(numbers []uint64) []uint64 {
	return slices.DeleteFunc(slices.Clone(numbers), func(n uint64) bool { return !s.root.Owns(folderName(n)) })
}

// folderName is the name of a generation's folder: at least six digits.
func folderName(number uint64) string { return fmt.Sprintf("%06d", number) }

func parseNumber(name string) (uint64, bool) {
	n, err := strconv.ParseUint(name, 10, 63)
	return n, err == nil && n > 0 && folderName(n) == name
}

// folder opens the folder of a generation.
func (s *Store) folder(number uint64) (*safefile.Dir, error) {
	d, err := s.root.Sub(folderName(number))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no checkpoint %d", s.Dir(), number)
	}
	return d, notOurs(err)
}

// newFolder makes the folder in which a generation becomes complete, and abandon removes it again.
func (s *Store) newFolder(number uint64) (*safefile.Dir, error) {
	return s.disk.Mkdir(s.root, folderName(number)+partial)
}

func (s *Store) abandon(temp *safefile.Dir, number uint64) {
	if temp != nil {
		temp.Close()
		_ = s.disk.RemoveAll(s.root, folderName(number)+partial) // Open removes what stays
	}
}

// publish makes a folder visible as a generation, when all of it is on the disk and check, which reads it back, has found nothing wrong.
func (s *Store) publish(temp *safefile.Dir, number uint64, check func() error) error {
	if err := s.disk.SyncDir(temp); err != nil {
		return err
	}
	if err := check(); err != nil {
		return err
	}
	name := folderName(number)
	if err := s.disk.Rename(s.root, name+partial, name); err != nil {
		return err
	}
	if err := s.disk.SyncDir(s.root); err != nil {
		// It may be there after a power failure or not; for those who look now it must not be there after an error.
		return errors.Join(err, s.disk.Rename(s.root, name, name+partial))
	}
	return nil
}

// ErrNone tells that a directory has no complete generation.
var ErrNone = errors.New("there is no complete checkpoint")

// Latest is the newest complete generation; errors.Is(err, ErrNone) tells that there is none. A damaged one is an error
// (*Damage), never passed by.
func (s *Store) Latest() (*Generation, error) {
	numbers, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("%s: %w", s.Dir(), ErrNone)
	}
	return s.Generation(numbers[len(numbers)-1])
}

// Generation opens a complete generation by its number.
func (s *Store) Generation(number uint64) (*Generation, error) {
	folder, err := s.folder(number)
	if err != nil {
		return nil, err
	}
	return openGeneration(folder, number)
}

// JobOf reads the metadata of a generation, also of one whose other files are damaged.
func (s *Store) JobOf(number uint64) (*Job, error) {
	folder, err := s.folder(number)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
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
	g, err := s.Generation(number)
	if err != nil {
		return false
	}
	g.Close()
	return true
}

// Remove removes a generation; the others keep what they share with it.
func (s *Store) Remove(number uint64) error {
	if s.lock == nil {
		panic("BUG: removing from a store that is only viewed")
	}
	name := folderName(number)
	if err := s.disk.Rename(s.root, name, name+partial); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no checkpoint %d", s.Dir(), number)
	} else if err != nil {
		return err
	}
	if err := s.disk.SyncDir(s.root); err != nil {
		return err
	}
	return s.disk.RemoveAll(s.root, name+partial)
}
