package job

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"

	"ampirun/internal/wire"
)

// link is one end of a control connection: messages over a Unix socket, which also carries descriptors. send may be
// called from any goroutine, receive from one.
type link struct {
	mu     sync.Mutex
	conn   *net.UnixConn
	in     *bufio.Reader
	rights [][]int // descriptors that came with messages that were not received yet
}

// newLink takes over the socket file.
func newLink(file *os.File) (*link, error) {
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("open control link: %w", err)
	}
	l := &link{conn: conn.(*net.UnixConn)}
	l.in = bufio.NewReaderSize(rightsReader{l}, 16<<10)
	return l, nil
}

// socketPair makes the two ends of a control link; both close on exec.
func socketPair() (ours *link, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("create control link: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "control")
	if ours, err = newLink(os.NewFile(uintptr(fds[0]), "control")); err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// send writes m; the descriptors go with its first byte.
func (l *link) send(m message, fds ...int) error {
	m.Rights = len(fds)
	frame := wire.Frame(m)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(fds) > 0 {
		n, _, err := l.conn.WriteMsgUnix(frame, syscall.UnixRights(fds...), nil)
		if err != nil {
			return err
		}
		frame = frame[n:]
	}
	_, err := l.conn.Write(frame)
	return err
}

// receive returns the next message; io.EOF when the other side has closed. With it come its descriptors, close on exec, or as many of the first
// ones as this process has numbers for.
func (l *link) receive() (m message, err error) {
	if err = wire.ReadFrame(l.in, maxMessage, &m); err != nil {
		l.drop()
		return m, err
	}
	if m.Rights > 0 && len(l.rights) > 0 {
		m.fds, l.rights = l.rights[0], l.rights[1:]
	}
	return m, nil
}

// maxMessage is more bytes than a message has, that about the files of a million ranks included: what says more is none.
const maxMessage = 1 << 30

// maxRights is how many descriptors one message may bring: so many the kernel takes.
const maxRights = 253

// rightsReader reads the bytes of a link and keeps the descriptors that come with them.
type rightsReader struct{ *link }

func (r rightsReader) Read(p []byte) (int, error) {
	oob := make([]byte, syscall.CmsgSpace(4*maxRights))
	n, oobn, flags, _, err := r.conn.ReadMsgUnix(p, oob)
	if oobn > 0 || flags&syscall.MSG_CTRUNC != 0 {
		r.rights = append(r.rights, rightsIn(oob[:oobn]))
	}
	if errors.Is(err, io.EOF) {
		err = io.EOF
	}
	return max(n, 0), err
}

// rightsIn are the descriptors of one message: no two come together.
func rightsIn(oob []byte) (all []int) {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for i := range messages {
		if fds, err := syscall.ParseUnixRights(&messages[i]); err == nil {
			all = append(all, fds...)
		}
	}
	return all
}

// drop closes descriptors whose messages are not received any more.
func (l *link) drop() {
	for _, fds := range l.rights {
		closeAll(fds)
	}
	l.rights = nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		syscall.Close(fd)
	}
}

func (l *link) close() { l.conn.Close() }
