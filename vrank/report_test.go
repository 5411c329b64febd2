package vrank_test

import (
	"fmt"
	"strings"
	"testing"

	"ampirun/vrank"
	"ampirun/vrank/internal/coretest"
)

const (
	fnRecv = iota
	fnBarrier
	fnSend
	fnWait
)

func callName(fn int) string { return []string{"MPI_Recv", "MPI_Barrier", "MPI_Send", "MPI_Wait"}[fn] }

const (
	world = 4
	self  = 8
)

// Each communicator has four contexts, which are all named as the communicator is.
func TestDeadlockReport(t *testing.T) {
	type waits map[int]coretest.Wait
	for _, c := range []struct {
		name  string
		ranks int
		waits waits
		want  []string
	}{
		{"ring", 3, waits{
			0: {Fn: fnRecv, Peer: 2, Tag: 7, Context: world},
			1: {Fn: fnRecv, Peer: 0, Tag: 7, Context: world},
			2: {Fn: fnSend, Peer: 1, Tag: 0, Context: world},
		}, []string{
			"rank 0 waits in MPI_Recv for rank 2, tag 7, of MPI_COMM_WORLD",
			"rank 1 waits in MPI_Recv for rank 0, tag 7, of MPI_COMM_WORLD",
			"rank 2 waits in MPI_Send for rank 1, tag 0, of MPI_COMM_WORLD",
		}},
		{"wildcards", 2, waits{
			0: {Fn: fnWait, Peer: coretest.AnySource, Tag: coretest.AnyTag, Context: world},
			1: {Fn: fnRecv, Peer: coretest.AnySource, Tag: 3, Context: 18},
		}, []string{
			"rank 0 waits in MPI_Wait for any rank, any tag, of MPI_COMM_WORLD",
			"rank 1 waits in MPI_Recv for any rank, tag 3, of a communicator of its own (context 18)",
		}},
		{"barriers", 4, waits{
			0: {Fn: fnBarrier, Peer: coretest.Nobody, Context: world + 1, Members: 4},
			1: {Fn: fnBarrier, Peer: coretest.Nobody, Context: world + 1, Members: 4},
			3: {Fn: fnBarrier, Peer: coretest.Nobody, Context: 21, Members: 2},
		}, []string{
			"rank 0 waits in MPI_Barrier (2 of 4 ranks have arrived) of MPI_COMM_WORLD",
			"rank 1 waits in MPI_Barrier (2 of 4 ranks have arrived) of MPI_COMM_WORLD",
			"rank 3 waits in MPI_Barrier (1 of 2 ranks have arrived) of a communicator of its own (context 21)",
		}},
		{"background", 2, waits{
			0: {Fn: fnWait, Peer: coretest.Nobody, Tag: fnBarrier, Context: world, Count: 1},
			1: {Fn: fnBarrier, Peer: coretest.Nobody, Tag: fnBarrier, Context: 22, Count: 1},
		}, []string{
			"rank 0 waits in MPI_Wait for MPI_Barrier of MPI_COMM_WORLD",
			"rank 1 waits in MPI_Barrier of a communicator of its own (context 22)",
		}},
		{"alone", 1, waits{0: {Fn: fnRecv, Peer: 0, Tag: 1, Context: self}}, []string{
			"rank 0 waits in MPI_Recv for rank 0, tag 1, of MPI_COMM_SELF",
		}},
		{"nobody", 2, waits{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := coretest.NewJob(t, 1, c.ranks)
			for rank, w := range c.waits {
				job.Block(rank, w)
			}
			want := "deadlock: every rank waits for ever"
			for _, line := range c.want {
				want += "\n  " + line
			}
			if got := vrank.DeadlockReport(c.ranks, callName); got != want {
				t.Errorf("the report is\n%s\nnot\n%s", got, want)
			}
		})
	}
}

// A large job's report is short: the first ranks, and how many more there are.
func TestDeadlockReportIsBounded(t *testing.T) {
	const ranks, shown = 40, 16
	job := coretest.NewJob(t, 4, ranks)
	for rank := range ranks {
		job.Block(rank, coretest.Wait{Fn: fnRecv, Peer: (rank + 1) % ranks, Context: world})
	}
	lines := strings.Split(vrank.DeadlockReport(ranks, callName), "\n")
	if len(lines) != 1+shown+1 {
		t.Fatalf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for i, line := range lines[1 : 1+shown] {
		if !strings.HasPrefix(line, fmt.Sprintf("  rank %d waits in MPI_Recv for rank %d,", i, i+1)) {
			t.Errorf("line %d is %q", i, line)
		}
	}
	if last := lines[1+shown]; last != fmt.Sprintf("  and %d more", ranks-shown) {
		t.Errorf("the last line is %q", last)
	}
}
