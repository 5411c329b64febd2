package checkpoint

import (
	"io"
	"time"
)

// Generation is a complete checkpoint, open to be read. It may be used by several goroutines at a time.
type Generation struct {
	folder string
	*manifest
}

// openGeneration reads the manifest and looks whether the files it names have their sizes.
func openGeneration(folder string, number uint64) (*Generation, error) {
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	if m.Number != number {
		return nil, damaged(folder, "it holds checkpoint %d", m.Number)
	}
	return &Generation{folder, m}, nil
}

// Time is when the checkpoint was made.
func (g *Generation) Time() time.Time { return time.Unix(0, g.Created) }

// Job is the metadata.
func (g *Generation) Job() (*Job, error) {
	var j Job
	if err := decoding.Unmarshal(g.manifest.Job, &j); err != nil {
		return nil, damaged(g.folder, "%v", err)
	}
	return &j, nil
}

// Restore writes the pages in the given extents, or all, to where they were: at their offsets from the region's base. Pages of
// zeros are not written, so the destination reads as zero before, as new memory does; what was there in the extents
// otherwise has to be cleared. Every byte is checked: an error (*Damage) means that the destination is not to be used.
// dst is written by several goroutines at a time, each its own pages.
func (g *Generation) Restore(dst io.WriterAt, only ...Extent) error {
	return g.restore(dst, only)
}
