package isomalloc

import (
	"errors"
	"fmt"
	"math/bits"
	"os"

	"golang.org/x/sys/unix"

	"ampirun/internal/memfd"
)

// Config says where a region lies and how it is divided. All workers of a job
// use the same one. Control and SliceSize are multiples of the page.
type Config struct {
	Base      uint64 // address, multiple of the page
	Control   uint64 // bytes before slice 0
	SliceSize uint64 // bytes
	Slices    int
}

// Size is the length of the region in bytes.
func (c Config) Size() uint64 { return c.Control + uint64(c.Slices)*c.SliceSize }

// Check finds what cannot be.
func (c Config) Check() error {
	hi, total := bits.Mul64(uint64(max(c.Slices, 0)), c.SliceSize)
	_, carry := bits.Add64(total, c.Control, 0)
	switch {
	case c.Slices <= 0:
		return fmt.Errorf("a region of %d slices makes no sense", c.Slices)
	case c.SliceSize == 0 || c.SliceSize%pageSize != 0 || c.Control%pageSize != 0 || c.Base%pageSize != 0:
		return fmt.Errorf("base %#x, control %#x and slice size %#x must be multiples of the page (%#x), and slices not empty",
			c.Base, c.Control, c.SliceSize, pageSize)
	case hi != 0 || carry != 0 || c.Size() > userHigh || c.Base > userHigh-c.Size():
		return fmt.Errorf("%d slices of %s at %#x leave the 47-bit address space", c.Slices, formatBytes(c.SliceSize), c.Base)
	}
	return nil
}

const (
	maxSlice = 16 << 30
	// maxRegion fits above 64 TiB, below which Go's runtime puts its heap in each process, at a random place.
	maxRegion = 56 << 40
)

// SpreadSliceSize is the size of slices that have room for size bytes: a page
// more than that in pages. A slice that is a multiple of a large power of two
// would put the same page of all slices into one set of the translation buffers.
func SpreadSliceSize(size uint64) uint64 {
	return (size+pageSize-1)/pageSize*pageSize + pageSize
}

// DefaultSliceSize is the SpreadSliceSize of the largest power of two, at most
// 16 GiB, such that the slices take no more than 56 TiB of the 128 TiB of user
// addresses.
func DefaultSliceSize(slices int) uint64 {
	size := uint64(maxSlice)
	for size > pageSize && uint64(max(slices, 1)) > maxRegion/size {
		size /= 2
	}
	return SpreadSliceSize(size)
}

// Region is the memory all workers of a node share. It belongs to the memfd, so
// it lives until the last process that has the descriptor or a mapping is gone.
type Region struct {
	cfg    Config
	file   *os.File
	mapped bool
}

// Create makes the memfd of a region; Map brings it into this process. Memory is
// used only where it is touched. The descriptor is closed on exec unless the
// caller passes it on.
func Create(c Config) (*Region, error) { return create(c, 0) }

// create makes a memfd with so many bytes behind the region.
func create(c Config, behind uint64) (*Region, error) {
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("create region: %w", err)
	}
	f, err := memfd.Create("ampirun-region", unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("create region: %w", err)
	}
	if err := unix.Ftruncate(int(f.Fd()), int64(c.Size()+behind)); err != nil {
		f.Close()
		return nil, fmt.Errorf("create region: extend memfd to %s: %w%s", formatBytes(c.Size()), err, limitHint(err))
	}
	if err := seal(int(f.Fd())); err != nil {
		f.Close()
		return nil, fmt.Errorf("create region: %w", err)
	}
	return &Region{cfg: c, file: f}, nil
}

// seal forbids changing the memfd's size. A kernel that knows no seals has
// nothing to forbid it with, and nobody of ours does it.
func seal(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW)
	if err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("seal memfd: %w", err)
	}
	return nil
}

// Attach maps the region that another process made with the same Config. It
// takes over fd, and closes it when it fails.
func Attach(fd int, c Config) (*Region, error) {
	r, err := Take(fd, c)
	if err != nil {
		return nil, err
	}
	if err := r.Map(); err != nil {
		r.file.Close()
		return nil, fmt.Errorf("attach region: %w", err)
	}
	return r, nil
}

// Take is Attach without the mapping.
func Take(fd int, c Config) (*Region, error) { return take(fd, c, 0) }

func take(fd int, c Config, behind uint64) (*Region, error) {
	f := os.NewFile(uintptr(fd), "ampirun-region")
	if f == nil {
		return nil, fmt.Errorf("attach region: descriptor %d is not open", fd)
	}
	r := &Region{cfg: c, file: f}
	if err := r.checkFile(c.Size() + behind); err != nil {
		f.Close()
		return nil, fmt.Errorf("attach region: %w", err)
	}
	return r, nil
}

func (r *Region) checkFile(size uint64) error {
	if err := r.cfg.Check(); err != nil {
		return err
	}
	st, err := r.file.Stat()
	if err != nil {
		return fmt.Errorf("descriptor %d: %w", r.FD(), err)
	}
	if uint64(st.Size()) != size {
		return fmt.Errorf("descriptor %d holds %s, the region has %s", r.FD(),
			formatBytes(uint64(st.Size())), formatBytes(size))
	}
	return nil
}

// FD is the memfd's descriptor; it stays the region's.
func (r *Region) FD() int { return int(r.file.Fd()) }

// Base is the address of the region's first byte.
func (r *Region) Base() uintptr { return uintptr(r.cfg.Base) }

// Config is what the region was made with.
func (r *Region) Config() Config { return r.cfg }

// Control is the range before the slices.
func (r *Region) Control() Range { return Range{r.Base(), r.Base() + uintptr(r.cfg.Control)} }

// Slice is the range of slice i.
func (r *Region) Slice(i int) Range {
	if i < 0 || i >= r.cfg.Slices {
		panic(fmt.Sprintf("BUG: slice %d of %d", i, r.cfg.Slices))
	}
	lo := r.Control().Hi + uintptr(i)*uintptr(r.cfg.SliceSize)
	return Range{lo, lo + uintptr(r.cfg.SliceSize)}
}

// WriteAt writes to the region at an offset from its base. It needs the memfd only, not a mapping.
func (r *Region) WriteAt(p []byte, at int64) (int, error) { return r.file.WriteAt(p, at) }

// Punch gives the pages of [lo, hi) back in every process; it then reads as zeroes.
func (r *Region) Punch(lo, hi uintptr) error {
	if err := r.inside("punch", lo, hi); err != nil || lo == hi {
		return err
	}
	const mode = unix.FALLOC_FL_PUNCH_HOLE | unix.FALLOC_FL_KEEP_SIZE
	if err := unix.Fallocate(r.FD(), mode, int64(lo-r.Base()), int64(hi-lo)); err != nil {
		return fmt.Errorf("punch %s: %w", Range{lo, hi}, err)
	}
	return nil
}

// inside checks that [lo, hi) are whole pages of the region.
func (r *Region) inside(what string, lo, hi uintptr) error {
	whole := Range{r.Base(), r.Base() + uintptr(r.cfg.Size())}
	if lo > hi || lo < whole.Lo || hi > whole.Hi || lo%pageSize != 0 || hi%pageSize != 0 {
		return fmt.Errorf("%s %s: not whole pages of the region %s", what, Range{lo, hi}, whole)
	}
	return nil
}

// Close unmaps the region from this process and closes the memfd. Nothing in
// this process may use the region's memory afterwards.
func (r *Region) Close() error {
	err := r.unmap()
	if cerr := r.file.Close(); cerr != nil && !errors.Is(cerr, os.ErrClosed) {
		err = errors.Join(err, fmt.Errorf("close region: %w", cerr))
	}
	return err
}

// limitHint names the limit that makes the kernel refuse a huge sparse mapping.
func limitHint(err error) string {
	var lim unix.Rlimit
	switch {
	case errors.Is(err, unix.EFBIG):
		if unix.Getrlimit(unix.RLIMIT_FSIZE, &lim) == nil && lim.Cur != unix.RLIM_INFINITY {
			return fmt.Sprintf(" (the file size limit is %s: raise it with ulimit -f unlimited, or ask for smaller slices with +slice)", formatBytes(lim.Cur))
		}
	case errors.Is(err, unix.ENOMEM):
		if unix.Getrlimit(unix.RLIMIT_AS, &lim) == nil && lim.Cur != unix.RLIM_INFINITY {
			return fmt.Sprintf(" (the address space limit is %s: raise it with ulimit -v unlimited, or ask for smaller slices with +slice)", formatBytes(lim.Cur))
		}
	case errors.Is(err, unix.EEXIST):
		return " (something else is mapped there)"
	}
	return ""
}
