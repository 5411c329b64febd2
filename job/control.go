package job

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// The bounds of what a client may take of a job.
const (
	requestSize = 1 << 10
	requestTime = 5 * time.Second  // to say what it wants
	replyTime   = 10 * time.Second // to take a reply
	mostClients = 256
)

// Request is what a client asks of a job: one line of JSON.
type Request struct {
	Verb string `json:"verb"`
	Args []int  `json:"args,omitempty"`
}

// Reply is one line of the answer, in JSON. The last one has Done set.
type Reply struct {
	Text   string       `json:"text,omitempty"` // for the user
	Status *Status      `json:"status,omitempty"`
	Ranks  []RankStatus `json:"ranks,omitempty"`
	Done   bool         `json:"done,omitempty"`
	Code   int          `json:"code,omitempty"`  // exit code
	Error  string       `json:"error,omitempty"` // why it is not 0
}

// controlAddress is where a job listens: a name that exists without a file, and goes with the process.
func controlAddress(pid int) *net.UnixAddr {
	return &net.UnixAddr{Name: fmt.Sprintf("@%s%d", controlName, pid), Net: "unix"}
}

const (
	controlName   = "ampirun-job-"
	nameSeparator = "." // between the pid and the rest, in names of jobs whose own was taken
)

// listenForClients lets others of this user look at the job and steer it. Where the system does not allow it, signals are left.
func (m *manager) listenForClients() {
	listener, err := net.ListenUnix("unix", controlAddress(os.Getpid()))
	if errors.Is(err, syscall.EADDRINUSE) {
		listener, err = m.listenElsewhere()
	}
	if err != nil {
		return
	}
	go func() {
		<-m.over
		listener.Close()
	}()
	go m.admit(listener)
}

// listenElsewhere takes another name than the job's own, which nobody can foresee, and says who has that.
func (m *manager) listenElsewhere() (*net.UnixListener, error) {
	own := controlAddress(os.Getpid())
	address := &net.UnixAddr{Name: own.Name + nameSeparator + rand.Text(), Net: "unix"}
	listener, err := net.ListenUnix("unix", address)
	if err == nil {
		m.say([]string{fmt.Sprintf("%s has taken the name %s of this job; it listens at another one, which ampirun ctl finds", whoListens(own), own.Name)})
	}
	return listener, err
}

// whoListens describes the process behind a name.
func whoListens(address *net.UnixAddr) string {
	conn, err := (&net.Dialer{Timeout: time.Second}).Dial("unix", address.Name)
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
func (m *manager) admit(listener *net.UnixListener) {
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
		c := &client{m: m, conn: conn, gone: make(chan struct{})}
		if clients.Add(1) > mostClients {
			clients.Add(-1)
			go c.turnAway()
			continue
		}
		go func() {
			defer clients.Add(-1)
			c.serve()
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

// client is somebody who asks something of the job, on a goroutine of its own. The manager's goroutine never waits for it.
type client struct {
	m    *manager
	conn *net.UnixConn
	gone chan struct{} // closed when it has hung up, or says more than it should
}

func (c *client) serve() {
	defer c.conn.Close()
	c.conn.SetReadDeadline(time.Now().Add(requestTime))
	request, err := readRequest(c.conn)
	if err == nil {
		c.conn.SetReadDeadline(time.Time{})
		go c.watch()
		err = c.obey(request)
	}
	c.end(err)
}

// turnAway answers one client too many.
func (c *client) turnAway() {
	defer c.conn.Close()
	c.end(fmt.Errorf("%d others have asked something and not been answered yet", mostClients))
}

// watch waits for the client to hang up.
func (c *client) watch() {
	c.conn.Read(make([]byte, 1))
	close(c.gone)
}

// readRequest takes one line and makes sense of it.
func readRequest(in io.Reader) (*Request, error) {
	line, err := bufio.NewReaderSize(in, requestSize).ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, refuse(CodeUsage, "a request has at most %d bytes", requestSize)
	}
	if err != nil {
		return nil, refuse(CodeUsage, "a request is one line: %v", err)
	}
	return parseRequest(line)
}

func parseRequest(line []byte) (*Request, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	r := new(Request)
	if err := d.Decode(r); err != nil {
		return nil, refuse(CodeUsage, "a request is one object of JSON: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse(CodeUsage, "a request is one object of JSON, and more has come")
	}
	v, known := verbs[r.Verb]
	if !known {
		return nil, refuse(CodeUsage, "this job knows no verb %.40q: it was started by another version of ampirun, perhaps", r.Verb)
	}
	if len(r.Args) != v.args {
		return nil, refuse(CodeUsage, "%s takes %d numbers, and %d have come", r.Verb, v.args, len(r.Args))
	}
	return r, nil
}

// reply sends a line; what fails then is the client's business.
func (c *client) reply(r Reply) {
	line, err := json.Marshal(r)
	if err != nil {
		panic("BUG: reply: " + err.Error())
	}
	c.conn.SetWriteDeadline(time.Now().Add(replyTime))
	c.conn.Write(append(line, '\n'))
}

func (c *client) say(format string, args ...any) { c.reply(Reply{Text: fmt.Sprintf(format, args...)}) }

// end sends the last line.
func (c *client) end(err error) {
	last := Reply{Done: true}
	if err != nil {
		last.Code, last.Error = refusalCode(err), err.Error()
	}
	c.reply(last)
}

// Why a client gets no answer.
var (
	errHungUp  = errors.New("the client has hung up")
	errJobOver = errors.New("the job has ended meanwhile")
)

// on has f run on the manager's goroutine and waits for what it gives to done, which may be called later.
func on[T any](c *client, f func(m *manager, done func(T))) (value T, err error) {
	answer := make(chan T, 1)
	c.m.post(func() { f(c.m, func(value T) { answer <- value }) })
	select {
	case value = <-answer:
		return value, nil
	case <-c.gone:
		return value, errHungUp
	case <-c.m.over:
		return value, errJobOver
	}
}

// outcome is what functions give that may fail.
type outcome[T any] struct {
	value T
	err   error
}
