package slicestream

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const testSlice = 8 << 20

// memory makes shared memory with room for a slice at an offset.
func memory(t *testing.T, offset int64) File {
	t.Helper()
	fd, err := unix.MemfdCreate("slice", unix.MFD_CLOEXEC)
	if err == nil {
		err = unix.Ftruncate(fd, offset+testSlice)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return File{fd, offset}
}

func (f File) bytes(t *testing.T) []byte {
	t.Helper()
	b := make([]byte, testSlice)
	if n, err := unix.Pread(f.FD, b, f.Offset); n != len(b) {
		t.Fatal(n, err)
	}
	return b
}

func (f File) isEmpty() bool {
	_, err := unix.Seek(f.FD, f.Offset, unix.SEEK_DATA)
	return errors.Is(err, unix.ENXIO)
}

// fill writes random pages, and lists them: many short extents, and one that is larger than a pipe.
func (f File) fill(t *testing.T) (list []Extent) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{1})
	add := func(offset, length uint64) {
		b := make([]byte, length)
		source.Read(b)
		if _, err := unix.Pwrite(f.FD, b, f.Offset+int64(offset)); err != nil {
			t.Fatal(err)
		}
		list = append(list, Extent{offset, length})
	}
	for i := uint64(0); i < 600; i++ {
		add(2*i*PageSize, PageSize)
	}
	add(5<<20, 3<<20)
	return list
}

func pipe(t *testing.T) (in, out int) {
	t.Helper()
	in, out, err := Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(in) })
	return in, out
}

// TestPipe sends a slice from one memory to another: all of it arrives, and nothing stays.
func TestPipe(t *testing.T) {
	from, to := memory(t, 3*PageSize), memory(t, PageSize)
	list := from.fill(t)
	want := from.bytes(t)
	in, out := pipe(t)
	sent := make(chan error, 1)
	go func() {
		defer unix.Close(out)
		s, err := NewSender(from, out, header1())
		for i := 0; err == nil && i < len(list); i++ {
			err = s.Send(list[i])
		}
		if err == nil {
			_, err = s.End()
		}
		s.Close()
		sent <- err
	}()
	totals, err := Receive(in, to, header1())
	if serr := <-sent; err != nil || serr != nil {
		t.Fatal(err, serr)
	}
	if totals.Bytes != 600*PageSize+3<<20 {
		t.Errorf("%+v have come", totals)
	}
	if !bytes.Equal(to.bytes(t), want) {
		t.Error("what has come is not what was sent")
	}
	if !from.isEmpty() {
		t.Error("pages have stayed")
	}
}

func header1() Header { return Header{Rank: 1, SliceSize: testSlice} }

// TestPipeBreaks ends a stream early, or sends another slice than was expected.
func TestPipeBreaks(t *testing.T) {
	from, to := memory(t, 0), memory(t, 0)
	list := from.fill(t)
	in, out := pipe(t)
	s, err := NewSender(from, out, header1())
	if err == nil {
		err = s.Send(list[0])
	}
	if err == nil {
		err = s.flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	unix.Close(out)
	if _, err := Receive(in, to, header1()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ends early: %v", err)
	}
	in, out = pipe(t)
	if s, err = NewSender(from, out, Header{Rank: 2, SliceSize: testSlice}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	unix.Close(out)
	if _, err := Receive(in, to, header1()); err == nil || !strings.Contains(err.Error(), "another than was expected") {
		t.Errorf("another slice comes: %v", err)
	}
}
