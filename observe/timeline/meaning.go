package timeline

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// What events of ours mean; all that they say is checked.

func (e *event) number(key string) int  { return int(min(e.values[key].number, math.MaxInt32)) }
func (e *event) text(key string) string { return e.values[key].text }

// double is a number of seconds, or a ratio; 0 where it is none that makes sense.
func (e *event) double(key string) float64 {
	if v := e.values[key].double; v > 0 && v <= maxDouble {
		return v
	}
	return 0
}

func (e *event) texts(key string) (all []string) {
	for _, v := range e.values[key].array {
		all = append(all, v.text)
	}
	return all
}

func (e *event) numbers(key string) (all []uint64) {
	for _, v := range e.values[key].array {
		all = append(all, v.number)
	}
	return all
}

func (e *event) ints(key string) (all []int) {
	for _, v := range e.values[key].array {
		all = append(all, int(min(v.number, math.MaxInt32)))
	}
	return all
}

// begin takes the first event, which says whose trace it is.
func (r *reader) begin(e *event) error {
	if e.name != nameJob || e.text("generator") != generatorName {
		return ErrForeign
	}
	f := &Facts{Program: e.text("program"), Args: e.texts("arguments"), Options: e.texts("options"), Method: e.text("method"), Version: e.text("version"),
		Ranks: e.number("ranks"), PEs: e.number("pes"), Mapping: e.ints("mapping")}
	f.Began, _ = time.Parse(time.RFC3339, e.text("began"))
	if f.Ranks < 1 || f.Ranks > maxRanks || f.PEs < 1 || f.PEs > maxPEs || len(f.Mapping) != f.Ranks {
		return fmt.Errorf("it says that there are %d ranks on %d PEs, and where %d of them begin", f.Ranks, f.PEs, len(f.Mapping))
	}
	for rank, pe := range f.Mapping {
		if pe >= f.PEs {
			return fmt.Errorf("rank %d begins on PE %d, of %d", rank, pe, f.PEs)
		}
	}
	r.facts, r.open = f, map[uint64]*Run{}
	if r.Facts != nil {
		return r.Facts(*f)
	}
	return nil
}

func (r *reader) happened(e *event) error {
	switch {
	case e.track == trackBalancing:
		call(r.Step, Step{At: e.at, Window: e.double("window_s"), Strategy: e.text("strategy"), Asked: e.text("asked_by") != "",
			Before: e.double("before"), After: e.double("after"), Moves: e.number("moves")})
	case e.track == trackRoot:
		return r.total(e)
	case e.track >= trackFirstPE:
		return r.onPE(e, int(e.track-trackFirstPE)/tracksOfPE)
	}
	return nil
}

func call[T any](f func(T), v T) {
	if f != nil {
		f(v)
	}
}

func (r *reader) onPE(e *event, pe int) error {
	rank := e.number("rank")
	if pe < 0 || pe >= r.facts.PEs || rank >= r.facts.Ranks {
		return fmt.Errorf("there is something of rank %d on PE %d, of %d ranks on %d PEs", rank, pe, r.facts.Ranks, r.facts.PEs)
	}
	switch (e.track - trackFirstPE) % tracksOfPE {
	case 0:
		return r.run(e, pe)
	case 1:
		m := Message{PE: pe, At: e.at, Flow: e.flow, Rank: rank, To: e.number("to"), Bytes: int64(e.values["bytes"].number), Received: e.name == nameReceive}
		if m.To >= r.facts.Ranks || m.Bytes < 0 {
			return fmt.Errorf("rank %d sends %d bytes to rank %d, of %d", rank, m.Bytes, m.To, r.facts.Ranks)
		}
		call(r.Message, m)
	case 2:
		m := Move{PE: pe, At: e.at, Rank: rank, To: e.number("to_pe"), Number: e.number("move"), Arrived: e.name == nameArrive}
		if m.To >= r.facts.PEs {
			return fmt.Errorf("rank %d goes to PE %d, of %d", rank, m.To, r.facts.PEs)
		}
		call(r.Move, m)
	}
	return nil
}

func (r *reader) run(e *event, pe int) error {
	if e.kind == typeEnd {
		run := r.open[e.track]
		if run == nil || e.at < run.From {
			return fmt.Errorf("something ends on PE %d that has not begun", pe)
		}
		run.To = e.at
		delete(r.open, e.track)
		call(r.Run, *run)
		return nil
	}
	run := &Run{PE: pe, From: e.at, Then: e.text("then"), Runs: int64(e.number("runs")), Busy: int64(min(e.values["busy_ns"].number, math.MaxInt64))}
	switch e.name {
	case nameIdle:
		run.Rank = Idle
	case nameMany:
		run.Rank = Many
	default:
		rank, err := strconv.Atoi(strings.TrimPrefix(e.name, rankPrefix))
		if err != nil || rank < 0 || rank >= r.facts.Ranks {
			return fmt.Errorf("%q runs on PE %d", e.name, pe)
		}
		run.Rank = rank
	}
	r.open[e.track] = run
	return nil
}

func (r *reader) total(e *event) error {
	switch e.name {
	case nameTotals:
		users, sent, moves := e.numbers("user_us"), e.numbers("sent"), e.numbers("moves")
		if len(users) != r.facts.Ranks || len(sent) != r.facts.Ranks || len(moves) != r.facts.Ranks {
			return fmt.Errorf("it has the totals of %d, %d and %d ranks, of %d", len(users), len(sent), len(moves), r.facts.Ranks)
		}
		all := make([]RankTotal, len(users))
		for i := range all {
			all[i] = RankTotal{time.Duration(users[i]) * time.Microsecond, sent[i], moves[i]}
		}
		call(r.Totals, all)
	case nameTraffic:
		t := Traffic{From: e.number("from"), To: e.ints("to"), Messages: e.numbers("messages"), Bytes: e.numbers("bytes")}
		if len(t.Messages) != len(t.To) || len(t.Bytes) != len(t.To) {
			return fmt.Errorf("a row of its traffic has %d receivers, %d and %d numbers", len(t.To), len(t.Messages), len(t.Bytes))
		}
		call(r.Traffic, t)
	case nameEnd:
		call(r.End, End{Elapsed: time.Duration(e.double("elapsed_s") * 1e9), ExitCode: e.number("exit_code"), Reason: e.text("reason"), Busy: e.double("busy_s"),
			Hidden: e.values["messages_not_shown"].number, Lost: e.values["moves_not_shown"].number, BlockSize: e.number("block")})
	}
	return nil
}
