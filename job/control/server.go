package control

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"go.uber.org/atomic"

	"ampirun/internal/refusal"
	"ampirun/internal/wire"
)

// The bounds of what a client may take of a job.
const (
	requestSize = 1 << 10
	requestTime = 5 * time.Second  // to say what it wants
	replyTime   = 10 * time.Second // to take a reply
)

// MostClients is how many there may be at a time.
const MostClients = 256

// Verb is something that clients may ask of a job.
type Verb struct {
	Args  int // numbers that belong to it
	Serve func(c *Client, args []int) error
}

// server takes clients in.
type server struct {
	verbs map[string]Verb
	over  <-chan struct{}
}

// Listen lets others of this user look at this process's job and steer it, until over is closed. Where the system does not allow it, signals are
// left. Verbs are served on goroutines of their own. It gives what is to be said to the user, or "".
func Listen(verbs map[string]Verb, over <-chan struct{}) (notice string) {
	listener, err := net.ListenUnix("unix", address(os.Getpid()))
	if errors.Is(err, syscall.EADDRINUSE) {
		listener, notice, err = listenElsewhere()
	}
	if err != nil {
		return ""
	}
	go func() {
		<-over
		listener.Close()
	}()
	go (&server{verbs, over}).admit(listener)
	return notice
}

// listenElsewhere takes another name than the job's own, which nobody can foresee, and says who has that.
func listenElsewhere() (*net.UnixListener, string, error) {
	own := address(os.Getpid())
	other := &net.UnixAddr{Name: own.Name + nameSeparator + rand.Text(), Net: "unix"}
	listener, err := net.ListenUnix("unix", other)
	return listener, fmt.Sprintf("%s has taken the name %s of this job; it listens at another one, which ampirun ctl finds", whoListens(own), own.Name), err
}

// whoListens describes the process behind a name.
func whoListens(at *net.UnixAddr) string {
	conn, err := (&net.Dialer{Timeout: time.Second}).Dial("unix", at.Name)
	if err != nil {
		return "somebody"
	}
	defer conn.Close()
	peer, err := peerOf(conn.(*net.UnixConn))
	if err != nil {
		return "somebody"
	}
	return fmt.Sprintf("process %d of user %d", peer.Pid, peer.Uid)
}

// admit takes clients in until the listener is closed. Nothing that a stranger sends is read.
func (s *server) admit(listener *net.UnixListener) {
	var clients atomic.Int32
	for {
		conn, err := listener.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // no descriptor is left, for example
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if peer, err := peerOf(conn); err != nil || int(peer.Uid) != os.Geteuid() && peer.Uid != 0 {
			conn.Close()
			continue
		}
		c := &Client{conn: conn, gone: make(chan struct{})}
		if clients.Add(1) > MostClients {
			clients.Add(-1)
			go c.turnAway()
			continue
		}
		go func() {
			defer clients.Add(-1)
			c.serve(s.verbs)
		}()
	}
}

// peerOf says who is at the other end of a connection.
func peerOf(conn *net.UnixConn) (*syscall.Ucred, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var cred *syscall.Ucred
	controlErr := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	return cred, errors.Join(controlErr, err)
}

// Client is somebody who asks something of the job.
type Client struct {
	conn *net.UnixConn
	gone chan struct{} // closed when it has hung up, or says more than it should
}

func (c *Client) serve(verbs map[string]Verb) {
	defer c.conn.Close()
	c.conn.SetReadDeadline(time.Now().Add(requestTime))
	request, err := readRequest(c.conn, verbs)
	if err == nil {
		c.conn.SetReadDeadline(time.Time{})
		go c.watch()
		err = verbs[request.Verb].Serve(c, request.Args)
	}
	c.end(err)
}

// turnAway answers one client too many.
func (c *Client) turnAway() {
	defer c.conn.Close()
	c.end(fmt.Errorf("%d others have asked something and not been answered yet", MostClients))
}

// watch waits for the client to hang up.
func (c *Client) watch() {
	c.conn.Read(make([]byte, 1))
	close(c.gone)
}

// readRequest takes one request and makes sense of it.
func readRequest(in io.Reader, verbs map[string]Verb) (*Request, error) {
	r := new(Request)
	if err := wire.ReadStrict(in, requestSize, r); err != nil {
		return nil, refusal.New(refusal.CodeUsage, "that is no request: %v", err)
	}
	v, known := verbs[r.Verb]
	if !known {
		return nil, refusal.New(refusal.CodeUsage, "this job knows no verb %.40q: it was started by another version of ampirun, perhaps", r.Verb)
	}
	if len(r.Args) != v.Args {
		return nil, refusal.New(refusal.CodeUsage, "%s takes %d numbers, and %d have come", r.Verb, v.Args, len(r.Args))
	}
	return r, nil
}

// Gone is closed when the client has hung up.
func (c *Client) Gone() <-chan struct{} { return c.gone }

// Reply sends a part of the answer; what fails then is the client's business.
func (c *Client) Reply(r Reply) {
	c.conn.SetWriteDeadline(time.Now().Add(replyTime))
	c.conn.Write(wire.Frame(r))
}

// Say sends a line for the user.
func (c *Client) Say(format string, args ...any) { c.Reply(Reply{Text: fmt.Sprintf(format, args...)}) }

// end sends the last part.
func (c *Client) end(err error) {
	last := Reply{Done: true}
	if err != nil {
		last.Code, last.Error = refusal.CodeOf(err), err.Error()
	}
	c.Reply(last)
}
