package buddy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestSilence ends a link from whose other side nothing comes.
func TestSilence(t *testing.T) {
	in, never, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer never.Close()
	l := newLink(in, io.Discard)
	if err := l.greet(time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if _, err := l.receive(); !errors.Is(err, errSilent) {
		t.Error(err)
	}
}

// TestPulse reads a sign of life of a link that has nothing else to say; it is no message.
func TestPulse(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	never, end := io.Pipe()
	defer end.Close()
	if err := newLink(never, out).greet(time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if err := readGreeting(in); err != nil {
		t.Fatal(err)
	}
	if m, err := readFrame(in); err != nil || m.Kind != kindPulse {
		t.Fatal(m, err)
	}
	frame, err := (&message{}).encode()
	if err != nil {
		t.Fatal(err)
	}
	done, err := (&message{Kind: kindDone}).encode()
	if err != nil {
		t.Fatal(err)
	}
	l := newLink(io.MultiReader(strings.NewReader(greeting), bytes.NewReader(frame), bytes.NewReader(done)), io.Discard)
	if m, err := l.receive(); err != nil || m.Kind != kindDone {
		t.Error(m, err)
	}
}
