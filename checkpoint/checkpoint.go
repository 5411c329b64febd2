// Package checkpoint keeps the memory and the metadata of a job in a directory, as generations that become visible only
// when they are complete. docs/checkpoint-format.md describes what is in the files.
//
// A Store is used by one goroutine at a time; what it does inside is parallel.
package checkpoint

import (
	"io"
	"time"
)

// MinPage and MaxPage are the sizes of pages that a checkpoint can have, in bytes.
const (
	MinPage = 1 << 12
	MaxPage = 1 << 16
)

// Options of a store. The zero value is good.
type Options struct {
	Keep        int         // complete generations that stay, those not counted that are known to be damaged; 0: 2
	Chains      int         // 2: a generation shares files with the last but one and none with the last, and so on; 0: 1, with the last
	Embed       bool        // copy the files of Job.Images into the directory
	Compression Compression // of blocks; 0: where it is faster
	Owner       string      // who works with the directory, for the message to others: "job 1234 (./heat)"
}

// Memory is bytes as memory to be saved and as a destination to be restored to: Save reads it without a copy.
type Memory []byte

// ReadAt copies bytes out of the memory.
func (m Memory) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 || at > int64(len(m)) {
		return 0, io.EOF
	}
	n := copy(p, m[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt copies bytes into the memory.
func (m Memory) WriteAt(p []byte, at int64) (int, error) {
	if at < 0 || at > int64(len(m)) || len(p) > len(m)-int(at) {
		return 0, io.ErrShortWrite
	}
	return copy(m[at:], p), nil
}

// Slice is a part of the memory itself. Memory given to Save that has this method is not copied.
func (m Memory) Slice(at, size uint64) []byte { return m[at : at+size : at+size] }

// Report tells what Save did.
type Report struct {
	Generation uint64 // its number
	Counts
	Time     time.Duration // until all was safe on the disk
	Removed  []uint64      // generations that went
	Warnings []string      // what went wrong afterwards, such as an old generation that could not be removed
}
