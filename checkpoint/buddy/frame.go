package buddy

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"ampirun/internal/wire"
)

// greeting is what each side says first; its last byte is the version.
const greeting = "AMPIBUD1"

// maxChunk is how many bytes of a file go into a frame, and maxFrame the size of the largest frame.
const (
	maxChunk = 1 << 20
	maxFrame = maxChunk + 1<<16
)

// kind is what a message says.
type kind uint8

const (
	kindPulse  kind = iota // a sign of life
	kindHello              // Owner, Keep: the sender wants the directory
	kindReady              // it has it; Number: the newest checkpoint there, or 0
	kindOffer              // Size of a checkpoint's manifest, which follows
	kindData               // Data: the next bytes
	kindWant               // Names: files to send, one after the other
	kindDone               // Number: the checkpoint is safe
	kindNewer              // Number: it is not taken, since there is one that is not older
	kindFailed             // Text: the receiver ends
	kinds
)

// message is what is in a frame.
type message struct {
	Kind   kind     `cbor:"kind"`
	Owner  string   `cbor:"owner,omitempty"`
	Keep   int      `cbor:"keep,omitempty"`
	Size   uint64   `cbor:"size,omitempty"` // bytes
	Data   []byte   `cbor:"data,omitempty"`
	Names  []string `cbor:"names,omitempty"`
	Number uint64   `cbor:"number,omitempty"`
	Text   string   `cbor:"text,omitempty"`
}

// encode makes a frame.
func (m *message) encode() ([]byte, error) {
	frame := wire.Frame(m)
	if len(frame) > 4+maxFrame {
		return nil, fmt.Errorf("%d bytes are too much for a frame", len(frame))
	}
	return frame, nil
}

// readFrame reads a message; io.EOF only where none begins.
func readFrame(in io.Reader) (*message, error) {
	var m message
	if err := wire.ReadFrame(in, maxFrame, &m); err != nil {
		return nil, err
	}
	if m.Kind >= kinds {
		return nil, fmt.Errorf("a message of kind %d", m.Kind)
	}
	return &m, nil
}

// readGreeting reads what the other side says first.
func readGreeting(in io.Reader) error {
	text := make([]byte, len(greeting))
	n, err := io.ReadFull(in, text)
	switch last := len(greeting) - 1; {
	case n == 0:
		return err
	case string(text) == greeting:
		return nil
	case n > last && string(text[:last]) == greeting[:last]:
		return errors.New("ampirun has another version there")
	}
	return fmt.Errorf("it begins with %s instead of ampirun's greeting (login scripts must be silent)", strconv.QuoteToASCII(string(text[:n])))
}
