package checkpoint

import (
	"os"
	"path/filepath"
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
	for i := range m.Packs {
		if err := checkSize(filepath.Join(folder, m.Packs[i].Name), m.Packs[i].Size); err != nil {
			return nil, err
		}
	}
	return &Generation{folder, m}, nil
}

func checkSize(path string, size uint64) error {
	info, err := os.Stat(path)
	if err != nil {
		return missing(path, err)
	}
	if uint64(info.Size()) != size {
		return wrongSize(path, info.Size(), size)
	}
	return nil
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
