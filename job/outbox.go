package job

import (
	"errors"
	"net"
	"syscall"

	"ampirun/job/control"
)

// mostUnsent is how many messages may wait for a worker to take them, besides what its socket holds: all that clients can have it asked at once,
// and our own.
const mostUnsent = 2 * control.MostClients

// errFull is why a worker is told nothing more.
var errFull = errors.New("it takes nothing of what it is told")

// outbox passes on what the manager tells a worker, from a goroutine of its own: a worker that stands still takes nothing, and the manager
// must not wait for it. Only the manager's goroutine uses it.
type outbox struct {
	unsent chan parcel
}

// parcel is a message with its descriptors, which must stay open as long as the outbox.
type parcel struct {
	message message
	fds     []int
}

// newOutbox sends over a link. failed is told, by the outbox's goroutine, what goes wrong, but for a worker that has hung up.
func newOutbox(l *link, failed func(error)) *outbox {
	o := &outbox{unsent: make(chan parcel, mostUnsent)}
	go func() {
		for p := range o.unsent {
			if err := l.send(p.message, p.fds...); err != nil {
				if !isHangUp(err) {
					failed(err)
				}
				return
			}
		}
	}()
	return o
}

func isHangUp(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed)
}

// send has a message sent behind all others. It never waits: when too many are unsent it fails. One that has hung up gets nothing, which its
// end will tell.
func (o *outbox) send(m message, fds ...int) error {
	select {
	case o.unsent <- parcel{m, fds}:
		return nil
	default:
		return errFull
	}
}

// close ends it once what is unsent is sent or the link is closed.
func (o *outbox) close() { close(o.unsent) }
