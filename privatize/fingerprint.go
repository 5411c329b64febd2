package privatize

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// Fingerprint identifies the layout: two processes whose fingerprints agree may attach each other's images. It covers
// the contents of all files, the places the layout gives them, and the numbering of the runtime's symbols.
func (p *Program) Fingerprint() [sha256.Size]byte {
	h := sha256.New()
	for _, im := range p.images {
		h.Write([]byte(im.name))
		writeNumbers(h, im.bias, uint64(len(im.data)), im.low(), im.high())
		h.Write(im.identity())
	}
	writeNumbers(h, p.span, p.tlsSize, p.tableAt, uint64(len(p.externals.values)), uint64(len(p.resolvers)))
	return [sha256.Size]byte(h.Sum(nil))
}

func writeNumbers(h hash.Hash, n ...uint64) {
	for _, v := range n {
		h.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
}

// identity is the linker's build ID, or for files without one a hash of all their bytes.
func (im *image) identity() []byte {
	if id := buildID(im.data); id != nil {
		return id
	}
	sum := sha256.Sum256(im.data)
	return sum[:]
}
