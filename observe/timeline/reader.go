package timeline

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"

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
