package job

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ampirun/internal/refusal"
	"ampirun/privatize"
	"ampirun/vrank"
)

// managerVariable makes the test binary a job manager: its value is a testJob as JSON.
const managerVariable = "AMPIRUN_TEST_JOB"

// testJob is what a test wants run: Options.Args hold a scenario of the fake core and its arguments. What JSON cannot
// carry is hidden by fields of the same names.
type testJob struct {
	Options
	Libraries, ControlSize *int `json:",omitempty"`
}

func TestMain(m *testing.M) {
	if IsWorker() {
		os.Exit(Worker(Core{Run: fakeRun, Stop: sync.OnceFunc(func() { close(fakeStop) }), Trace: func() *vrank.Trace { return &vrank.Trace{} },
			Survey: fakeSurvey, Move: fakeMove, Freeze: func(bool) { fakeFreeze() }, Prepare: fakeFreeze}))
	}
	if text := os.Getenv(managerVariable); text != "" {
		os.Exit(manage(text))
	}
	if signal.Ignored(syscall.SIGHUP) { // by nohup; managers that tests start would inherit that
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

// manage does what the main function of ampirun does with a job.
func manage(text string) int {
	var j testJob
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		panic(err)
	}
	opt := j.Options
	opt.ControlSize = func(int) uint64 { return 1 << 20 }
	opt.Libraries = func(string) ([]privatize.Library, error) {
		if err := exec.Command("/bin/true").Run(); err != nil { // as the search does, while workers are watched
			return nil, err
		}
		return []privatize.Library{{Name: "libx.so.1", Path: "/lib/\xff/libx.so.1"}}, nil
	}
	code, err := Run(context.Background(), opt)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ampirun:", err)
	}
	return code
}

// fakeRanks stands for the ranks of one worker.
type fakeRanks struct {
	vrank.Config
	report func(vrank.Event)
	output *os.File
}

var fakeStop = make(chan struct{})

// scenarios are the programs of the fake core. They run once in every worker and return whether ranks end by themselves.
var scenarios map[string]func(f *fakeRanks, args []string) error

func init() {
	scenarios = map[string]func(f *fakeRanks, args []string) error{
		"hello": fakeHello, "exit": fakeExit, "abort": fakeAbort, "fault": fakeFault, "core": fakeCore, "deadlock": fakeDeadlock,
		"hang": fakeHang, "flood": fakeFlood, "long": fakeLong, "partial": fakePartial, "ended": fakeEnded,
		"child": fakeChild, "orphan": fakeOrphan, "stdin": fakeStdin, "yes": fakeYes, "refuse": fakeRefuse,
		"die": fakeDie, "babble": fakeBabble, "show": fakeShow, "garbage": fakeGarbage, "stats": fakeStats, "deaf": fakeDeaf, "last": fakeLast,
	}
}

func fakeRun(cfg vrank.Config, report func(vrank.Event)) error {
	f := &fakeRanks{Config: cfg, report: report, output: os.NewFile(uintptr(cfg.OutputFD), "frames")}
	fakeConfig.Store(&cfg)
	fakeReport.Store(&report)
	return scenarios[cfg.Args[1]](f, cfg.Args[2:])
}

// nil until they have come
var (
	fakeConfig atomic.Pointer[vrank.Config]
	fakeReport atomic.Pointer[func(vrank.Event)]
)

// fakePause is how long a freeze takes, in seconds, and what it is in +stats.
const fakePause = 0.0025

// fakeFreeze tells of a freeze as soon as a worker hears of it: nobody waits for the others.
func fakeFreeze() {
	for fakeReport.Load() == nil {
		time.Sleep(time.Millisecond)
	}
	report := *fakeReport.Load()
	report(vrank.Event{Kind: vrank.EventFrozen, Frozen: &vrank.Frozen{}})
	report(vrank.Event{Kind: vrank.EventThawed, Thawed: &vrank.Thawed{Pause: fakePause}})
}

// fakeSurvey has rank 0 moved, and the last rank ended.
func fakeSurvey() *vrank.Survey {
	cfg := fakeConfig.Load()
	if cfg == nil {
		return &vrank.Survey{Problem: "not there yet"}
	}
	s := &vrank.Survey{Stolen: make([]uint64, cfg.PEs)}
	for id := range cfg.Ranks {
		s.Ranks = append(s.Ranks, vrank.RankState{Rank: id, PE: id * cfg.PEs / cfg.Ranks, State: "ready", Ended: id == cfg.Ranks-1})
	}
	s.Ranks[0].Moves, s.Stolen[0] = 3, 1
	return s
}

// fakeMove lets rank 0 go, finds rank 1 there, keeps rank 2 for ever on its way, and all others where they are.
func fakeMove(rank, pe int) vrank.Moved {
	switch rank {
	case 0:
		return vrank.Moved{}
	case 1:
		return vrank.Moved{Already: true}
	case 2:
		<-fakeStop
	}
	return vrank.Moved{Stays: "it likes it there"}
}

// mine calls visit for every rank of this worker.
func (f *fakeRanks) mine(visit func(rank int)) {
	for rank := range f.Ranks {
		if rank*f.PEs/f.Ranks == f.PE {
			visit(rank)
		}
	}
}

// print writes text as frames, cut in pieces of the given size.
func (f *fakeRanks) print(rank, stream int, text string, piece int) {
	for len(text) > 0 {
		n := min(piece, len(text))
		f.frame(rank, stream, text[:n])
		text = text[n:]
	}
}

func (f *fakeRanks) frame(rank, stream int, data string) {
	b := make([]byte, frameHeaderSize, frameMaxSize)
	binary.LittleEndian.PutUint32(b, uint32(rank))
	binary.LittleEndian.PutUint32(b[4:], uint32(stream))
	binary.LittleEndian.PutUint32(b[8:], uint32(len(data)))
	f.output.Write(append(b, data...))
}

func (f *fakeRanks) end(rank, code int) {
	f.report(vrank.Event{Kind: vrank.EventRankExit, PE: f.PE, Rank: rank, Code: code})
}

func (f *fakeRanks) done() error {
	f.report(vrank.Event{Kind: vrank.EventDone, PE: f.PE, Rank: -1})
	return nil
}

func (f *fakeRanks) untilStop() error {
	<-fakeStop
	return nil
}

func fakeHello(f *fakeRanks, args []string) error {
	f.mine(func(rank int) {
		f.print(rank, streamOut, fmt.Sprintf("hello from %d of %d\n", rank, f.Ranks), 4000)
		f.print(rank, streamErr, fmt.Sprintf("error of %d\n", rank), 4000)
		f.end(rank, 0)
	})
	return f.done()
}

// fakeExit takes arguments of the form rank=code.
func fakeExit(f *fakeRanks, args []string) error {
	codes := map[string]int{}
	for _, a := range args {
		rank, code, _ := strings.Cut(a, "=")
		codes[rank], _ = strconv.Atoi(code)
	}
	f.mine(func(rank int) { f.end(rank, codes[strconv.Itoa(rank)]) })
	return f.done()
}

func fakeAbort(f *fakeRanks, args []string) error {
	code, _ := strconv.Atoi(args[0])
	f.mine(func(rank int) {
		if rank == f.Ranks-1 {
			f.print(rank, streamErr, "giving up\n", 4000)
			f.report(vrank.Event{Kind: vrank.EventAbort, PE: f.PE, Rank: rank, Code: code})
			f.report(vrank.Event{Kind: vrank.EventAbort, PE: f.PE, Rank: rank, Code: code + 1})
		}
	})
	return f.untilStop()
}

func fakeFault(f *fakeRanks, args []string) error {
	if f.PE == 0 {
		f.report(vrank.Event{Kind: vrank.EventFault, Rank: 0, Code: 139, Signal: 11, Text: "rank 0: SIGSEGV at 0x0 in solve() legacy.c:33"})
	}
	return f.untilStop()
}

// fakeCore dies of a fault some time after it has reported it. It lives if it is told to stop meanwhile.
func fakeCore(f *fakeRanks, args []string) error {
	if f.PE != 0 {
		return f.untilStop()
	}
	f.report(vrank.Event{Kind: vrank.EventFault, Rank: 0, Signal: 11, Text: "rank 0: SIGSEGV", Core: true})
	select {
	case <-fakeStop:
		f.print(0, streamOut, "told to stop\n", 4000)
		select {}
	case <-time.After(graceTime * 3 / 2):
		f.print(0, streamOut, "dies by itself\n", 4000)
	}
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

func fakeDeadlock(f *fakeRanks, args []string) error {
	f.mine(func(rank int) { f.print(rank, streamOut, "before", 4000) })
	if f.PE == f.PEs-1 {
		f.report(vrank.Event{Kind: vrank.EventDeadlock, Rank: -1, Text: "deadlock:\n  rank 0 waits in MPI_Recv for rank 1"})
	}
	return f.untilStop()
}

// fakeHang prints its pid and waits for the end.
func fakeHang(f *fakeRanks, args []string) error {
	f.print(f.PE*f.Ranks/f.PEs, streamOut, fmt.Sprintf("worker %d %d\n", f.PE, os.Getpid()), 4000)
	return f.untilStop()
}

// fakeLast is fakeHang, and tells that the ranks run.
func fakeLast(f *fakeRanks, args []string) error {
	if f.PE == 0 {
		f.report(vrank.Event{Kind: vrank.EventRunning})
	}
	return fakeHang(f, args)
}

// fakeDeaf hears nothing: as a rank that computes.
func fakeDeaf(f *fakeRanks, args []string) error {
	fakeHang(f, nil)
	select {}
}

// fakeFlood prints lines that tell their origin, in small pieces, all ranks in turn.
func fakeFlood(f *fakeRanks, args []string) error {
	lines, _ := strconv.Atoi(args[0])
	var wg sync.WaitGroup
	f.mine(func(rank int) {
		wg.Go(func() {
			for i := range lines {
				f.print(rank, 1+i%2, floodLine(rank, i), 7+rank%50)
			}
			f.end(rank, 0)
		})
	})
	wg.Wait()
	return f.done()
}

func floodLine(rank, i int) string {
	return fmt.Sprintf("%d:%d:%s\n", rank, i, strings.Repeat(string(rune('a'+rank%26)), (rank*7+i*13)%300))
}

func fakeLong(f *fakeRanks, args []string) error {
	size, _ := strconv.Atoi(args[0])
	f.mine(func(rank int) {
		if rank == 0 {
			f.print(rank, streamOut, strings.Repeat("x", size), 4000)
		}
		f.end(rank, 0)
	})
	return f.done()
}

func fakePartial(f *fakeRanks, args []string) error {
	f.mine(func(rank int) {
		f.print(rank, streamOut, fmt.Sprintf("rank %d has no newline", rank), 4000)
		f.end(rank, 0)
	})
	return f.done()
}

// fakeEnded ends rank 0's stream in a line, and waits: the line must appear all the same.
func fakeEnded(f *fakeRanks, args []string) error {
	if f.PE == 0 {
		f.frame(0, streamOut, "last words")
		f.frame(0, streamOut, "")
		f.end(0, 0)
	}
	return f.untilStop()
}

func fakeChild(f *fakeRanks, args []string) error {
	cmd := exec.Command("/bin/sh", "-c", args[0])
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	f.mine(func(rank int) { f.end(rank, 0) })
	return f.done()
}

// fakeOrphan leaves a process in a session of its own that holds all descriptors.
func fakeOrphan(f *fakeRanks, args []string) error {
	if f.PE == 0 {
		cmd := exec.Command("/bin/sh", "-c", "sleep 1000 & echo orphan $!")
		cmd.Stdout = os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	f.mine(func(rank int) { f.end(rank, 0) })
	return f.done()
}

// fakeStdin reads all standard input in the PE that args name: rank 0 may be there.
func fakeStdin(f *fakeRanks, args []string) error {
	if strconv.Itoa(f.PE) == args[0] {
		input, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		f.print(f.PE*f.Ranks/f.PEs, streamOut, fmt.Sprintf("PE %d read %q\n", f.PE, input), 4000)
	}
	f.mine(func(rank int) { f.end(rank, 0) })
	return f.done()
}

func fakeYes(f *fakeRanks, args []string) error {
	for {
		select {
		case <-fakeStop:
			return nil
		default:
			f.print(f.PE*f.Ranks/f.PEs, streamOut, strings.Repeat("y\n", 1000), 2000)
		}
	}
}

func fakeRefuse(f *fakeRanks, args []string) error {
	if f.PE == f.PEs-1 {
		return refusal.New(refusal.CodeUsage, "%s: is statically linked", f.Program)
	}
	return f.untilStop()
}

func fakeDie(f *fakeRanks, args []string) error {
	if f.PE == f.PEs-1 {
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	}
	return f.untilStop()
}

// fakeBabble has the last worker say something that is no message, unless it finds the directory that is the first argument, and makes it before.
// Else the ranks end.
func fakeBabble(f *fakeRanks, args []string) error {
	if f.PE == 0 {
		f.report(vrank.Event{Kind: vrank.EventRunning})
	}
	if f.PE == f.PEs-1 && os.Mkdir(args[0], 0o700) == nil {
		said, _ := hex.DecodeString(args[1])
		syscall.Write(controlSocket(), said)
		select {}
	}
	return fakeHello(f, nil)
}

// controlSocket is the descriptor of this worker's control link: its only socket of that type.
func controlSocket() int {
	first := vrank.InheritedFD(workerControlFD)
	for fd := first; fd < first+1000; fd++ {
		if kind, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TYPE); err == nil && kind == syscall.SOCK_STREAM {
			return fd
		}
	}
	panic("there is no control link")
}

// fakeShow prints the configuration that arrived.
func fakeShow(f *fakeRanks, args []string) error {
	var stat syscall.Stat_t
	if err := syscall.Fstat(f.RegionFD, &stat); err != nil {
		return err
	}
	if uint64(stat.Size) < uint64(f.Ranks)*f.Layout.SliceSize {
		return fmt.Errorf("region of %d bytes", stat.Size)
	}
	for _, fd := range []int{1, 2, f.OutputFD} {
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
		if errno != 0 || flags&syscall.O_NONBLOCK != 0 {
			return fmt.Errorf("descriptor %d has flags %#x: %v", fd, flags, errno)
		}
	}
	if f.PE == 0 {
		dir, _ := os.Getwd()
		var variables []string
		for _, v := range f.Env {
			if strings.HasPrefix(v, "SHOW_") {
				variables = append(variables, v)
			}
		}
		f.print(0, streamOut, fmt.Sprintf("%q %q %q %q %q %d %d %s\n", f.Program, f.Args, variables, f.Libraries, dir, f.Stack, f.Layout.SliceSize, f.Method), 1000)
	}
	f.mine(func(rank int) { f.end(rank, 0) })
	return f.done()
}

func fakeGarbage(f *fakeRanks, args []string) error {
	if f.PE == 0 {
		f.output.WriteString("this is not a frame")
	}
	return f.untilStop()
}

func fakeStats(f *fakeRanks, args []string) error {
	s := &vrank.Stats{Switches: 10, Idle: 1, Busy: 3}
	f.mine(func(rank int) {
		f.end(rank, 0)
		s.Ranks = append(s.Ranks, vrank.RankStats{Rank: rank, User: float64(rank), Sent: uint64(rank), Memory: 1536})
	})
	if !f.Stats {
		return errors.New("no stats were asked for")
	}
	f.report(vrank.Event{Kind: vrank.EventDone, PE: f.PE, Rank: -1, Stats: s})
	return nil
}
