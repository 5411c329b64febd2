package checkpoint

import (
	"time"

	"ampirun/internal/safefile"
	"ampirun/internal/wire"
)

// Generation is a complete checkpoint, open to be read. It may be used by several goroutines at a time.
type Generation struct {
	folder *safefile.Dir
	*manifest
}

// openGeneration reads the manifest and looks whether the files it names have their sizes.
func openGeneration(folder *safefile.Dir, number uint64) (*Generation, error) {
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	if m.Number != number {
		return nil, damaged(folder.Path(""), "it holds checkpoint %d", m.Number)
	}
	for i := range m.Packs {
		if err := checkSize(folder, m.Packs[i].Name, m.Packs[i].Size); err != nil {
			return nil, err
		}
	}
	return &Generation{folder, m}, nil
}

func checkSize(folder *safefile.Dir, name string, size uint64) error {
	is, err := folder.Size(name)
	if err != nil {
		return missing(folder.Path(name), err)
	}
	if uint64(is) != size {
		return wrongSize(folder.Path(name), is, size)
	}
	return nil
}

// Damaged is an error about what the metadata says, which nobody can have written.
func (g *Generation) Damaged(why error) error {
	return damaged(g.folder.Path(manifestName), "%v", why)
}

// Close gives the folder back. What is open of it stays open.
func (g *Generation) Close() error { return g.folder.Close() }

// Time is when the checkpoint was made.
func (g *Generation) Time() time.Time { return time.Unix(0, g.Created) }

// Job is the metadata.
func (g *Generation) Job() (*Job, error) {
	var j Job
	if err := wire.Decode(g.manifest.Job, &j); err != nil {
		return nil, damaged(g.folder.Path(""), "%v", err)
	}
	return &j, nil
}
