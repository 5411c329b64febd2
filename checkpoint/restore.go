package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"go.uber.org/atomic"
	"golang.org/x/sys/unix"
)

// Restore writes the pages in the given extents, or all, to where they were: at their offsets from the region's base. Pages of
// zeros are not written, so the destination reads as zero before, as new memory does; what was there in the extents
// otherwise has to be cleared. Every byte is checked: an error (*Damage) means that the destination is not to be used.
// dst is written by several goroutines at a time, each its own pages.
func (g *Generation) Restore(dst io.WriterAt, only ...Extent) error {
	only = slices.Clone(only)
	slices.SortFunc(only, func(a, b Extent) int { return cmp.Compare(a.Offset, b.Offset) })
	if err := checkExtents(only, g.PageSize); err != nil {
		return err
	}
	if only == nil {
		only = g.Extents
	}
	return g.read(g.parts(only), func(p *part, data []byte) error {
		_, err := dst.WriteAt(data, int64(p.page*g.PageSize))
		return err
	})
}

// Verify reads everything and compares the checksums, of pages too that only older generations use.
func (g *Generation) Verify() error { return g.verify(func(string) bool { return true }) }

// verify does that with the files of the names that are wanted.
func (g *Generation) verify(wanted func(name string) bool) error {
	if err := g.verifyImages(wanted); err != nil {
		return err
	}
	var parts []part
	for i := range g.Packs {
		if !wanted(g.Packs[i].Name) {
			continue
		}
		for slot := uint64(0); slot < g.Packs[i].Pages; slot += g.BlockPages {
			parts = append(parts, part{pack: uint64(i), slot: slot, count: min(g.BlockPages, g.Packs[i].Pages-slot)})
		}
	}
	return g.read(parts, func(*part, []byte) error { return nil })
}

// part is pages that follow each other in the region and in a block.
type part struct{ pack, slot, count, page uint64 }

// parts cuts the runs at the ends of extents and of blocks, and sorts what is left by place, so that a block is read once.
// Extents are ascending.
func (g *Generation) parts(only []Extent) []part {
	var parts []part
	err := eachRun(g.Pages, func(r run) error {
		first, _ := slices.BinarySearchFunc(only, r.page*g.PageSize, func(e Extent, at uint64) int {
			if e.End() <= at {
				return -1
			}
			return 1
		})
		for _, e := range only[first:] {
			begin, end := max(r.page, e.Offset/g.PageSize), min(r.page+r.count, e.End()/g.PageSize)
			if begin >= end {
				break
			}
			parts = g.cut(parts, run{begin, end - begin, r.pack, r.slot + begin - r.page})
		}
		return nil
	})
	if err != nil {
		panic("BUG: " + err.Error()) // the manifest has been checked
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.pack, b.pack), cmp.Compare(a.slot, b.slot))
	})
	return parts
}

func (g *Generation) cut(parts []part, r run) []part {
	for r.count > 0 {
		n := min(r.count, g.BlockPages-r.slot%g.BlockPages)
		parts = append(parts, part{r.pack, r.slot, n, r.page})
		r.page, r.slot, r.count = r.page+n, r.slot+n, r.count-n
	}
	return parts
}

// read reads blocks in parallel and visits the parts with their bytes.
func (g *Generation) read(parts []part, visit func(*part, []byte) error) error {
	groups := g.group(parts)
	packs := &openPacks{g: g, packs: make([]openedPack, len(g.Packs))}
	defer packs.close()
	var next atomic.Int64
	var failed atomic.Bool
	err := parallel(min(diskWorkers(), len(groups)), func() error {
		s := &scratch{}
		defer s.close()
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= len(groups) {
				return nil
			}
			if err := g.readGroup(packs, groups[i], s, visit); err != nil {
				failed.Store(true)
				return err
			}
		}
		return nil
	})
	return first(err)
}

// first is one error of those that were joined: the others say the same of the same file.
func first(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return several.Unwrap()[0]
	}
	return err
}

// group puts the parts of one block together.
func (g *Generation) group(parts []part) (groups [][]part) {
	for begin := 0; begin < len(parts); {
		end := begin + 1
		for end < len(parts) && parts[end].pack == parts[begin].pack && parts[end].slot/g.BlockPages == parts[begin].slot/g.BlockPages {
			end++
		}
		groups = append(groups, parts[begin:end])
		begin = end
	}
	return groups
}

func (g *Generation) readGroup(packs *openPacks, parts []part, s *scratch, visit func(*part, []byte) error) error {
	p, err := packs.get(parts[0].pack)
	if err != nil {
		return err
	}
	b := parts[0].slot / g.BlockPages
	block, err := p.block(b, s)
	if err != nil {
		return err
	}
	for i := range parts {
		part := &parts[i]
		at := (part.slot - b*g.BlockPages) * g.PageSize
		data := block[at : at+part.count*g.PageSize]
		if err := p.checkPages(data, part.slot); err != nil {
			return err
		}
		if err := visit(part, data); err != nil {
			return fmt.Errorf("restore page %d: %w", part.page, err)
		}
	}
	return nil
}

// openPacks opens the packs of a generation when they are needed.
type openPacks struct {
	g     *Generation
	packs []openedPack
}

type openedPack struct {
	once   sync.Once
	reader *packReader
	file   *os.File
	err    error
}

func (o *openPacks) get(i uint64) (*packReader, error) {
	p := o.open(i)
	if next := i + 1; next < uint64(len(o.packs)) {
		o.open(next)
	}
	return p.reader, p.err
}

// open opens a pack and has the disk read it, for a goroutine that gets there.
func (o *openPacks) open(i uint64) *openedPack {
	p := &o.packs[i]
	p.once.Do(func() {
		ref := &o.g.Packs[i]
		p.reader, p.file, p.err = openPack(o.g.folder, o.g.manifest, ref)
		if p.err == nil && 2*ref.Live > ref.Pages {
			_ = unix.Fadvise(int(p.file.Fd()), 0, 0, unix.FADV_WILLNEED)
		}
	})
	return p
}

func (o *openPacks) close() error {
	var errs []error
	for i := range o.packs {
		if f := o.packs[i].file; f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
