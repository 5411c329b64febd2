package job

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ampirun/vrank"
)

// traceTime is how long workers may take to say where their ranks are: thousands of stacks, with little of a core. One that cannot say it
// notices that before.
const traceTime = 15 * time.Second

// inquiry is a question to all workers that is under way. Several who ask meanwhile get the same answer.
type inquiry struct {
	waiting map[*worker]bool
	traces  []*vrank.Trace
	asked   []func(traces []*vrank.Trace)
}

// trace asks all workers where their ranks are; done is called once, on the manager's goroutine.
func (m *manager) trace(done func(traces []*vrank.Trace)) {
	if m.inquiry != nil {
		m.inquiry.asked = append(m.inquiry.asked, done)
		return
	}
	q := &inquiry{waiting: map[*worker]bool{}, asked: []func([]*vrank.Trace){done}}
	m.inquiry = q
	for _, w := range m.workers {
		if m.launched && w.alive() && !w.silent && !w.done && w.link.send(message{Kind: kindTrace}) == nil {
			q.waiting[w] = true
		}
	}
	time.AfterFunc(traceTime, func() { m.post(func() { m.answer(q) }) })
	m.answerWhenComplete()
}

// traced takes a worker's answer.
func (m *manager) traced(w *worker, t *vrank.Trace) {
	switch {
	case t == nil:
	case t.Unasked:
		m.say(m.describe([]*vrank.Trace{t}))
	case m.inquiry != nil && m.inquiry.waiting[w]:
		t.PE = w.pe
		m.inquiry.traces = append(m.inquiry.traces, t)
		delete(m.inquiry.waiting, w)
		m.answerWhenComplete()
	}
}

// leftInquiry notes that a worker will not answer any more.
func (m *manager) leftInquiry(w *worker) {
	if m.inquiry != nil && m.inquiry.waiting[w] {
		delete(m.inquiry.waiting, w)
		m.answerWhenComplete()
	}
}

func (m *manager) answerWhenComplete() {
	if m.inquiry != nil && len(m.inquiry.waiting) == 0 {
		m.answer(m.inquiry)
	}
}

// answer hands out what has come.
func (m *manager) answer(q *inquiry) {
	if m.inquiry != q {
		return
	}
	m.inquiry = nil
	for w := range q.waiting {
		q.traces = append(q.traces, &vrank.Trace{PE: w.pe, Problem: fmt.Sprintf("(pid %d) does not answer", w.pid)})
	}
	for _, done := range q.asked {
		done(q.traces)
	}
}

// describe turns traces into lines.
func (m *manager) describe(traces []*vrank.Trace) []string {
	lines := []string{fmt.Sprintf("job %d: %s, %d ranks in %d workers", os.Getpid(), filepath.Base(m.program), m.opt.Ranks, m.opt.Workers)}
	return append(lines, m.symbols.Describe(traces, true)...)
}

// say prints lines of our own on standard error, behind what ranks have written.
func (m *manager) say(lines []string) {
	m.out.endLine(streamErr)
	for _, line := range lines {
		fmt.Fprintf(m.opt.Stderr, "ampirun: %s\n", line)
	}
}

// ---- the question from outside: ampirun --backtrace PID ----

// inquiryAddress is where a job listens: a name that exists without a file, and goes with the process.
func inquiryAddress(pid int) *net.UnixAddr {
	return &net.UnixAddr{Name: fmt.Sprintf("@ampirun-job-%d", pid), Net: "unix"}
}

// listenForInquiries lets others of this user ask where the ranks are. Where the system does not allow it, SIGUSR1 is left.
func (m *manager) listenForInquiries() {
	listener, err := net.ListenUnix("unix", inquiryAddress(os.Getpid()))
	if err != nil {
		return
	}
	go func() {
		<-m.over
		listener.Close()
	}()
	go func() {
		for {
			conn, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			m.answerTo(conn)
		}
	}()
}

func (m *manager) answerTo(conn *net.UnixConn) {
	if uid, err := peerUser(conn); err != nil || uid != os.Geteuid() && uid != 0 {
		conn.Close()
		return
	}
	m.post(func() {
		m.trace(func(traces []*vrank.Trace) {
			lines := m.describe(traces)
			go func() {
				defer conn.Close()
				conn.SetDeadline(time.Now().Add(traceTime))
				io.WriteString(conn, strings.Join(lines, "\n")+"\n")
			}()
		})
	})
}

func peerUser(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *syscall.Ucred
	controlErr := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err = errors.Join(controlErr, err); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// Backtrace writes where the ranks of a running job are. The pid is that of its ampirun or of one of its workers.
func Backtrace(pid int, out io.Writer) error {
	if isWorkerProcess(pid) {
		pid = parentOf(pid)
	}
	conn, err := net.DialUnix("unix", nil, inquiryAddress(pid))
	if err != nil {
		return refuse(CodeUsage, "--backtrace %d: no job of ampirun answers there (%v); its pid is that of ampirun or of a worker", pid, errors.Unwrap(err))
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(4 * traceTime))
	in := bufio.NewReader(conn)
	if n, err := io.Copy(out, in); err != nil || n == 0 {
		return fmt.Errorf("--backtrace %d: the job belongs to somebody else, or has ended meanwhile", pid)
	}
	return nil
}

func isWorkerProcess(pid int) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && strings.HasPrefix(string(line), workerName+"\x00")
}
