package job

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ampirun/observe/timeline"
	"ampirun/vrank"
)

// DefaultTraceLimit is how much a timeline may grow by in a second unless Options say something else, in bytes.
const DefaultTraceLimit = 4 << 20

// What a run and a message with both its ends take in the file, in bytes, about.
const (
	runSize     = 55
	messageSize = 110
)

// traceQuantum is the time in which each PE may record a number of runs and messages.
const traceQuantum = 20 * time.Millisecond

// timelineLimit is how the bytes of a second are given to PEs: one half for runs, one for messages.
func (o Options) timelineLimit() *vrank.TimelineLimit {
	if o.Trace == "" {
		return nil
	}
	bytes := float64(o.TraceLimit) * traceQuantum.Seconds() / float64(o.Workers) / 2
	return &vrank.TimelineLimit{Quantum: traceQuantum.Seconds(), Runs: max(2, int(min(bytes/runSize, 1<<30))), Messages: max(1, int(min(bytes/messageSize, 1<<30)))}
}

// maxBlocks is the number of blocks of ranks whose traffic is told apart.
const maxBlocks = 512

// timelineFile is the timeline of a job being written. It may be nil.
type timelineFile struct {
	file   *os.File
	opt    Options
	facts  timeline.Facts
	job    *vrank.Observer
	writer *timeline.Writer // nil until the job has begun
	clock  timeline.Clock
	zero   int64          // the clock's time when all ranks existed
	seen   []vrank.Moment // of all PEs, in one look
	from   []int          // where those of each PE begin
	err    error          // why nothing is written any more
}

func newTimelineFile(file *os.File, opt Options, c *vrank.Config, job *vrank.Observer) *timelineFile {
	t := &timelineFile{file: file, opt: opt, job: job, from: make([]int, c.PEs+1)}
	t.facts = timeline.Facts{Program: filepath.Base(c.Program), Args: c.Args, Options: opt.Typed, Method: c.Method, Version: opt.Version,
		Began: time.Now(), Ranks: c.Ranks, Mapping: c.Placement(), PEs: c.PEs}
	t.readClock()
	return t
}

// readClock reads both clocks at one time, as well as that can be told.
func (t *timelineFile) readClock() (now uint64) {
	best := uint64(1) << 63
	var ticks uint64
	var at int64
	for range 8 {
		before := t.job.Ticks()
		ns := time.Now()
		after := t.job.Ticks()
		if after-before < best {
			best, ticks, at = after-before, before+(after-before)/2, ns.Sub(processStart).Nanoseconds()
		}
	}
	t.clock.Add(ticks, at)
	return ticks
}

// processStart is where times are counted from, by the clock that is never set.
var processStart = time.Now()

func (t *timelineFile) at(tick uint64) int64 { return max(0, t.clock.At(tick)-t.zero) }

// begin begins to write.
func (t *timelineFile) begin() {
	t.zero = t.clock.At(t.job.Began())
	t.facts.Began = time.Now().Add(-time.Since(processStart)).Add(time.Duration(t.zero))
	t.writer = timeline.NewWriter(t.file, t.facts)
}

// look writes what has happened since the last time.
func (t *timelineFile) look(steps []vrank.BalanceStep) {
	if t == nil || t.err != nil {
		return
	}
	t.take(t.job.Moments)
	t.readClock()
	if t.writer == nil {
		t.begin()
	}
	t.write()
	for _, s := range steps {
		t.writer.Step(timeline.Step{At: max(0, s.When.Sub(t.facts.Began).Nanoseconds()), Window: s.Window, Strategy: s.Strategy, Asked: s.Asked,
			Before: s.Before, After: s.After, Moves: s.Moves})
	}
	t.flush()
}

// take collects moments of all PEs, before the clock is read: so all have happened before that.
func (t *timelineFile) take(moments func(pe int, visit func(*vrank.Moment))) {
	t.seen = t.seen[:0]
	for pe := range t.facts.PEs {
		t.from[pe] = len(t.seen)
		moments(pe, func(m *vrank.Moment) { t.seen = append(t.seen, *m) })
	}
	t.from[t.facts.PEs] = len(t.seen)
}

func (t *timelineFile) write() {
	for pe := range t.facts.PEs {
		for i := t.from[pe]; i < t.from[pe+1]; i++ {
			t.add(pe, &t.seen[i])
		}
	}
}

func (t *timelineFile) add(pe int, m *vrank.Moment) {
	at := t.at(m.At)
	run := timeline.Run{PE: pe, From: at, To: t.at(m.At + m.Length), Rank: m.Rank}
	switch m.Kind {
	case vrank.MomentRun:
		if m.Fn >= 0 {
			run.Then = t.opt.CallName(m.Fn)
		}
		t.writer.Run(run)
	case vrank.MomentIdle:
		run.Rank = timeline.Idle
		t.writer.Run(run)
	case vrank.MomentMany:
		run.Rank, run.Runs, run.Busy = timeline.Many, m.Amount, min(t.at(m.At+m.Busy)-at, run.To-at)
		t.writer.Run(run)
	case vrank.MomentSent, vrank.MomentReceived:
		t.writer.Message(timeline.Message{PE: pe, At: at, Flow: m.Flow, Rank: m.Rank, To: max(m.Peer, 0), Bytes: m.Amount, Received: m.Kind == vrank.MomentReceived})
	case vrank.MomentLeft, vrank.MomentCame:
		t.writer.Move(timeline.Move{PE: pe, At: at, Rank: m.Rank, To: m.Peer, Number: int(m.Flow), Arrived: m.Kind == vrank.MomentCame})
	}
}

func (t *timelineFile) flush() {
	if t.err == nil {
		t.err = t.writer.Flush()
	}
}

// end writes what is known at the end.
func (t *timelineFile) end(v verdict, started bool) {
	if t == nil {
		return
	}
	end := timeline.End{ExitCode: v.exitCode(), BlockSize: (t.facts.Ranks + maxBlocks - 1) / maxBlocks}
	if v.err != nil {
		end.Reason = v.err.Error()
	}
	if started && t.err == nil {
		now := t.readClock()
		t.take(func(pe int, visit func(*vrank.Moment)) { t.job.Rest(pe, now, visit) })
		t.write()
		end.Elapsed = time.Duration(t.at(now))
		t.totals(&end)
	}
	if t.writer == nil {
		t.writer = timeline.NewWriter(t.file, t.facts)
	}
	t.writer.End(end)
	t.flush()
	if t.err != nil {
		fmt.Fprintf(t.opt.Stderr, "ampirun: +trace: %v; the timeline ends there\n", t.err)
	}
}

// totals writes what ranks did in all, and to whom they sent.
func (t *timelineFile) totals(end *timeline.End) {
	at := end.Elapsed.Nanoseconds()
	sample := t.job.Take()
	ranks := make([]timeline.RankTotal, len(sample.Ranks))
	for i, r := range sample.Ranks {
		ranks[i] = timeline.RankTotal{User: time.Duration(r.User * 1e9), Sent: r.Sent, Moves: r.Moves}
		end.Busy += r.User
	}
	t.writer.Totals(at, ranks)
	for pe := range t.facts.PEs {
		hidden, lost := t.job.Unrecorded(pe)
		end.Hidden, end.Lost = end.Hidden+hidden, end.Lost+lost
	}
	t.traffic(at, end.BlockSize)
}

// traffic writes who sent to whom, in blocks of so many ranks; it comes in the order of senders.
func (t *timelineFile) traffic(at int64, size int) {
	blocks := (t.facts.Ranks + size - 1) / size
	messages, bytes := make([]uint64, blocks), make([]uint64, blocks)
	row := 0
	write := func() {
		r := timeline.Traffic{From: row}
		for to, n := range messages {
			if n > 0 {
				r.To, r.Messages, r.Bytes = append(r.To, to), append(r.Messages, n), append(r.Bytes, bytes[to])
			}
		}
		if len(r.To) > 0 {
			t.writer.Traffic(at, r)
		}
		clear(messages)
		clear(bytes)
	}
	t.job.EachTraffic(func(p vrank.Traffic) {
		if from := int(p.From) / size; from != row {
			write()
			row = from
		}
		messages[int(p.To)/size] += uint64(p.Messages)
		bytes[int(p.To)/size] += uint64(p.Bytes)
	})
	write()
}
