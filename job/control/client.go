package control

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/internal/refusal"
	"ampirun/internal/wire"
)

// replySize is more bytes than a part of an answer has: that about a million ranks with long names of what they wait for.
const replySize = 1 << 30

// Conversation is a connection to a running job, for one question.
type Conversation struct {
	pid     int // of its ampirun
	conn    *net.UnixConn
	process *process
	uid     int // the job's user
}

// Contact connects to a job of this user. The pid is that of its ampirun or of one of its workers. Errors are *refusal.Refusal.
func Contact(pid int) (*Conversation, error) {
	if isWorkerProcess(pid) {
		pid = ParentOf(pid)
	}
	process, err := openProcess(pid)
	if err != nil {
		return nil, refusal.New(refusal.CodeFailed, "there is no job (%v); its pid is that of ampirun or of a worker (ampirun ctl lists the jobs)", err)
	}
	c := &Conversation{pid: pid, process: process}
	err = c.dial(address(pid).Name)
	if err == nil {
		return c, nil
	}
	for _, name := range otherNames(pid) {
		if c.dial(name) == nil {
			return c, nil
		}
	}
	c.Close()
	return nil, err
}

// dial connects to what listens at a name, if that is the job.
func (c *Conversation) dial(name string) (err error) {
	if c.conn, err = net.DialUnix("unix", nil, &net.UnixAddr{Name: name, Net: "unix"}); err != nil {
		c.conn = nil
		return refusal.New(refusal.CodeFailed, "no job of ampirun answers there; its pid is that of ampirun or of a worker (ampirun ctl lists the jobs)")
	}
	if err = c.checkPeer(); err != nil {
		c.conn.Close()
		c.conn = nil
	}
	return err
}

// otherNames are those that a job may have whose own name was taken.
func otherNames(pid int) (names []string) {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(table)) {
		_, rest, isOne := strings.Cut(strings.TrimSpace(line), " "+address(pid).Name+nameSeparator)
		if isOne && rest != "" {
			names = append(names, address(pid).Name+nameSeparator+rest)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkPeer refuses to talk to anybody but the job: names of sockets are free to all.
func (c *Conversation) checkPeer() error {
	peer, err := peerOf(c.conn)
	if err != nil {
		return refusal.New(refusal.CodeFailed, "job %d: %v", c.pid, err)
	}
	c.uid = int(peer.Uid)
	switch {
	case int(peer.Uid) != os.Geteuid() && os.Geteuid() != 0:
		return refusal.New(refusal.CodeFailed, "job %d belongs to somebody else (user %d)", c.pid, peer.Uid)
	case int(peer.Pid) != c.pid:
		return refusal.New(refusal.CodeFailed, "no job of ampirun answers there: process %d has taken its name", peer.Pid)
	}
	return nil
}

// PID is that of the job's ampirun.
func (c *Conversation) PID() int { return c.pid }

// Close hangs up. The job goes on with what it was asked.
func (c *Conversation) Close() {
	c.process.Close()
	if c.conn != nil {
		c.conn.Close()
	}
}

// IsOwn tells whether it is a job of this user: root may steer all.
func (c *Conversation) IsOwn() bool { return c.uid == os.Geteuid() }

// Name is what the job says about itself without looking at its ranks; only its PID is set when that takes longer than d. It is nil for a
// job that has ended.
func (c *Conversation) Name(d time.Duration) (s *Status) {
	c.Bound(d)
	_, err := c.exchange(Request{Verb: "name"}, func(r Reply) { s = r.Status })
	if isSlow(err) {
		return &Status{PID: c.pid}
	}
	return s
}

func isSlow(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}

// Bound limits how long the conversation may take, from now on.
func (c *Conversation) Bound(d time.Duration) { c.conn.SetDeadline(time.Now().Add(d)) }

// Ask puts the question and shows what comes, until the last part. Errors are *refusal.Refusal.
func (c *Conversation) Ask(r Request, show func(Reply)) error {
	last, err := c.exchange(r, show)
	if err != nil {
		return c.broken(err)
	}
	return last.refusal()
}

// Stop has the job end, shows what comes, and returns when it has ended.
func (c *Conversation) Stop(show func(Reply)) error {
	last, err := c.exchange(Request{Verb: "stop"}, show)
	if err == nil && last.Error != "" {
		return last.refusal()
	}
	return c.process.awaitEnd()
}

func (c *Conversation) exchange(r Request, show func(Reply)) (*Reply, error) {
	c.conn.Write(wire.Frame(r)) // when it is not taken there is a reply that says why, or none
	for in := bufio.NewReader(c.conn); ; {
		reply := new(Reply)
		if err := wire.ReadFrame(in, replySize, reply); err != nil || reply.Done {
			return reply, err
		}
		show(*reply)
	}
}

func (r *Reply) refusal() error { // nil: it was done
	if r.Error == "" {
		return nil
	}
	return refusal.New(max(r.Code, refusal.CodeFailed), "%s", r.Error)
}

// broken says why there is no answer.
func (c *Conversation) broken(err error) error {
	switch {
	case isSlow(err):
		return refusal.New(refusal.CodeFailed, "job %d does not answer: it is suspended, perhaps", c.pid)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, unix.ECONNRESET):
		return refusal.New(refusal.CodeFailed, "job %d has ended meanwhile", c.pid)
	}
	return refusal.New(refusal.CodeFailed, "job %d: %v", c.pid, err)
}

// Backtrace writes where the ranks of a running job are. The pid is that of its ampirun or of one of its workers.
func Backtrace(pid int, out io.Writer) error {
	c, err := Contact(pid)
	if err == nil {
		defer c.Close()
		err = c.Ask(Request{Verb: "backtrace"}, func(r Reply) { fmt.Fprintln(out, r.Text) })
	}
	if err != nil {
		return refusal.New(refusal.CodeUsage, "--backtrace %d: %v", pid, err)
	}
	return nil
}

func isWorkerProcess(pid int) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && strings.HasPrefix(string(line), WorkerName+"\x00")
}

// Jobs are the pids of the jobs of this machine that have a name to be contacted by, ascending; of all users.
func Jobs() ([]int, error) {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil, err
	}
	return jobsIn(string(table)), nil
}

// jobsIn finds them in the kernel's list of sockets, where each connection has the name, too.
func jobsIn(table string) (pids []int) {
	for line := range strings.Lines(table) {
		_, name, isOne := strings.Cut(strings.TrimSpace(line), " @"+namePrefix)
		name, _, _ = strings.Cut(name, nameSeparator)
		if pid, err := strconv.Atoi(name); isOne && err == nil && pid > 0 && strconv.Itoa(pid) == name {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids)
}
