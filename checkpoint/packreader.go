package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/xxh3"

	"ampirun/internal/safefile"
)

// packReader reads blocks of a pack, checked. It may be used by several goroutines at a time.
type packReader struct {
	from                 io.ReaderAt
	name                 string // for errors
	pageSize, blockPages uint64
	*packIndex
}

// openPack opens the pack that a manifest names.
func openPack(folder *safefile.Dir, m *manifest, ref *Pack) (*packReader, *os.File, error) {
	path := folder.Path(ref.Name)
	f, err := folder.Open(ref.Name)
	if err != nil {
		return nil, nil, missing(path, err)
	}
	info, err := f.Stat()
	if err == nil && uint64(info.Size()) != ref.Size {
		err = wrongSize(path, info.Size(), ref.Size)
	}
	var p *packReader
	if err == nil {
		p, err = newPackReader(f, path, m, ref)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return p, f, nil
}

// newPackReader reads head, index and trailer of a pack that has the size in the manifest.
func newPackReader(from io.ReaderAt, name string, m *manifest, ref *Pack) (*packReader, error) {
	p := &packReader{from: from, name: name, pageSize: m.PageSize, blockPages: m.BlockPages}
	tail := blocks(ref.Pages, m.BlockPages)*entrySize + ref.Pages*hashSize + packTrailer
	if ref.Size < packHead || tail > ref.Size-packHead {
		return nil, damaged(name, "%d bytes are not a pack of %d pages", ref.Size, ref.Pages)
	}
	head, index := make([]byte, packHead), make([]byte, tail)
	if err := p.read(head, 0); err != nil {
		return nil, err
	}
	if err := p.read(index, ref.Size-tail); err != nil {
		return nil, err
	}
	if err := p.decode(head, index, ref); err != nil {
		return nil, &Damage{name, err.Error()}
	}
	return p, nil
}

func (p *packReader) read(to []byte, at uint64) error {
	_, err := p.from.ReadAt(to, int64(at))
	if err == io.EOF {
		return damaged(p.name, "it is cut off")
	}
	return err
}

func (p *packReader) decode(head, index []byte, ref *Pack) (err error) {
	if !bytes.HasPrefix(head, []byte(packMagic)) || !bytes.HasSuffix(index, []byte(packEnd)) {
		return errors.New("it is not a pack of a checkpoint, or it is changed")
	}
	if v := binary.LittleEndian.Uint32(head[8:]); v != Version {
		return fmt.Errorf("it is of version %d of the format; this ampirun reads version %d", v, Version)
	}
	trailer := index[len(index)-packTrailer:]
	sum := indexSum(head, index[:len(index)-packTrailer+16])
	if sum != Hash(trailer[16:]) || sum != ref.Index {
		return errors.New("the checksum of its index does not fit: it is changed, or not the pack that was written")
	}
	page, block := binary.LittleEndian.Uint32(head[12:]), binary.LittleEndian.Uint32(head[16:])
	end, pages := binary.LittleEndian.Uint64(trailer), binary.LittleEndian.Uint64(trailer[8:])
	if uint64(page) != p.pageSize || uint64(block) != p.blockPages || pages != ref.Pages || end != ref.Size-uint64(len(index)) {
		return fmt.Errorf("it has %d pages of %d bytes in blocks of %d, which is not what the manifest says", pages, page, block)
	}
	p.packIndex, err = decodeIndex(index[:len(index)-packTrailer], end, pages, p.blockPages, p.pageSize)
	return err
}

// scratch is what a goroutine needs to read blocks.
type scratch struct {
	stored, pages []byte
	decoder       *zstd.Decoder // nil until a block needs it
}

func (s *scratch) close() {
	if s.decoder != nil {
		s.decoder.Close()
	}
}

// sized gives a slice of that length, in the memory of the one before if it is enough.
func sized(b []byte, n uint64) []byte {
	if uint64(cap(b)) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// block reads a block's pages into memory of the scratch, where they stay until the next call.
func (p *packReader) block(b uint64, s *scratch) ([]byte, error) {
	e := &p.blocks[b]
	s.stored = sized(s.stored, uint64(e.stored))
	if err := p.read(s.stored, e.offset); err != nil {
		return nil, err
	}
	if xxh3.Hash(s.stored) != e.sum {
		return nil, damaged(p.name, "the checksum of block %d does not fit: it is changed", b)
	}
	if e.method == methodRaw {
		return s.stored, nil
	}
	whole := p.blockSize(b)
	s.pages = sized(s.pages, whole)
	if err := s.expand(whole); err != nil {
		return nil, damaged(p.name, "block %d: %v", b, err)
	}
	return s.pages, nil
}

// blockSize is how many bytes the pages of a block have.
func (p *packReader) blockSize(b uint64) uint64 {
	return min(p.blockPages, uint64(len(p.pages))-b*p.blockPages) * p.pageSize
}

// expand decompresses what is stored to exactly so many bytes, without taking more memory than these.
func (s *scratch) expand(whole uint64) (err error) {
	if s.decoder == nil {
		s.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := s.decoder.DecodeAll(s.stored, s.pages[:0:whole])
	if err == nil && uint64(len(out)) != whole {
		err = fmt.Errorf("it has %d bytes, not %d", len(out), whole)
	}
	return err
}

// checkPages compares pages with the hashes in the index; first is the number of the first one in the pack.
func (p *packReader) checkPages(data []byte, first uint64) error {
	for i := range uint64(len(data)) / p.pageSize {
		if hashOf(data[i*p.pageSize:(i+1)*p.pageSize]) != p.pages[first+i] {
			return damaged(p.name, "page %d is not the one that was written", first+i)
		}
	}
	return nil
}
