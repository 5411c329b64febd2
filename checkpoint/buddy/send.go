package buddy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.uber.org/atomic"

	"ampirun/checkpoint"
)

// Sender is a link to a directory on another node, and the process that it goes through. It is used by one goroutine.
type Sender struct {
	*link
	command []string
	process *exec.Cmd
	input   io.Closer
	output  io.Closer
	said    tail
	ended   chan struct{} // closed when the process has ended
	detach  func() bool   // from the context
	ready   atomic.Bool   // the receiver has been
	newest  uint64        // what was there then
}

// Hello is what the other side has to know.
type Hello struct {
	Owner   string // who works with the directory there, for the message to others
	Keep    int    // complete checkpoints that stay; 0: 2
	Program string // path of ampirun, where the environment names none
}

// endTime is how long the process has to end by itself, and closeTime how long something else may keep its standard error open.
const (
	endTime   = 2 * time.Second
	closeTime = time.Second
)

// Connect starts a receiver for a directory on another node, and waits until it is ready. The process is started with start, which tells
// nobody of it; it ends with the sender, at the latest when this process does. When ctx is done, whatever the sender waits for fails.
func Connect(ctx context.Context, t Target, h Hello, start func(*exec.Cmd) error) (*Sender, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s := &Sender{command: t.command(h.Program), ended: make(chan struct{})}
	s.process = exec.Command(s.command[0], s.command[1:]...)
	s.process.Stderr = &s.said
	s.process.WaitDelay = closeTime
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // keys that end or stop the job are not for it
	input, err := s.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.input, s.output = input, output
	if err := start(s.process); err != nil {
		return nil, err
	}
	s.link = newLink(output, input)
	s.detach = context.AfterFunc(ctx, func() { s.fail(context.Cause(ctx)) })
	go s.watch()
	if err := s.begin(&h); err != nil {
		return nil, s.explain(err)
	}
	return s, nil
}

// watch ends what is left of a link that has failed.
func (s *Sender) watch() {
	<-s.broken
	s.detach()
	s.input.Close()
	rest := endTime
	if !s.ready.Load() && !isEnd(s.err) {
		rest = 0 // it has nothing to tidy up
	}
	kill := time.AfterFunc(rest, s.kill)
	_ = s.process.Wait() // or the job's reaper has; what matters was said
	kill.Stop()
	close(s.ended)
}

// kill ends the process and what it has started.
func (s *Sender) kill() {
	syscall.Kill(-s.process.Process.Pid, syscall.SIGKILL)
	s.output.Close()
}

func (s *Sender) begin(h *Hello) error {
	if err := s.greet(pulsePeriod); err != nil {
		return err
	}
	if err := s.send(&message{Kind: kindHello, Owner: h.Owner, Keep: h.Keep}); err != nil {
		return err
	}
	m, err := s.answer(kindReady)
	if err != nil {
		return err
	}
	s.newest = m.Number
	s.ready.Store(true)
	return nil
}

// Newest is the number of the newest checkpoint that was there when the link was made; 0: there was none.
func (s *Sender) Newest() uint64 { return s.newest }

// Refused is what the receiver has said when it ended.
type Refused struct{ text string }

func (r *Refused) Error() string { return r.text }

// answer waits for what is expected next.
func (s *Sender) answer(k kind) (*message, error) {
	m, err := s.receive()
	switch {
	case err != nil:
		return nil, err
	case m.Kind == kindFailed:
		return nil, &Refused{m.Text}
	case m.Kind == kindNewer:
		return nil, &checkpoint.NotNewer{Newest: m.Number}
	case m.Kind != k:
		return nil, fmt.Errorf("a message of kind %d where one of kind %d is expected", m.Kind, k)
	}
	return m, nil
}

// Send copies a checkpoint, and returns when it is safe there; sent is how many bytes its new files have. After an error the link is closed,
// unless it is a *checkpoint.NotNewer.
func (s *Sender) Send(f *checkpoint.Files) (sent uint64, err error) {
	sent, err = s.offer(f)
	if older := new(checkpoint.NotNewer); errors.As(err, &older) {
		older.Number = f.Number
		return 0, older
	}
	if err != nil {
		return 0, s.explain(err)
	}
	return sent, nil
}

func (s *Sender) offer(f *checkpoint.Files) (sent uint64, err error) {
	manifest, err := f.Manifest()
	if err != nil {
		return 0, err
	}
	if err := s.send(&message{Kind: kindOffer, Size: uint64(len(manifest))}); err != nil {
		return 0, err
	}
	if _, err := s.sendFile(bytes.NewReader(manifest)); err != nil {
		return 0, err
	}
	want, err := s.answer(kindWant)
	if err != nil {
		return 0, err
	}
	for _, name := range want.Names {
		in, _, err := f.Open(name)
		if err != nil {
			return 0, err
		}
		n, err := s.sendFile(in)
		if err != nil {
			return 0, err
		}
		sent += n
	}
	_, err = s.answer(kindDone)
	return sent, err
}

// explain closes the link, and finds out why it has failed: what the receiver says counts most, then what the remote shell has said.
func (s *Sender) explain(err error) error {
	if isEnd(err) {
		err = s.lastWord(err)
	}
	if failure := s.failure(); failure != nil && isEnd(err) {
		err = failure
	}
	s.Close()
	switch said := s.said.lastLine(); {
	case !isEnd(err):
		return err
	case said != "":
		return errors.New(said)
	}
	return fmt.Errorf("%s has ended without a word", s.command[0])
}

// isEnd tells whether an error says no more than that the other side has ended.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

// lastWord is what a receiver that has ended has said last, if it was an error.
func (s *Sender) lastWord(err error) error {
	for {
		m, failed := s.receive()
		switch {
		case failed != nil:
			return err
		case m.Kind == kindFailed:
			return &Refused{m.Text}
		}
	}
}

// failure is why the link has failed; nil if it has not.
func (s *Sender) failure() error {
	select {
	case <-s.broken:
		return s.err
	default:
		return nil
	}
}

// Close ends the receiver, and waits for the process.
func (s *Sender) Close() {
	s.fail(io.EOF)
	<-s.ended
}

// tail is the end of what a process says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 2048

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(p), nil
}

func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.FieldsFunc(string(t.text), func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			return line
		}
	}
	return ""
}
