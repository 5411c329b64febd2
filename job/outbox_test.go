package job

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestOutboxNeverWaits sends to somebody who reads nothing, and has them read then: all that was taken comes, in order.
func TestOutboxNeverWaits(t *testing.T) {
	ours, theirs := linkPair(t)
	o := newOutbox(ours, func(err error) { t.Error(err) })
	file, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	taken := 0
	for full := 0; full < 3; taken++ {
		m := message{Kind: kindTrace, Number: taken, Text: strings.Repeat("x", 100*taken)}
		if err = o.send(m, int(file.Fd())); err != nil {
			full++
			taken--
		}
	}
	if !errors.Is(err, errFull) || taken <= mostUnsent {
		t.Errorf("%d messages are taken, then %v", taken, err)
	}
	for i := range taken {
		m, err := theirs.receive()
		if err != nil || m.Number != i || len(m.Text) != 100*i {
			t.Fatalf("message %d: number %d, %d bytes, %v", i, m.Number, len(m.Text), err)
		}
		if len(m.fds) != 1 {
			t.Fatalf("message %d: descriptors %v", i, m.fds)
		}
		closeAll(m.fds)
	}
	o.close()
	ours.close()
	if m, err := theirs.receive(); !errors.Is(err, io.EOF) {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestOutboxFails checks what is told of a link that does not work: nothing if the other end has hung up.
func TestOutboxFails(t *testing.T) {
	ours, theirs := linkPair(t)
	theirs.close()
	ended := make(chan error, 1)
	o := newOutbox(ours, func(err error) { ended <- err })
	for o.send(message{Kind: kindPing}) == nil {
	}
	ours.close()
	ours, theirs = linkPair(t)
	defer theirs.close()
	o = newOutbox(ours, func(err error) { ended <- err })
	o.send(message{Kind: kindPing}, 1<<20) // there is no such descriptor
	if err := <-ended; !errors.Is(err, syscall.EBADF) {
		t.Errorf("a message that cannot be sent gives %v", err)
	}
	ours.close()
}

func linkPair(t *testing.T) (a, b *link) {
	t.Helper()
	a, file, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	if b, err = newLink(file); err != nil {
		t.Fatal(err)
	}
	return a, b
}
