package buddy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"go.uber.org/atomic"
)

// Signs of life: one every pulsePeriod, and the other side is gone when there was none for so many periods.
const (
	pulsePeriod = 15 * time.Second
	mostMissed  = 4
)

// errSilent is why a link ends whose other side is gone.
var errSilent = fmt.Errorf("nothing has come from there for %v", pulsePeriod*mostMissed)

// link is one side's view of the connection. Frames are sent by one goroutine besides the signs of life, and received by one.
type link struct {
	in     *bufio.Reader
	out    io.Writer
	sends  sync.Mutex
	inbox  chan *message
	broken chan struct{} // closed when the link has failed
	once   sync.Once
	err    error // why
	missed atomic.Int32
	waits  atomic.Bool // something is being read
}

// newLink begins to read. What it has begun ends with the link's failure, and when a read of in does.
func newLink(in io.Reader, out io.Writer) *link {
	l := &link{in: bufio.NewReaderSize(in, 64<<10), out: out, inbox: make(chan *message), broken: make(chan struct{})}
	go l.read()
	return l
}

// greet says what each side says first, and begins to give signs of life.
func (l *link) greet(period time.Duration) error {
	err := l.write([]byte(greeting))
	go l.beat(period)
	return err
}

// fail ends the link; the first reason stays.
func (l *link) fail(err error) {
	l.once.Do(func() {
		l.err = err
		close(l.broken)
	})
}

// write sends bytes, between those of other frames.
func (l *link) write(data []byte) error {
	l.sends.Lock()
	defer l.sends.Unlock()
	_, err := l.out.Write(data)
	return err
}

func (l *link) send(m *message) error {
	frame, err := m.encode()
	if err != nil {
		return err
	}
	return l.write(frame)
}

// receive waits for the next message.
func (l *link) receive() (*message, error) {
	select {
	case m := <-l.inbox:
		return m, nil
	case <-l.broken:
		return nil, l.err
	}
}

// expect waits for the next message, which is to be of a kind.
func (l *link) expect(k kind) (*message, error) {
	m, err := l.receive()
	if err != nil {
		return nil, err
	}
	if m.Kind != k {
		return nil, fmt.Errorf("a message of kind %d where one of kind %d is expected", m.Kind, k)
	}
	return m, nil
}

// read takes what comes.
func (l *link) read() {
	err := l.readGreeting()
	for err == nil {
		var m *message
		if m, err = l.readFrame(); err != nil || m.Kind == kindPulse {
			continue
		}
		select {
		case l.inbox <- m:
		case <-l.broken:
			return
		}
	}
	l.fail(err)
}

func (l *link) readGreeting() error {
	l.waits.Store(true)
	defer l.waits.Store(false)
	return readGreeting(l.in)
}

func (l *link) readFrame() (*message, error) {
	l.waits.Store(true)
	m, err := readFrame(l.in)
	l.missed.Store(0)
	l.waits.Store(false)
	return m, err
}

// beat gives signs of life and misses those of the other side. Periods are counted, not measured: a process that was stopped has missed none.
func (l *link) beat(period time.Duration) {
	pulses := make(chan struct{}, 1) // sending may have to wait
	defer close(pulses)
	go func() {
		for range pulses {
			if err := l.send(&message{}); err != nil {
				return // whoever sends or receives will notice
			}
		}
	}()
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-l.broken:
			return
		case <-ticker.C:
		}
		select {
		case pulses <- struct{}{}:
		default:
		}
		if l.waits.Load() && l.missed.Add(1) > mostMissed {
			l.fail(errSilent)
		}
	}
}

// sendFile sends what is read.
func (l *link) sendFile(from io.Reader) (sent uint64, err error) {
	chunk := make([]byte, maxChunk)
	for {
		n, err := io.ReadFull(from, chunk)
		if n > 0 {
			if err := l.send(&message{Kind: kindData, Data: chunk[:n]}); err != nil {
				return sent, err
			}
			sent += uint64(n)
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return sent, nil
		case err != nil:
			return sent, err
		}
	}
}

// body is the bytes of a file that is being received, as a reader.
type body struct {
	l    *link
	left uint64
	data []byte
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if len(b.data) == 0 {
		m, err := b.l.expect(kindData)
		if err != nil {
			return 0, noEnd(err)
		}
		if len(m.Data) == 0 || uint64(len(m.Data)) > b.left {
			return 0, fmt.Errorf("%d bytes where %d are expected", len(m.Data), b.left)
		}
		b.data = m.Data
	}
	n := copy(p, b.data)
	b.data, b.left = b.data[n:], b.left-uint64(n)
	return n, nil
}

// noEnd makes an error of the end of what is read, where more is to come.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
