package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fxamacker/cbor/v2"

	"ampirun/internal/safefile"
	"ampirun/internal/wire"
)

// Version is the version of the format that is written, and the only one that is read.
const Version = 1

const (
	manifestName  = "manifest"
	manifestMagic = "AMPICKPT"
	manifestHead  = len(manifestMagic) + 4 + 4 + 8 // magic, version, zero, length of the CBOR
)

// manifest is what a generation is made of.
type manifest struct {
	Number     uint64          `json:"number"`
	Created    int64           `json:"created"` // nanoseconds since 1970
	PageSize   uint64          `json:"page_size"`
	BlockPages uint64          `json:"block_pages"`
	Extents    []Extent        `json:"extents"` // ascending, apart
	Packs      []Pack          `json:"packs"`
	Pages      []byte          `json:"pages"` // runs, see runs.go
	Counts     Counts          `json:"counts"`
	Speed      uint64          `json:"speed"` // of the disk, bytes in a second, as measured before; 0: not known
	Job        cbor.RawMessage `json:"job"`
}

// Pack names a pack and what must be found in it.
type Pack struct {
	Name  string `json:"name"`
	Size  uint64 `json:"size"`  // of the file, bytes
	Pages uint64 `json:"pages"` // in it
	Live  uint64 `json:"live"`  // of them, in use by this generation
	Index Hash   `json:"index"` // of its index
}

// Counts are pages of a generation.
type Counts struct {
	Pages   int    `json:"pages"`   // in the extents
	Zero    int    `json:"zero"`    // of them, all zero: not stored
	Same    int    `json:"same"`    // of them, equal to another page of this generation that is counted elsewhere
	Kept    int    `json:"kept"`    // of them, stored by an earlier generation
	Written int    `json:"written"` // of them, written by this one
	Bytes   uint64 `json:"bytes"`   // that this generation wrote in packs
	Shared  uint64 `json:"shared"`  // bytes of packs that earlier generations wrote and this one needs
}

// encode makes the file: head, CBOR, and the hash of both.
func (m *manifest) encode() []byte {
	content := wire.Encode(m)
	data := make([]byte, 0, manifestHead+len(content)+len(Hash{}))
	data = append(data, manifestMagic...)
	data = binary.LittleEndian.AppendUint32(data, Version)
	data = binary.LittleEndian.AppendUint32(data, 0)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(content)))
	data = append(data, content...)
	sum := hashOf(data)
	return append(data, sum[:]...)
}

// readManifest reads the manifest of a generation's folder.
func readManifest(folder *safefile.Dir) (*manifest, error) {
	path := folder.Path(manifestName)
	data, err := folder.ReadFile(manifestName)
	if err != nil {
		return nil, missing(path, err)
	}
	m, err := decodeManifest(data)
	if err != nil {
		return nil, &Damage{path, err.Error()}
	}
	return m, nil
}

// decodeManifest reads a manifest. What it gives is consistent in itself.
func decodeManifest(data []byte) (*manifest, error) {
	if len(data) < manifestHead || !bytes.HasPrefix(data, []byte(manifestMagic)) {
		return nil, errors.New("it is not the manifest of a checkpoint")
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != Version {
		return nil, fmt.Errorf("it is of version %d of the format; this ampirun reads version %d", v, Version)
	}
	length, rest := binary.LittleEndian.Uint64(data[16:]), len(data)-manifestHead-len(Hash{})
	if rest < 0 || length != uint64(rest) {
		return nil, fmt.Errorf("it has %d bytes, which are not those of a manifest of %d: it is cut off or changed", len(data), length)
	}
	end := manifestHead + rest
	if sum := hashOf(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, errors.New("its checksum does not fit: it is changed")
	}
	var m manifest
	if err := wire.Decode(data[manifestHead:end], &m); err != nil {
		return nil, err
	}
	return &m, m.check()
}

// maxBlock is the size of the largest block that is read, in bytes.
const maxBlock = 1 << 22

// check finds what cannot be.
func (m *manifest) check() error {
	if err := m.checkPage(); err != nil {
		return err
	}
	if err := checkExtents(m.Extents, m.PageSize); err != nil {
		return err
	}
	for _, p := range m.Packs {
		if err := p.check(); err != nil {
			return err
		}
	}
	return checkRuns(m)
}

func (m *manifest) checkPage() error {
	if m.PageSize < MinPage || m.PageSize > MaxPage || m.PageSize&(m.PageSize-1) != 0 {
		return fmt.Errorf("pages have %d bytes; that is a power of two from %d to %d", m.PageSize, MinPage, MaxPage)
	}
	if m.BlockPages == 0 || m.BlockPages > maxBlock/m.PageSize {
		return fmt.Errorf("blocks have %d pages", m.BlockPages)
	}
	return nil
}

func (p *Pack) check() error {
	if p.Name == "" || p.Name != filepath.Base(p.Name) || filepath.Ext(p.Name) != packExt {
		return fmt.Errorf("it has a pack called %q", p.Name)
	}
	if p.Pages > p.Size/uint64(len(Hash{})) {
		return fmt.Errorf("%s has %d pages in %d bytes", p.Name, p.Pages, p.Size)
	}
	return nil
}

// checkExtents finds extents that are not pages, ascending and apart.
func checkExtents(extents []Extent, page uint64) error {
	end := uint64(0)
	for _, e := range extents {
		if e.Offset%page != 0 || e.Length%page != 0 || e.Length == 0 || e.Offset < end || e.End() < e.Offset || e.End() > 1<<62 {
			return fmt.Errorf("extent %#x of %#x bytes: extents are pages of %d bytes, ascend and lie apart", e.Offset, e.Length, page)
		}
		end = e.End()
	}
	return nil
}
