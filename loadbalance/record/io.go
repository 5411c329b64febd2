package record

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/zstd"
)

// Writer writes a trace. It is used by one goroutine at a time.
type Writer struct {
	header  Header
	out     *zstd.Encoder
	before  *state
	steps   int
	failure error
}

// NewWriter begins a trace.
func NewWriter(to io.Writer, h Header) (*Writer, error) {
	wire := h.wire()
	if _, err := wire.header(); err != nil {
		return nil, err
	}
	if _, err := to.Write(append([]byte(magic), Version)); err != nil {
		return nil, err
	}
	out, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &Writer{header: h, out: out, before: newState(h.Ranks)}
	return w, w.frame(wire)
}

// Write adds a step. It is in the file when Write returns, so that a run that is killed leaves what it wrote. After an
// error the trace is at its end: every further call gives the same error.
func (w *Writer) Write(s *Step) error {
	if w.failure == nil {
		if w.failure = s.check(&w.header); w.failure == nil {
			w.failure = w.frame(w.before.encode(s))
		}
		if w.failure != nil {
			w.failure = fmt.Errorf("step %d: %w", w.steps, w.failure)
		}
		w.steps++
	}
	return w.failure
}

func (w *Writer) frame(value any) error {
	content, err := cbor.Marshal(value)
	if err != nil {
		return err
	}
	if len(content) > maxFrame {
		return fmt.Errorf("%d bytes are more than a trace can hold of one step", len(content))
	}
	if _, err := w.out.Write(binary.AppendUvarint(nil, uint64(len(content)))); err != nil {
		return err
	}
	if _, err := w.out.Write(content); err != nil {
		return err
	}
	return w.out.Flush()
}

// Close ends the trace. It does not close what the trace is written to.
func (w *Writer) Close() error { return w.out.Close() }

// Reader reads a trace. It is used by one goroutine at a time.
type Reader struct {
	Header *Header

	in      *zstd.Decoder
	buffer  *bufio.Reader
	before  *state
	steps   int
	failure error
}

// NewReader reads a trace's header. What is not a trace, or one of another version, is named.
func NewReader(from io.Reader) (*Reader, error) {
	start := make([]byte, len(magic)+1)
	if _, err := io.ReadFull(from, start); err != nil || string(start[:len(magic)]) != magic {
		return nil, errors.New("it is not a trace of ampirun lb record")
	}
	if version := start[len(magic)]; version != Version {
		return nil, fmt.Errorf("it is a trace of version %d; this program reads version %d", version, Version)
	}
	in, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, err
	}
	r := &Reader{in: in, buffer: bufio.NewReader(in)}
	if r.Header, err = r.readHeader(); err != nil {
		in.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reader) readHeader() (*Header, error) {
	var w wireHeader
	if err := r.frame(&w); err == io.EOF {
		return nil, ErrCut
	} else if err != nil {
		return nil, err
	}
	return w.header()
}

// Next reads a step. At the end it gives io.EOF, or ErrCut if the trace ends in the middle; after an error, the same
// again. What it gave before stays as it is; steps may share the memory of their graphs, which is not to be changed.
func (r *Reader) Next() (s *Step, err error) {
	if r.failure == nil {
		if s, r.failure = r.next(); r.failure == nil {
			r.steps++
		} else if r.failure != io.EOF {
			r.failure = fmt.Errorf("step %d: %w", r.steps, r.failure)
		}
	}
	return s, r.failure
}

func (r *Reader) next() (*Step, error) {
	var w wireStep
	if err := r.frame(&w); err != nil {
		return nil, err
	}
	if len(w.Load) != r.Header.Ranks { // before memory is taken for as many ranks as the header claims
		return nil, fmt.Errorf("it has %d loads of %d ranks", len(w.Load), r.Header.Ranks)
	}
	if r.before == nil {
		r.before = newState(r.Header.Ranks)
	}
	s, err := r.before.decode(&w)
	if err != nil {
		return nil, err
	}
	if err := s.check(r.Header); err != nil {
		return nil, err
	}
	return s, nil
}

// frame reads one frame; io.EOF only where none begins.
func (r *Reader) frame(value any) error {
	size, err := binary.ReadUvarint(r.buffer)
	if err == io.EOF {
		return err
	}
	if err == io.ErrUnexpectedEOF {
		return ErrCut
	}
	if err != nil {
		return err
	}
	if size > maxFrame {
		return fmt.Errorf("a frame of %d bytes", size)
	}
	var content bytes.Buffer // grows as bytes arrive: the size may be a lie
	if n, err := io.CopyN(&content, r.buffer, int64(size)); err != nil {
		if n < int64(size) && (err == io.EOF || err == io.ErrUnexpectedEOF) {
			return ErrCut
		}
		return err
	}
	return decoding.Unmarshal(content.Bytes(), value)
}

// Close gives up what reading holds. It does not close what the trace is read from.
func (r *Reader) Close() { r.in.Close() }
