package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestRequests checks which lines are understood, and what the others are answered.
func TestRequests(t *testing.T) {
	rows := []struct{ line, says string }{
		{`{"verb":"status"}`, ""},
		{`{"verb":"migrate","args":[3,1]}`, ""},
		{` { "args" : [ 3 ] , "verb" : "scale" } `, ""},
		{``, "one object of JSON"},
		{`status`, "one object of JSON"},
		{`null`, `no verb ""`},
		{`{}`, `no verb ""`},
		{`[]`, "one object of JSON"},
		{`{"verb":"status"} {"verb":"stop"}`, "more has come"},
		{`{"verb":"status"}x`, "more has come"},
		{`{"verb":"sta`, "one object of JSON"},
		{`{"verb":"dance"}`, `no verb "dance"`},
		{`{"verb":"status","now":true}`, "unknown field"},
		{`{"verb":["status"]}`, "one object of JSON"},
		{`{"verb":"status","args":[1]}`, "status takes 0 numbers, and 1 have come"},
		{`{"verb":"migrate","args":[1]}`, "migrate takes 2 numbers, and 1 have come"},
		{`{"verb":"migrate","args":[1,2.5]}`, "one object of JSON"},
		{`{"verb":"migrate","args":["1","2"]}`, "one object of JSON"},
		{`{"verb":"scale","args":[99999999999999999999]}`, "one object of JSON"},
		{"\x00\xff\xfe", "one object of JSON"},
		{strings.Repeat("[", requestSize-1), "one object of JSON"},
		{strings.Repeat(" ", requestSize), "at most"},
		{`{"verb":"` + strings.Repeat("x", requestSize) + `"}`, "at most"},
	}
	for _, r := range rows {
		request, err := readRequest(strings.NewReader(r.line + "\n"))
		switch {
		case r.says == "" && (err != nil || verbs[request.Verb].serve == nil):
			t.Errorf("%.80q: %v", r.line, err)
		case r.says != "" && (err == nil || !strings.Contains(err.Error(), r.says)):
			t.Errorf("%.80q: error %v, want one with %q", r.line, err, r.says)
		}
	}
	for _, half := range []string{"", `{"verb":"status"}`, `{"verb":`, strings.Repeat("x", requestSize-1)} {
		if _, err := readRequest(strings.NewReader(half)); err == nil || !strings.Contains(err.Error(), "one line") {
			t.Errorf("%.80q without an end: error %v", half, err)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"verb":"migrate","args":[3,1]}` + "\n"))
	f.Add([]byte(`{"verb":"status"}` + "\nmore"))
	f.Add([]byte("\xff\x00\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readRequest(bytes.NewReader(data))
		if (r == nil) == (err == nil) {
			t.Fatalf("%q: %v, %v", data, r, err)
		}
		if err == nil && (verbs[r.Verb].serve == nil || len(r.Args) != verbs[r.Verb].args) {
			t.Fatalf("%q: %+v", data, r)
		}
		if err != nil && refusalCode(err) != CodeUsage {
			t.Fatalf("%q: %v", data, err)
		}
	})
}

// TestJobsIn checks how jobs are found among the sockets of a machine.
func TestJobsIn(t *testing.T) {
	const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 12345 @ampirun-job-4711
0000000000000000: 00000003 00000000 00000000 0001 03 12346 @ampirun-job-4711
0000000000000000: 00000003 00000000 00000000 0001 03 12347
0000000000000000: 00000002 00000000 00010000 0001 01 12348 @ampirun-job-12
0000000000000000: 00000002 00000000 00010000 0001 01 12349 @ampirun-job-012
0000000000000000: 00000002 00000000 00010000 0001 01 12350 @ampirun-job--3
0000000000000000: 00000002 00000000 00010000 0001 01 12351 @ampirun-job-5x
0000000000000000: 00000002 00000000 00010000 0001 01 12352 /run/@ampirun-job-6

`
	if got := jobsIn(table); !slices.Equal(got, []int{12, 4711}) {
		t.Errorf("jobs %v", got)
	}
}

// ---- jobs that run ----

// startHanging starts a job whose workers wait for the end.
func startHanging(t *testing.T) *runningManager { return startLive(t, nil, "hang").workers() }

// contact connects to a job.
func (l *runningManager) contact() *Conversation {
	l.t.Helper()
	c, err := Contact(l.cmd.Process.Pid)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(c.Close)
	return c
}

// ask asks a job something, and gathers what it says.
func (l *runningManager) ask(verb string, args ...int) (all []Reply, err error) {
	l.t.Helper()
	err = l.contact().Ask(Request{Verb: verb, Args: args}, func(r Reply) { all = append(all, r) })
	return all, err
}

func (l *runningManager) mustAsk(verb string, args ...int) Reply {
	l.t.Helper()
	all, err := l.ask(verb, args...)
	if err != nil || len(all) != 1 {
		l.t.Fatalf("%s %v: %+v, %v", verb, args, all, err)
	}
	return all[0]
}

// stop ends the job, and checks that it has ended well.
func (l *runningManager) stop() {
	l.t.Helper()
	if err := l.contact().Stop(func(Reply) {}); err != nil {
		l.t.Error(err)
	}
	if code, stderr := l.end(); code != 143 || stderr != "ampirun: the job was ended by SIGTERM\n" {
		l.t.Errorf("code %d, stderr %q", code, stderr)
	}
}

// expectAlive checks that a job still does what it is asked.
func (l *runningManager) expectAlive() {
	l.t.Helper()
	if s := l.mustAsk("status").Status; s.State != "runs" || s.Problem != "" {
		l.t.Errorf("%+v", s)
	}
}

func TestControlStatus(t *testing.T) {
	l := startHanging(t)
	s := l.mustAsk("status").Status
	want := []WorkerStatus{{PE: 0, PID: l.pids[0], Alive: true, Ranks: 2}, {PE: 1, PID: l.pids[1], Alive: true, Ranks: 1}}
	if s.PID != l.cmd.Process.Pid || s.Program != "true" || s.Ranks != 4 || s.Ended != 1 || s.State != "runs" || !slices.Equal(s.Workers, want) ||
		s.Moves != 3 || s.Stolen != 1 || s.Steal || s.Checkpoints != nil || s.Problem != "" || s.Running <= 0 {
		t.Errorf("%+v", s)
	}
	if ranks := l.mustAsk("ranks").Ranks; len(ranks) != 4 || ranks[2].PE != 1 || !ranks[3].Ended {
		t.Errorf("%+v", ranks)
	}
	if s := l.contact().Name(patience); s == nil || s.Program != "true" || len(s.Workers) != 2 {
		t.Errorf("%+v", s)
	}
	if pids, err := Jobs(); err != nil || !slices.Contains(pids, l.cmd.Process.Pid) {
		t.Errorf("jobs %v, %v", pids, err)
	}
	c, err := Contact(l.pids[1])
	if err != nil || c.PID() != l.cmd.Process.Pid || !c.IsOwn() {
		t.Errorf("contact by way of a worker: %v", err)
	}
	c.Close()
	l.stop()
	if _, err := Contact(l.cmd.Process.Pid); err == nil {
		t.Error("a job that has ended can be contacted")
	}
}

func TestControlMigrate(t *testing.T) {
	l := startHanging(t)
	if r := l.mustAsk("migrate", 0, 1); r.Text != "rank 0 is on PE 1 now" {
		t.Errorf("%+v", r)
	}
	if r := l.mustAsk("migrate", 1, 0); r.Text != "rank 1 is on PE 0 already" {
		t.Errorf("%+v", r)
	}
	l.expectRefusal(1, "rank 3 stays: it likes it there", "migrate", 3, 0)
	l.expectRefusal(2, "there is no rank 4: the job has ranks 0 to 3", "migrate", 4, 0)
	l.expectRefusal(2, "there is no rank -1: the job has ranks 0 to 3", "migrate", -1, 0)
	l.expectRefusal(2, "there is no PE 2: the job has PEs 0 to 1", "migrate", 0, 2)
	l.expectRefusal(2, "the job has no directory for checkpoints: it was started without +ckpt DIR", "checkpoint")
	l.stop()
}

func (l *runningManager) expectRefusal(code int, text, verb string, args ...int) {
	l.t.Helper()
	_, err := l.ask(verb, args...)
	var r *Refusal
	if !errors.As(err, &r) || r.Code != code || r.Text != text {
		l.t.Errorf("%s %v: %v, want code %d, %q", verb, args, err, code, text)
	}
}

func TestControlScale(t *testing.T) {
	l := startHanging(t)
	if r := l.mustAsk("scale", 2); r.Text != "the job has 2 workers already" {
		t.Errorf("%+v", r)
	}
	l.expectRefusal(2, "0 workers: the job has 4 ranks, and takes 1 to 4", "scale", 0)
	l.expectRefusal(2, "5 workers: the job has 4 ranks, and takes 1 to 4", "scale", 5)
	l.stop()
	l = startLive(t, func(o *Options) { o.Heap = HeapHost }, "hang").workers()
	l.expectRefusal(2, "ranks cannot be given to new workers when their heap is not in their slices (+heap host, or AMPI_HEAP=host): leave that out", "scale", 1)
	l.expectRefusal(2, "ranks cannot move when their heap is not in their slices (+heap host, or AMPI_HEAP=host)", "migrate", 0, 1)
	l.stop()
}

// TestControlLongMove has clients wait for a rank that does not arrive: those who want it elsewhere than the first one are refused, the others
// wait. Some hang up.
func TestControlLongMove(t *testing.T) {
	l := startHanging(t)
	refused := make(chan error, 6)
	var wg sync.WaitGroup
	for i := range 6 {
		fmt.Fprintf(l.dial(), `{"verb":"migrate","args":[2,%d]}`+"\n", i%2)
		c := l.contact()
		wg.Go(func() { refused <- c.Ask(Request{Verb: "migrate", Args: []int{2, i % 2}}, func(Reply) {}) })
		hasty := l.dial()
		fmt.Fprintf(hasty, `{"verb":"migrate","args":[2,%d]}`+"\n", i%2)
		hasty.Close()
	}
	for range 3 {
		if err := fmt.Sprint(<-refused); err != "rank 2 has been sent to PE 0 and has not arrived" && err != "rank 2 has been sent to PE 1 and has not arrived" {
			t.Error(err)
		}
	}
	l.expectAlive()
	l.stop()
	for range 3 {
		if err := <-refused; err == nil {
			t.Error("the rank has arrived")
		}
	}
	wg.Wait()
}

// dial connects to a job without our client.
func (l *runningManager) dial() net.Conn {
	l.t.Helper()
	conn, err := net.DialUnix("unix", nil, controlAddress(l.cmd.Process.Pid))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { conn.Close() })
	return conn
}

// TestControlGarbage sends what no client would.
func TestControlGarbage(t *testing.T) {
	l := startHanging(t)
	for _, text := range []string{"\n", "hello\n", "{}\n", strings.Repeat("x", 1<<20), "\x00\x01\x02\n", `{"verb":"stop","args":[1]}` + "\n", `{"verb":"kill"}` + "\n"} {
		conn := l.dial()
		conn.Write([]byte(text)) // may not be taken to its end
		answer, _ := io.ReadAll(conn)
		if !strings.Contains(string(answer), `"done":true,"code":2,"error":"`) && len(text) < requestSize {
			t.Errorf("%.40q is answered %q", text, answer)
		}
	}
	for range 50 { // half a line, and gone; a line, and gone before the answer; more after a line
		fmt.Fprint(l.dial(), `{"verb":"stop`)
		closing := l.dial()
		fmt.Fprintln(closing, `{"verb":"status"}`)
		closing.Close()
		fmt.Fprint(l.dial(), `{"verb":"status"}`+"\n"+`{"verb":"stop"}`+"\n")
	}
	l.expectAlive()
	l.stop()
}

// TestControlSilentClients checks that clients that say nothing hold up neither the job nor, for ever, others.
func TestControlSilentClients(t *testing.T) {
	l := startHanging(t)
	var silent []net.Conn
	for range mostClients - 10 {
		silent = append(silent, l.dial())
	}
	l.expectAlive()
	for range 100 {
		silent = append(silent, l.dial())
	}
	for _, conn := range silent { // the job hangs up on each
		conn.SetDeadline(time.Now().Add(patience))
		if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("a silent client is still connected")
		}
	}
	l.expectAlive()
	l.stop()
}

// TestControlManyClients asks everything at a time.
func TestControlManyClients(t *testing.T) {
	l := startHanging(t)
	var wg sync.WaitGroup
	for i := range 120 {
		c := l.contact()
		wg.Go(func() {
			r := []Request{{"status", nil}, {"ranks", nil}, {"migrate", []int{0, 1}}, {"name", nil}, {"backtrace", nil}}[i%5]
			if err := c.Ask(r, func(Reply) {}); err != nil {
				t.Errorf("%+v: %v", r, err)
			}
		})
	}
	wg.Wait()
	l.stop()
}

// TestControlSuspendedWorker checks that another worker tells what the ranks do when one does not, and that the manager waits for neither,
// also when it is asked more often than a worker's socket has room for.
func TestControlSuspendedWorker(t *testing.T) {
	l := startHanging(t)
	l.suspend(0)
	for range 5 {
		var wg sync.WaitGroup
		for range 200 {
			c := l.contact()
			wg.Go(func() {
				err := c.Ask(Request{Verb: "status"}, func(r Reply) {
					if r.Status.Problem != "" || r.Status.Moves != 3 {
						t.Errorf("%+v", r.Status)
					}
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	l.suspend(1)
	want := fmt.Sprintf("worker 1 (pid %d) does not answer", l.pids[1])
	if s := l.mustAsk("status").Status; s.Problem != want {
		t.Errorf("%+v", s)
	}
	l.expectRefusal(1, want, "ranks")
	l.stop()
}

func (l *runningManager) suspend(pe int) {
	syscall.Kill(l.pids[pe], syscall.SIGSTOP)
	waitFor(l.t, "a worker to stand still", func() bool { return processState(l.pids[pe]) == 'T' })
}

// TestControlEnds asks while a job is ending: there is an answer, or it is said that there is no job any more.
func TestControlEnds(t *testing.T) {
	for range 5 {
		l := startHanging(t)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				for {
					c, err := Contact(l.cmd.Process.Pid)
					if err == nil {
						err = c.Ask(Request{Verb: []string{"status", "ranks", "backtrace", "name"}[i%4]}, func(Reply) {})
						c.Close()
					}
					var r *Refusal
					if err != nil && !errors.As(err, &r) {
						t.Error(err)
					}
					if err != nil && strings.Contains(err.Error(), "ctl lists the jobs") {
						return
					}
				}
			})
		}
		l.stop()
		wg.Wait()
	}
}

// TestControlStrangers checks that other users are neither read nor answered, and do not believe those who take a job's name.
func TestControlStrangers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	l := startHanging(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and no unlock: the thread ends with this goroutine
		const nobody = 65534
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), nobody, ^uintptr(0)); errno != 0 {
			t.Error(errno)
			return
		}
		_, err := Contact(l.cmd.Process.Pid)
		want := fmt.Sprintf("job %d belongs to somebody else (user 0)", l.cmd.Process.Pid)
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
		conn, err := net.DialUnix("unix", nil, controlAddress(l.cmd.Process.Pid))
		if err != nil {
			t.Error(err)
			return
		}
		conn.SetDeadline(time.Now().Add(patience))
		fmt.Fprintln(conn, `{"verb":"stop"}`)
		if answer, err := io.ReadAll(conn); len(answer) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a stranger is answered %q, %v", answer, err)
		}
		conn.Close()
	}()
	<-done
	l.expectAlive()
	l.stop()
}

// TestControlImpostor checks that a process that has taken the name of another one is found out.
func TestControlImpostor(t *testing.T) {
	pid := os.Getppid()
	listener, err := net.ListenUnix("unix", controlAddress(pid))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	want := fmt.Sprintf("no job of ampirun answers there: process %d has taken its name", os.Getpid())
	if _, err := Contact(pid); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
