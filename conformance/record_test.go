package conformance

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ampirun/loadbalance"
	"ampirun/loadbalance/record"
)

// trace is what was read of a recorded run.
type trace struct {
	*record.Header
	steps []*record.Step
	cut   bool
}

func readTrace(t *testing.T, path string) (out trace) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := record.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out.Header = r.Header
	for {
		s, err := r.Next()
		if err == io.EOF || errors.Is(err, record.ErrCut) {
			out.cut = err != io.EOF
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out.steps = append(out.steps, s)
	}
}

// lbRecord is a run under ampirun lb record.
func (j job) lbRecord(t *testing.T, file string) (cmd *exec.Cmd, mark string) {
	t.Helper()
	cmd, mark = j.command(t)
	cmd.Args = append([]string{cmd.Args[0], "lb", "record", "-o", file}, cmd.Args[1:]...)
	return cmd, mark
}

// TestRecordThenSimulate records a run and replays it; the trace has what the run's own statistics have.
func TestRecordThenSimulate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace")
	j := job{program: program(t, imbalance), args: []string{"slope", "60", "300"}, workers: 2, ranks: 8, flags: []string{"--step", "0.02", "+stats"}}
	cmd, mark := j.lbRecord(t, file)
	r := finish(t, cmd)
	checkGone(t, mark, cmd.Args)
	r.expectCode(t, 0)
	got := readTrace(t, file)
	if got.Ranks != 8 || len(got.PEs) != 2 || got.cut || len(got.steps) < 2 {
		t.Fatalf("the trace has %d ranks on %d PEs, %d steps, cut: %v\n%s", got.Ranks, len(got.PEs), len(got.steps), got.cut, r.output())
	}
	r.expectSays(t, fmt.Sprintf("%s: %d steps in ", file, len(got.steps)), " 8 ranks on 2 PEs")
	used, sent := 0.0, int64(0)
	for i, s := range got.steps {
		for _, rank := range s.Ranks {
			used += rank.Load
			if rank.Memory < 64<<10 || rank.Memory > 1<<30 {
				t.Errorf("step %d: a rank has %d bytes", i, rank.Memory)
			}
		}
		used += s.Background[0] + s.Background[1]
		for _, n := range s.Graph.Bytes {
			sent += n
		}
	}
	both := busy(t, r)
	if total := both[0] + both[1]; used < 0.9*total-0.01 || used > 1.02*total+0.01 {
		t.Errorf("work and what PEs lost are %.3f s, the PEs were busy for %.3f s\n%s", used, total, r.output())
	}
	// so many times a ring of 8 ranks with 8 bytes each, and up and down a tree of 8 ranks with a sum; and two collective calls
	if want := int64((imbalanceBefore+60)*(8+7+7)*8 + 2*7*8); sent != want {
		t.Errorf("%d bytes were sent, want %d", sent, want)
	}
	sim := runTool(t, "ampirun", "lb", "simulate", "--pes", "4,64", "--strategy", "GreedyRefine", "--period", "2", file)
	sim.expectCode(t, 0)
	sim.expectSays(t, fmt.Sprintf("8 ranks on 4 PEs, %d steps", len(got.steps)), fmt.Sprintf("8 ranks on 64 PEs, %d steps", len(got.steps)), "GreedyRefine")
}

// TestRecordedCollectives: collective calls are in the graph as docs/load-balancing.md has it.
func TestRecordedCollectives(t *testing.T) {
	t.Parallel()
	type pair [2]int32
	const bcast, reduce, all, gather, ring, block, scattered, scan = 50000, 7, 11, 13, 2 * 17, 20000, 19, 23
	want := map[pair]int64{
		{1, 3}: reduce + all + gather + ring + block + scattered + scan,
		{1, 5}: all + block + scattered,
		{3, 1}: bcast + all + 1 + block + 3*scattered,
		{3, 5}: bcast + ring + 300 + block + scan,
		{5, 1}: all + ring + block + 3*scattered,
		{5, 3}: reduce + gather + block,
	}
	for _, workers := range []int{1, 2} {
		file := filepath.Join(t.TempDir(), "trace")
		j := job{program: program(t, ownDir+"/collectives.c"), workers: workers, ranks: 6, flags: []string{"+lb-record", file}}
		j.run(t).expectCode(t, 0)
		got := map[pair]int64{}
		for _, s := range readTrace(t, file).steps {
			s.Graph.Edges(func(e loadbalance.Edge) { got[pair{e.From, e.To}] += e.Bytes })
		}
		if !maps.Equal(got, want) {
			t.Errorf("%d workers: bytes by pair\n%v, want\n%v", workers, got, want)
		}
	}
}

// TestRecordedMoves: a run that is balanced and recorded at once; the trace shows ranks elsewhere than they began.
func TestRecordedMoves(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace")
	j := job{program: program(t, imbalance), args: []string{"slope", "200", "150"}, workers: 2, ranks: 16,
		flags: []string{"+lb-record", file, "+lb-record-step", "20ms", "+lb", "GreedyComm", "+lb-period", "50ms"}}
	j.run(t).expectCode(t, 0)
	got := readTrace(t, file)
	for _, s := range got.steps {
		for rank := range s.Ranks {
			if int(s.Ranks[rank].PE) != rank/8 {
				return
			}
		}
	}
	t.Errorf("in %d steps no rank was elsewhere", len(got.steps))
}

// TestKilledRecording kills a run: what it wrote until then is there, and simulate says that it is not all.
func TestKilledRecording(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace")
	j := job{program: program(t, ownDir+"/busy.c"), workers: 2, ranks: 4, flags: []string{"--step", "5ms"}}
	cmd, mark := j.lbRecord(t, file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(file); err == nil && info.Size() > 2000 {
			break
		}
		if time.Now().After(until) {
			cmd.Process.Kill()
			t.Fatal("nothing is written")
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	awaitGone(t, mark)
	got := readTrace(t, file)
	if len(got.steps) == 0 || !got.cut {
		t.Errorf("%d steps, cut: %v", len(got.steps), got.cut)
	}
	sim := runTool(t, "ampirun", "lb", "simulate", "--period", "3", file)
	sim.expectCode(t, 0)
	sim.expectSays(t, fmt.Sprintf("4 ranks on 2 PEs, %d steps", len(got.steps)), "the trace is cut off")
}

// TestBadTraces: what is no trace, or a damaged one, is refused in one line.
func TestBadTraces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	runTool(t, "ampirun", "lb", "synth", "--ranks", "64", "--steps", "20", "--pes", "4", good).expectCode(t, 0)
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	garbled := append([]byte(nil), content...)
	for i := len(garbled) / 2; i < len(garbled); i += 3 {
		garbled[i] ^= 0x55
	}
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"empty": {nil, "not a trace"}, "text": {[]byte("hello, world\n"), "not a trace"}, "header": {content[:9], "cut off"},
		"garbled": {garbled, "garbled"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		r := runTool(t, "ampirun", "lb", "simulate", path)
		r.expectCode(t, 2)
		r.expectSays(t, c.says, path)
		if n := strings.Count(strings.TrimSpace(r.stderr), "\n"); n != 0 {
			t.Errorf("%s: %d lines\n%s", name, n+1, r.output())
		}
	}
}

// TestRecordRefuses: no file is left by a run that never was.
func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-o", "/nowhere/trace", "/bin/true"}, 2, "/nowhere/trace"},
		{[]string{"-o", dir + "/a"}, 2, "no program given"},
		{[]string{"-o", dir + "/b", dir + "/none"}, 127, "none"},
		{[]string{"--step", "never", "-o", dir + "/c", "/bin/true"}, 2, "never"},
		{[]string{"+lb-record", dir + "/d", "/bin/true"}, 2, "-o"},
		{[]string{"-o"}, 2, "needs a value"},
	} {
		r := runTool(t, "ampirun", append([]string{"lb", "record"}, c.args...)...)
		r.expectCode(t, c.code)
		r.expectSays(t, c.says)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
