package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ampirun/internal/refusal"
	"ampirun/internal/wire"
	"ampirun/job/control"
)

// startHanging starts a job whose workers wait for the end.
func startHanging(t *testing.T) *runningManager { return startLive(t, nil, "hang").workers() }

// contact connects to a job.
func (l *runningManager) contact() *control.Conversation {
	l.t.Helper()
	c, err := control.Contact(l.cmd.Process.Pid)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(c.Close)
	return c
}

// ask asks a job something, and gathers what it says.
func (l *runningManager) ask(verb string, args ...int) (all []control.Reply, err error) {
	l.t.Helper()
	err = l.contact().Ask(control.Request{Verb: verb, Args: args}, func(r control.Reply) { all = append(all, r) })
	return all, err
}

func (l *runningManager) mustAsk(verb string, args ...int) control.Reply {
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
	if err := l.contact().Stop(func(control.Reply) {}); err != nil {
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
	want := []control.WorkerStatus{{PE: 0, PID: l.pids[0], Alive: true, Ranks: new(2)}, {PE: 1, PID: l.pids[1], Alive: true, Ranks: new(1)}}
	if s.PID != l.cmd.Process.Pid || s.Program != "true" || s.Ranks != 4 || s.Ended != 1 || s.State != "runs" || !reflect.DeepEqual(s.Workers, want) ||
		s.Moves != 3 || s.Stolen != 1 || s.Steal || s.Checkpoints != nil || s.Problem != "" || s.Running <= 0 {
		t.Errorf("%+v", s)
	}
	if ranks := l.mustAsk("ranks").Ranks; len(ranks) != 4 || ranks[2].PE != 1 || !ranks[3].Ended {
		t.Errorf("%+v", ranks)
	}
	if s := l.contact().Name(patience); s == nil || s.Program != "true" || len(s.Workers) != 2 {
		t.Errorf("%+v", s)
	}
	if pids, err := control.Jobs(); err != nil || !slices.Contains(pids, l.cmd.Process.Pid) {
		t.Errorf("jobs %v, %v", pids, err)
	}
	c, err := control.Contact(l.pids[1])
	if err != nil || c.PID() != l.cmd.Process.Pid || !c.IsOwn() {
		t.Errorf("contact by way of a worker: %v", err)
	}
	c.Close()
	l.stop()
	if _, err := control.Contact(l.cmd.Process.Pid); err == nil {
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
	var r *refusal.Refusal
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
		move := control.Request{Verb: "migrate", Args: []int{2, i % 2}}
		l.dial().Write(wire.Frame(move))
		c := l.contact()
		wg.Go(func() { refused <- c.Ask(move, func(control.Reply) {}) })
		hasty := l.dial()
		hasty.Write(wire.Frame(move))
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
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: fmt.Sprintf("@ampirun-job-%d", l.cmd.Process.Pid)})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { conn.Close() })
	return conn
}

// TestControlGarbage sends what no client would.
func TestControlGarbage(t *testing.T) {
	l := startHanging(t)
	status, stop := wire.Frame(control.Request{Verb: "status"}), wire.Frame(control.Request{Verb: "stop"})
	for _, garbage := range [][]byte{[]byte("\n"), []byte("hello\n"), wire.Frame(struct{}{}), bytes.Repeat([]byte{0x81}, 1<<20), {0, 1, 2},
		wire.Frame(control.Request{Verb: "stop", Args: []int{1}}), wire.Frame(control.Request{Verb: "kill"}), wire.Frame("stop"),
		wire.Frame(control.Request{Verb: strings.Repeat("x", 1<<20)})} {
		conn := l.dial()
		conn.Write(garbage) // may not be taken to its end
		text, _ := io.ReadAll(conn)
		var answer control.Reply
		err := wire.ReadFrame(bytes.NewReader(text), 1<<20, &answer)
		if (err != nil || !answer.Done || answer.Code != 2 || answer.Error == "") && len(garbage) < 1<<10 && len(garbage) > 4 {
			t.Errorf("%.40q is answered %q", garbage, text)
		}
	}
	for range 50 { // half a request, and gone; a request, and gone before the answer; more after a request
		l.dial().Write(stop[:len(stop)-1])
		closing := l.dial()
		closing.Write(status)
		closing.Close()
		l.dial().Write(append(bytes.Clone(status), stop...))
	}
	l.expectAlive()
	l.stop()
}

// TestControlSilentClients checks that clients that say nothing hold up neither the job nor, for ever, others.
func TestControlSilentClients(t *testing.T) {
	l := startHanging(t)
	var silent []net.Conn
	for range control.MostClients - 10 {
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
			r := []control.Request{{Verb: "status"}, {Verb: "ranks"}, {Verb: "migrate", Args: []int{0, 1}}, {Verb: "name"}, {Verb: "backtrace"}}[i%5]
			if err := c.Ask(r, func(control.Reply) {}); err != nil {
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
				err := c.Ask(control.Request{Verb: "status"}, func(r control.Reply) {
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
					c, err := control.Contact(l.cmd.Process.Pid)
					if err == nil {
						err = c.Ask(control.Request{Verb: []string{"status", "ranks", "backtrace", "name"}[i%4]}, func(control.Reply) {})
						c.Close()
					}
					var r *refusal.Refusal
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
		_, err := control.Contact(l.cmd.Process.Pid)
		want := fmt.Sprintf("job %d belongs to somebody else (user 0)", l.cmd.Process.Pid)
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: fmt.Sprintf("@ampirun-job-%d", l.cmd.Process.Pid)})
		if err != nil {
			t.Error(err)
			return
		}
		conn.SetDeadline(time.Now().Add(patience))
		conn.Write(wire.Frame(control.Request{Verb: "stop"}))
		if answer, err := io.ReadAll(conn); len(answer) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a stranger is answered %q, %v", answer, err)
		}
		conn.Close()
	}()
	<-done
	l.expectAlive()
	l.stop()
}
