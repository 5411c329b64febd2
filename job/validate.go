package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ampirun/checkpoint"
	"ampirun/checkpoint/buddy"
	"ampirun/isomalloc"
	"ampirun/loadbalance"
	"ampirun/loadbalance/live"
	"ampirun/privatize"
	"ampirun/vrank"
)

// The most and the least that a job can have: more is a typing error, or a file that was made on purpose.
const (
	MaxWorkers  = 4096
	MaxRanks    = 1 << 20
	MaxKept     = 1 << 20
	MaxFailures = 1 << 20
	MinStack    = 64 << 10
)

// validate finds what cannot be in a checkpoint, whose checksums may be right all the same: all that comes after it relies on each field. Pages and
// extents are those of the memory.
func (r *Restart) validate(page uint64, extents []checkpoint.Extent) error {
	for _, check := range []func() error{
		r.validateStart,
		func() error { return r.validateMemory(page, extents) },
		r.validateImages,
		r.validateRanks,
		r.validateEnded,
		r.was.Options.validate,
		r.was.Opened.Validate,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// validateStart looks at how the job was started.
func (r *Restart) validateStart() error {
	j := r.job
	switch {
	case j.Ranks < 1 || j.Ranks > MaxRanks:
		return fmt.Errorf("it has %d ranks", j.Ranks)
	case j.PEs < 1 || j.PEs > MaxWorkers:
		return fmt.Errorf("it has %d PEs for %d ranks", j.PEs, j.Ranks)
	case len(j.Args) == 0:
		return errors.New("it has no arguments, not even the program's name")
	case j.Dir != "" && !filepath.IsAbs(j.Dir):
		return fmt.Errorf("its directory is %q", j.Dir)
	case !filepath.IsAbs(j.Program):
		return fmt.Errorf("its program is %q", j.Program)
	}
	return noZeros(append(append([]string{j.Program, j.Dir}, j.Args...), j.Env...)...)
}

// noZeros finds texts with a byte that the kernel takes for their end.
func noZeros(texts ...string) error {
	for _, t := range texts {
		if strings.ContainsRune(t, 0) {
			return fmt.Errorf("%.100q has a zero byte", t)
		}
	}
	return nil
}

// validateMemory looks at the sizes and places of the job's memory, and of what there is of it.
func (r *Restart) validateMemory(page uint64, extents []checkpoint.Extent) error {
	j, l := r.job, r.was.Layout
	switch err := l.Check(); {
	case err != nil:
		return err
	case l.Slices != j.Ranks || l.SliceSize != j.SliceSize || l.Base != j.Base || l.Size() != j.RegionSize:
		return fmt.Errorf("its memory is %d slices of %d bytes at %#x, or else %d of %d at %#x", j.Ranks, j.SliceSize, j.Base, l.Slices, l.SliceSize, l.Base)
	case j.PageSize != os.Getpagesize() || uint64(j.PageSize) != page:
		return fmt.Errorf("its pages have %d bytes, or else %d; here they have %d", j.PageSize, page, os.Getpagesize())
	case r.was.Options.Stack < MinStack || r.was.Options.Stack >= l.SliceSize:
		return fmt.Errorf("stacks of %d bytes in slices of %d", r.was.Options.Stack, l.SliceSize)
	}
	if n := len(extents); n > 0 && extents[n-1].End() > l.Size() {
		return fmt.Errorf("memory at offset %#x of %#x bytes", extents[n-1].End(), l.Size())
	}
	return nil
}

func (r *Restart) validateImages() error {
	j := r.job
	for i := range j.Images {
		image := &j.Images[i]
		if image.Path == "" || image.Size < 0 {
			return fmt.Errorf("it needs a file %q of %d bytes", image.Path, image.Size)
		}
		if err := noZeros(image.Path); err != nil {
			return err
		}
	}
	for _, path := range append(r.programFiles(), j.Launcher) {
		if !slices.ContainsFunc(j.Images, func(i checkpoint.Image) bool { return i.Path == path }) {
			return fmt.Errorf("it does not say which file %q was", path)
		}
	}
	for _, l := range r.was.Libraries {
		if err := noZeros(l.Name); err != nil {
			return err
		}
	}
	return nil
}

// validateRanks looks at what each rank has besides its memory.
func (r *Restart) validateRanks() error {
	j := r.job
	if len(j.PerRank) != j.Ranks || len(r.files) != j.Ranks {
		return fmt.Errorf("it tells of %d ranks of %d, and of the files of %d", len(j.PerRank), j.Ranks, len(r.files))
	}
	for i := range j.PerRank {
		if pe := j.PerRank[i].PE; pe < 0 || pe >= j.PEs {
			return fmt.Errorf("rank %d is on PE %d of %d", i, pe, j.PEs)
		}
		if listed := len(j.PerRank[i].Files); listed != len(r.files[i]) {
			return fmt.Errorf("rank %d has %d files open, or else %d", i, listed, len(r.files[i]))
		}
		if err := vrank.CheckFiles(r.files[i], r.slice(i)); err != nil {
			return fmt.Errorf("rank %d: %w", i, err)
		}
	}
	return nil
}

// slice is where the memory of a rank is.
func (r *Restart) slice(rank int) isomalloc.Range {
	l := r.was.Layout
	from := uintptr(l.Base + l.Control + uint64(rank)*l.SliceSize)
	return isomalloc.Range{Lo: from, Hi: from + uintptr(l.SliceSize)}
}

func (r *Restart) validateEnded() error {
	over := map[int]bool{}
	for _, e := range r.was.Ended {
		if e.Rank < 0 || e.Rank >= r.job.Ranks || over[e.Rank] {
			return fmt.Errorf("rank %d has ended", e.Rank)
		}
		over[e.Rank] = true
	}
	return nil
}

// validate looks at options that were kept.
func (o *Lasting) validate() error {
	if _, err := privatize.FindMethod(o.Method); err != nil {
		return fmt.Errorf("privatization %q: %w", o.Method, err)
	}
	if o.Balance != "" {
		if _, err := loadbalance.Find(o.Balance); err != nil {
			return fmt.Errorf("load balancing %q: %w", o.Balance, err)
		}
	}
	if o.Period != "" || o.Balance != "" {
		if _, err := live.ParsePeriod(o.Period); err != nil {
			return fmt.Errorf("it balances its load each %q: %w", o.Period, err)
		}
	}
	if err := o.Checkpoints.validate(); err != nil {
		return err
	}
	return o.FT.validate()
}

func (c *Checkpoints) validate() error {
	if c == nil {
		return nil
	}
	if c.Every < 0 || c.MTBF < 0 || c.Keep < 0 || c.Keep > MaxKept {
		return fmt.Errorf("checkpoints each %v, for failures each %v, of which %d stay", c.Every, c.MTBF, c.Keep)
	}
	if c.Buddy == "" || c.Buddy == NoBuddy {
		return nil
	}
	if _, err := buddy.ParseTarget(c.Buddy); err != nil {
		return fmt.Errorf("copies to %q: %w", c.Buddy, err)
	}
	return nil
}

func (f *FT) validate() error {
	if f == nil {
		return nil
	}
	if f.Mode != FTMemory && f.Mode != FTDisk || f.MaxFailures < 0 || f.MaxFailures > MaxFailures || f.Timeout < 0 {
		return fmt.Errorf("it outlives %d failures by %q, after %v", f.MaxFailures, f.Mode, f.Timeout)
	}
	return nil
}
