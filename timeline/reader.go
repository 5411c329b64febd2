package timeline

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Handler takes what a trace says, in the order of the file: that of time for the runs, messages and moves of one PE. Ranks and PEs are
// those of the facts. Functions that are nil are not called.
type Handler struct {
	Facts   func(Facts) error
	Run     func(Run)
	Message func(Message)
	Move    func(Move)
	Step    func(Step)
	Totals  func([]RankTotal)
	Traffic func(Traffic)
	End     func(End)
}

// ErrForeign tells that a file is not a trace of ours.
var ErrForeign = errors.New("it is not a trace that +trace has written")

// ErrCut tells that a trace ends in the middle: the ampirun that wrote it was killed. What was read before holds.
var ErrCut = errors.New("the trace is cut off")

// maxPacket is the size of the largest packet that is read.
const maxPacket = 256 << 20

// Limits of what is believed of a file.
const (
	maxRanks  = 1 << 24
	maxPEs    = 1 << 12
	maxTime   = 1 << 62 // nanoseconds
	maxDouble = 4e9
)

// Read reads a trace.
func Read(in io.Reader, h Handler) error {
	r := &reader{Handler: h, names: map[uint64]string{}, keys: map[uint64]string{}, texts: map[uint64]string{}}
	buffered := bufio.NewReaderSize(in, 1<<16)
	var packet []byte
	for {
		var err error
		packet, err = readPacket(buffered, packet)
		switch {
		case err == io.EOF && r.facts != nil:
			return nil
		case err == io.EOF, err != nil && r.facts == nil:
			return ErrForeign
		case err != nil:
			return err
		}
		if err := r.packet(packet); err != nil {
			if r.facts == nil {
				return ErrForeign
			}
			return err
		}
	}
}

// readPacket reads the next packet into the memory of the one before.
func readPacket(in *bufio.Reader, packet []byte) ([]byte, error) {
	tag, err := binary.ReadUvarint(in)
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil || tag != tracePacket<<3|uint64(protowire.BytesType) {
		return nil, ErrForeign
	}
	size, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, ErrCut
	}
	if size > maxPacket {
		return nil, ErrForeign
	}
	if uint64(cap(packet)) < size {
		if packet, err = io.ReadAll(io.LimitReader(in, int64(size))); err != nil || uint64(len(packet)) < size {
			return nil, ErrCut
		}
		return packet, nil
	}
	packet = packet[:size]
	if _, err := io.ReadFull(in, packet); err != nil {
		return nil, ErrCut
	}
	return packet, nil
}

// reader is a trace being read.
type reader struct {
	Handler
	facts              *Facts
	names, keys, texts map[uint64]string
	open               map[uint64]*Run // by track
}

// field is one field of a message.
type field struct {
	number protowire.Number
	value  uint64 // of numbers
	bytes  []byte // of texts and messages
}

// eachField takes a message apart.
func eachField(m []byte, visit func(field) error) error {
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return ErrForeign
		}
		m = m[n:]
		f := field{number: number}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(m)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(m)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(m)
		default:
			n = protowire.ConsumeFieldValue(number, kind, m)
		}
		if n < 0 {
			return ErrForeign
		}
		m = m[n:]
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) packet(p []byte) error {
	var at uint64
	var event []byte
	err := eachField(p, func(f field) error {
		switch f.number {
		case packetTimestamp:
			at = f.value
		case packetInterned:
			return r.learn(f.bytes)
		case packetEvent:
			event = f.bytes
		}
		return nil
	})
	if err != nil || event == nil {
		return err
	}
	if at > maxTime {
		return ErrForeign
	}
	return r.take(int64(at), event)
}

func (r *reader) learn(interned []byte) error {
	return eachField(interned, func(f field) error {
		table := map[protowire.Number]map[uint64]string{internedEventNames: r.names, internedAnnotationNames: r.keys, internedStrings: r.texts}[f.number]
		if table == nil {
			return nil
		}
		var id uint64
		return eachField(f.bytes, func(f field) error {
			switch f.number {
			case entryID:
				id = f.value
			case entryText:
				table[id] = string(f.bytes)
			}
			return nil
		})
	})
}

// event is an event taken apart.
type event struct {
	at                int64
	kind, track, flow uint64
	name              string
	values            map[string]value
}

// value is that of an annotation.
type value struct {
	number uint64
	double float64
	text   string
	array  []value
}

func (r *reader) take(at int64, m []byte) error {
	e := event{at: at}
	err := eachField(m, func(f field) error {
		switch f.number {
		case eventType:
			e.kind = f.value
		case eventTrack:
			e.track = f.value
		case eventName:
			e.name = r.names[f.value]
		case eventFlow, eventFlowEnd:
			e.flow = f.value
		case eventAnnotation:
			key, v, err := r.annotation(f.bytes)
			if e.values == nil {
				e.values = map[string]value{}
			}
			e.values[key] = v
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.facts == nil {
		return r.begin(&e)
	}
	return r.happened(&e)
}

func (r *reader) annotation(m []byte) (key string, v value, err error) {
	err = eachField(m, func(f field) error {
		switch f.number {
		case annotationName:
			key = r.keys[f.value]
		case annotationUint:
			v.number = f.value
		case annotationDouble:
			v.double = math.Float64frombits(f.value)
		case annotationText:
			v.text = string(f.bytes)
		case annotationTextIID:
			v.text = r.texts[f.value]
		case annotationArray:
			_, element, err := r.annotation(f.bytes)
			v.array = append(v.array, element)
			return err
		}
		return nil
	})
	return key, v, err
}

// ---- what events mean ----

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
