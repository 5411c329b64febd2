package slicestream

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// Between processes of a node a stream goes through a pipe. No byte is copied on the sender's side: splice puts the pages themselves into
// the pipe, and takes them out of the file, before the receiver's side copies them into pages of its own.

// pipeSize is what a pipe is asked to hold: the most that a process without privileges gets. Less will do.
const pipeSize = 1 << 20

// Pipe makes a pipe for a stream. Both ends are closed on exec.
func Pipe() (in, out int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, fmt.Errorf("make a pipe: %w", err)
	}
	unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, pipeSize) // a refusal only costs speed
	return ends[0], ends[1], nil
}

// File is where the slice lies: shared memory.
type File struct {
	FD     int
	Offset int64 // of the slice
}

// Sender writes the stream of one slice, and takes away from the file what it sends: a page is out of reach before the receiver sees it,
// so that whoever writes to it in between would have to wait for it, see vrank/fence_unsafe.go.
type Sender struct {
	file       File
	out        int
	holdIn     int // pages between the file and the stream, by the ends of a pipe
	holdOut    int
	room, held uint64 // bytes
	extents    []Extent
	totals     Totals
	text       []byte
}

// NewSender writes the header to the pipe out. Close it in any case.
func NewSender(f File, out int, h Header) (*Sender, error) {
	s := &Sender{file: f, out: out}
	var err error
	if s.holdOut, s.holdIn, err = Pipe(); err != nil {
		return nil, err
	}
	room, err := unix.FcntlInt(uintptr(s.holdIn), unix.F_GETPIPE_SZ, 0)
	if err == nil {
		s.room = uint64(room)
		err = s.write(AppendHeader(nil, h))
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends nothing: a stream without End is broken off.
func (s *Sender) Close() {
	unix.Close(s.holdIn)
	unix.Close(s.holdOut)
}

// Send moves whole pages that exist to the stream. Extents must ascend.
func (s *Sender) Send(e Extent) error {
	for e.Length > 0 {
		piece := Extent{e.Offset, min(e.Length, s.room-s.held)}
		if err := s.hold(piece); err != nil {
			return fmt.Errorf("take %d bytes at %#x out of a slice: %w", piece.Length, piece.Offset, err)
		}
		s.note(piece)
		if s.held == s.room || len(s.extents) == MaxExtents {
			if err := s.flush(); err != nil {
				return err
			}
		}
		e.Offset += piece.Length
		e.Length -= piece.Length
	}
	return nil
}

// hold takes pages out of the file. The room suffices: a page takes one buffer of the pipe.
func (s *Sender) hold(e Extent) error {
	at, end := s.file.Offset+int64(e.Offset), s.file.Offset+int64(e.Offset+e.Length)
	for from := at; from < end; {
		n, err := splice(s.file.FD, &from, s.holdIn, nil, int(end-from))
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return unix.Fallocate(s.file.FD, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, end-at)
}

func (s *Sender) note(e Extent) {
	s.held += e.Length
	if n := len(s.extents); n > 0 && s.extents[n-1].Offset+s.extents[n-1].Length == e.Offset {
		s.extents[n-1].Length += e.Length
		return
	}
	s.extents = append(s.extents, e)
}

func (s *Sender) flush() error {
	if s.held == 0 {
		return nil
	}
	s.text = AppendFrame(s.text[:0], s.extents)
	if err := s.write(s.text); err != nil {
		return err
	}
	for s.held > 0 {
		n, err := splice(s.holdOut, nil, s.out, nil, int(s.held))
		if err != nil {
			return fmt.Errorf("send a slice: %w", err)
		}
		s.held -= uint64(n)
	}
	for _, e := range s.extents {
		s.totals.add(e)
	}
	s.extents = s.extents[:0]
	return nil
}

// End completes the stream and tells what it held.
func (s *Sender) End() (Totals, error) {
	err := s.flush()
	if err == nil {
		err = s.write(AppendEnd(nil, s.totals))
	}
	return s.totals, err
}

func (s *Sender) write(b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(s.out, b)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("send a slice: %w", err)
		}
		b = b[max(n, 0):]
	}
	return nil
}

// Receive fills a slice from the stream in the pipe in, whose header must be want. What the stream does not have is left as it is.
// A sender that has gone before the end gives io.ErrUnexpectedEOF.
func Receive(in int, f File, want Header) (Totals, error) {
	r, err := NewReader(pipeReader(in))
	if err != nil {
		return Totals{}, err
	}
	if r.Header != want {
		return Totals{}, fmt.Errorf("a slice has come that is another than was expected: %+v, and not %+v", r.Header, want)
	}
	for {
		extents, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Totals(), nil
		}
		if err != nil {
			return r.Totals(), err
		}
		for _, e := range extents {
			if err := take(in, f, e); err != nil {
				return r.Totals(), fmt.Errorf("receive %d bytes at %#x of rank %d's slice: %w", e.Length, e.Offset, r.Rank, err)
			}
		}
	}
}

func take(in int, f File, e Extent) error {
	to := f.Offset + int64(e.Offset)
	for left := int(e.Length); left > 0; {
		n, err := splice(in, nil, f.FD, &to, left)
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// splice moves the offsets that it is given.
func splice(from int, fromOffset *int64, to int, toOffset *int64, n int) (int, error) {
	for {
		done, err := unix.Splice(from, fromOffset, to, toOffset, n, unix.SPLICE_F_MOVE)
		if !errors.Is(err, unix.EINTR) {
			return int(done), err
		}
	}
}

// pipeReader reads from a descriptor.
type pipeReader int

func (p pipeReader) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(p), b)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n == 0 && err == nil && len(b) > 0 {
			err = io.EOF
		}
		return max(n, 0), err
	}
}
