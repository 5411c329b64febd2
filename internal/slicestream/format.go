// Package slicestream is the memory of one rank as a stream of bytes: what a rank that is copied to another worker travels as.
//
// A stream is a header, frames, and an end. A frame lists extents of the slice, and their bytes follow; what no extent covers is zeroes.
// All numbers are little-endian:
//
//	header   8 bytes magic, then uint32 version, page size, rank, CRC; uint64 slice size, layout
//	frame    uint32 number of extents (1 to MaxExtents), uint32 CRC of the list; the list: uint64 offset, uint64 length; their bytes
//	end      uint32 0, uint32 CRC of what follows; uint64 extents, uint64 bytes of the whole stream
//
// Offsets are from the start of the slice; offsets and lengths are multiples of the page, extents ascend and do not overlap. The CRCs
// (Castagnoli; that of the header is over its other fields) are over everything but the pages' bytes, which transports and file systems check.
package slicestream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	Version    = 1
	PageSize   = 4096
	MaxExtents = 1024 // in one frame

	headerSize = 40
	headSize   = 8 // of a frame, before its list
	extentSize = 16
)

var (
	magic      = [8]byte{'v', 'r', 's', 'l', 'i', 'c', 'e', '\n'}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	order      = binary.LittleEndian
)

// Header says whose memory it is, and how it is laid out.
type Header struct {
	Rank      uint32
	SliceSize uint64 // bytes
	Layout    uint64 // fingerprint of the offsets in a slice: both sides must agree
}

// Extent is a part of a slice, as bytes from its start.
type Extent struct{ Offset, Length uint64 }

// Totals is what a stream holds.
type Totals struct{ Extents, Bytes uint64 }

func (t *Totals) add(e Extent) {
	t.Extents++
	t.Bytes += e.Length
}

// AppendHeader appends the start of a stream to b.
func AppendHeader(b []byte, h Header) []byte {
	at := len(b)
	b = append(b, magic[:]...)
	b = order.AppendUint32(b, Version)
	b = order.AppendUint32(b, PageSize)
	b = order.AppendUint32(b, h.Rank)
	b = order.AppendUint32(b, 0)
	b = order.AppendUint64(b, h.SliceSize)
	b = order.AppendUint64(b, h.Layout)
	order.PutUint32(b[at+20:], headerSum(b[at:]))
	return b
}

func headerSum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:20], castagnoli), castagnoli, b[24:headerSize])
}

// AppendFrame appends the list of a frame; the bytes of the extents are to follow.
func AppendFrame(b []byte, extents []Extent) []byte {
	if len(extents) == 0 || len(extents) > MaxExtents {
		panic(fmt.Sprintf("BUG: a frame of %d extents", len(extents)))
	}
	at := len(b)
	b = order.AppendUint64(b, uint64(len(extents)))
	for _, e := range extents {
		b = order.AppendUint64(order.AppendUint64(b, e.Offset), e.Length)
	}
	order.PutUint32(b[at+4:], crc32.Checksum(b[at+headSize:], castagnoli))
	return b
}

// AppendEnd appends the end of a stream.
func AppendEnd(b []byte, t Totals) []byte {
	at := len(b)
	b = order.AppendUint64(b, 0)
	b = order.AppendUint64(order.AppendUint64(b, t.Extents), t.Bytes)
	order.PutUint32(b[at+4:], crc32.Checksum(b[at+headSize:], castagnoli))
	return b
}

// Reader reads a stream from a source of which it takes no byte too many. It trusts nothing that it reads.
type Reader struct {
	Header
	in     io.Reader
	totals Totals
	next   uint64 // the lowest offset that may come
	list   [MaxExtents * extentSize]byte
}

// NewReader reads the header. A stream that breaks off gives io.ErrUnexpectedEOF, here and in Next.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: in}
	b := r.list[:headerSize]
	if err := r.fill(b); err != nil {
		return nil, fmt.Errorf("read the header of a slice: %w", err)
	}
	if [8]byte(b) != magic {
		return nil, errors.New("this is not the stream of a slice")
	}
	if v := order.Uint32(b[8:]); v != Version {
		return nil, fmt.Errorf("the stream of a slice has version %d, this ampirun reads %d", v, Version)
	}
	if sum := order.Uint32(b[20:]); sum != headerSum(b) {
		return nil, errors.New("the header of a slice is damaged")
	}
	if p := order.Uint32(b[12:]); p != PageSize {
		return nil, fmt.Errorf("the stream of a slice has pages of %d bytes, here they have %d", p, PageSize)
	}
	r.Header = Header{Rank: order.Uint32(b[16:]), SliceSize: order.Uint64(b[24:]), Layout: order.Uint64(b[32:])}
	return r, nil
}

// fill reads all of b.
func (r *Reader) fill(b []byte) error {
	_, err := io.ReadFull(r.in, b)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Next gives the extents of the next frame, whose bytes the caller takes from the source before it asks again; io.EOF at the end.
func (r *Reader) Next() ([]Extent, error) {
	var head [headSize]byte
	if err := r.fill(head[:]); err != nil {
		return nil, fmt.Errorf("read a frame of rank %d's slice: %w", r.Rank, err)
	}
	n := order.Uint32(head[:])
	if n > MaxExtents {
		return nil, fmt.Errorf("a frame of rank %d's slice has %d extents, more than %d", r.Rank, n, MaxExtents)
	}
	list := r.list[:max(n, 1)*extentSize]
	if err := r.fill(list); err != nil {
		return nil, fmt.Errorf("read a frame of rank %d's slice: %w", r.Rank, err)
	}
	if crc32.Checksum(list, castagnoli) != order.Uint32(head[4:]) {
		return nil, fmt.Errorf("a frame of rank %d's slice is damaged", r.Rank)
	}
	if n == 0 {
		return nil, r.end(Totals{order.Uint64(list), order.Uint64(list[8:])})
	}
	return r.extents(list)
}

func (r *Reader) extents(list []byte) ([]Extent, error) {
	out := make([]Extent, 0, len(list)/extentSize)
	for ; len(list) > 0; list = list[extentSize:] {
		e := Extent{order.Uint64(list), order.Uint64(list[8:])}
		switch {
		case e.Offset%PageSize != 0 || e.Length%PageSize != 0 || e.Length == 0:
			return nil, fmt.Errorf("an extent of rank %d's slice is not whole pages: %d bytes at %#x", r.Rank, e.Length, e.Offset)
		case e.Offset < r.next:
			return nil, fmt.Errorf("extents of rank %d's slice do not ascend: %#x comes after %#x", r.Rank, e.Offset, r.next)
		case e.Offset > r.SliceSize || e.Length > r.SliceSize-e.Offset:
			return nil, fmt.Errorf("an extent leaves rank %d's slice of %d bytes: %d bytes at %#x", r.Rank, r.SliceSize, e.Length, e.Offset)
		}
		r.next = e.Offset + e.Length
		r.totals.add(e)
		out = append(out, e)
	}
	return out, nil
}

func (r *Reader) end(said Totals) error {
	if said != r.totals {
		return fmt.Errorf("the stream of rank %d's slice says at its end that it has %d extents of %d bytes, and had %d of %d",
			r.Rank, said.Extents, said.Bytes, r.totals.Extents, r.totals.Bytes)
	}
	return io.EOF
}

// Totals is what has been read.
func (r *Reader) Totals() Totals { return r.totals }
