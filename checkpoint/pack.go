package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"
)

// A pack holds pages in the order in which they came, in blocks of a fixed number of them (the last one may be shorter):
//
//	head      packHead bytes, zeros after its fields
//	blocks    as they are or compressed
//	index     for each block a blockEntry, then for each page its Hash
//	trailer   packTrailer bytes
//
// Numbers are little-endian. docs/checkpoint-format.md has the offsets.
const (
	packExt     = ".pack"
	packMagic   = "AMPIPACK"
	packEnd     = "AMPIPEND"
	packHead    = 4096 // so that blocks that are not compressed lie on pages of the file
	packTrailer = 40
	entrySize   = 24
	hashSize    = 16
)

// Ways in which a block is stored.
const (
	methodRaw  = 0
	methodZstd = 1
)

// blockEntry says where a block is.
type blockEntry struct {
	offset uint64
	stored uint32 // bytes in the file
	method uint32
	sum    uint64 // XXH3 of 64 bits of what is stored
}

// shape is what a pack's head says.
type shape struct {
	pageSize, blockPages uint64
	generation           uint64
	part                 uint32 // which of the generation's packs
}

func (s *shape) head() []byte {
	h := make([]byte, packHead)
	copy(h, packMagic)
	binary.LittleEndian.PutUint32(h[8:], Version)
	binary.LittleEndian.PutUint32(h[12:], uint32(s.pageSize))
	binary.LittleEndian.PutUint32(h[16:], uint32(s.blockPages))
	binary.LittleEndian.PutUint32(h[20:], s.part)
	binary.LittleEndian.PutUint64(h[24:], s.generation)
	return h
}

// blocks is how many blocks so many pages are in.
func blocks(pages, blockPages uint64) uint64 { return (pages + blockPages - 1) / blockPages }

// packIndex is where the blocks of a pack are, and what the pages are.
type packIndex struct {
	blocks []blockEntry
	pages  []Hash
}

// encode makes the index and the trailer for a pack whose blocks end at a place; the hash is that of head, index and the
// trailer's own fields, so that nothing in a pack is outside of a checksum.
func (x *packIndex) encode(head []byte, end uint64) (data []byte, sum Hash) {
	data = make([]byte, 0, len(x.blocks)*entrySize+len(x.pages)*hashSize+packTrailer)
	for _, b := range x.blocks {
		data = binary.LittleEndian.AppendUint64(data, b.offset)
		data = binary.LittleEndian.AppendUint32(data, b.stored)
		data = binary.LittleEndian.AppendUint32(data, b.method)
		data = binary.LittleEndian.AppendUint64(data, b.sum)
	}
	for i := range x.pages {
		data = append(data, x.pages[i][:]...)
	}
	data = binary.LittleEndian.AppendUint64(data, end)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(x.pages)))
	sum = indexSum(head, data)
	data = append(data, sum[:]...)
	return append(data, packEnd...), sum
}

func indexSum(head, index []byte) Hash {
	h := xxh3.New()
	_, _ = h.Write(head)
	_, _ = h.Write(index)
	return h.Sum128().Bytes()
}

var errIndex = errors.New("its index is not one")

// decodeIndex reads what follows the blocks, which begin at packHead and end at end. Every block it gives lies there.
func decodeIndex(data []byte, end, pages, blockPages, pageSize uint64) (*packIndex, error) {
	count := blocks(pages, blockPages)
	if uint64(len(data)) != count*entrySize+pages*hashSize {
		return nil, errIndex
	}
	x := &packIndex{blocks: make([]blockEntry, count), pages: make([]Hash, pages)}
	at := uint64(packHead)
	for i := range x.blocks {
		b := blockEntry{binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint32(data[8:]),
			binary.LittleEndian.Uint32(data[12:]), binary.LittleEndian.Uint64(data[16:])}
		whole := min(blockPages, pages-uint64(i)*blockPages) * pageSize
		if b.offset != at || uint64(b.stored) > whole || uint64(b.stored) > end-at || b.method > methodZstd ||
			b.method == methodRaw && uint64(b.stored) != whole {
			return nil, fmt.Errorf("%w: block %d", errIndex, i)
		}
		x.blocks[i], data, at = b, data[entrySize:], at+uint64(b.stored)
	}
	if at != end {
		return nil, errIndex
	}
	for i := range x.pages {
		x.pages[i] = Hash(data[i*hashSize:])
	}
	return x, nil
}
