package conformance

import (
	"math"
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// This decoder knows Perfetto's messages by the numbers in its .proto files, and nothing of the package that writes them.

// perfettoEvent is a TrackEvent of a trace.
type perfettoEvent struct {
	at      uint64
	kind    uint64 // 1 slice begins, 2 slice ends, 3 instant, 4 counter
	track   uint64
	name    string
	numbers map[string]uint64
	texts   map[string]string
	flow    uint64 // begins here
	flowEnd uint64
	counter float64
}

// perfettoTrace is a trace taken apart.
type perfettoTrace struct {
	tracks  map[uint64]string
	parents map[uint64]uint64
	events  []perfettoEvent
}

// protoFields calls visit for each field of a message.
func protoFields(t *testing.T, m []byte, visit func(number protowire.Number, value uint64, bytes []byte)) {
	t.Helper()
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			t.Fatalf("not a message: %v", protowire.ParseError(n))
		}
		m = m[n:]
		var value uint64
		var bytes []byte
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(m)
		case protowire.Fixed64Type:
			value, n = protowire.ConsumeFixed64(m)
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(m)
		default:
			t.Fatalf("field %d has the unexpected type %d", number, kind)
		}
		if n < 0 {
			t.Fatalf("field %d: %v", number, protowire.ParseError(n))
		}
		m = m[n:]
		visit(number, value, bytes)
	}
}

// readPerfetto decodes a file. Names that are used before they are defined, tracks that are not described and packets that do not
// belong to the one sequence are errors.
func readPerfetto(t *testing.T, file string) *perfettoTrace {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tr := &perfettoTrace{tracks: map[uint64]string{}, parents: map[uint64]uint64{}}
	interned := map[protowire.Number]map[uint64]string{2: {}, 3: {}, 29: {}} // InternedData: event names, names and texts of annotations
	first := true
	protoFields(t, data, func(number protowire.Number, _ uint64, packet []byte) {
		if number != 1 {
			t.Fatalf("a trace has the field %d", number)
		}
		var at, sequence, flags uint64
		protoFields(t, packet, func(number protowire.Number, value uint64, bytes []byte) {
			switch number {
			case 8:
				at = value
			case 10:
				sequence = value
			case 13:
				flags = value
			case 12:
				protoFields(t, bytes, func(table protowire.Number, _ uint64, entry []byte) {
					var id uint64
					protoFields(t, entry, func(number protowire.Number, value uint64, text []byte) {
						if number == 1 {
							id = value
						} else if _, again := interned[table][id]; again || id == 0 {
							t.Fatalf("table %d: entry %d is defined twice, or is 0", table, id)
						} else {
							interned[table][id] = string(text)
						}
					})
				})
			case 60:
				tr.describe(t, bytes)
			case 11:
				tr.event(t, at, bytes, interned)
			default:
				t.Fatalf("a packet has the field %d", number)
			}
		})
		if sequence == 0 || flags&2 == 0 || first != (flags&1 != 0) {
			t.Fatalf("a packet is of sequence %d and has the flags %d; first: %v", sequence, flags, first)
		}
		first = false
	})
	return tr
}

func (tr *perfettoTrace) describe(t *testing.T, m []byte) {
	var id, parent uint64
	name := ""
	protoFields(t, m, func(number protowire.Number, value uint64, bytes []byte) {
		switch number {
		case 1:
			id = value
		case 2:
			name = string(bytes)
		case 5:
			parent = value
		}
	})
	if _, known := tr.tracks[parent]; parent != 0 && !known {
		t.Fatalf("track %d is below %d, which is not described", id, parent)
	}
	tr.tracks[id], tr.parents[id] = name, parent
}

func (tr *perfettoTrace) event(t *testing.T, at uint64, m []byte, interned map[protowire.Number]map[uint64]string) {
	e := perfettoEvent{at: at, numbers: map[string]uint64{}, texts: map[string]string{}}
	lookUp := func(table protowire.Number, id uint64) string {
		text, known := interned[table][id]
		if !known {
			t.Fatalf("table %d has no entry %d", table, id)
		}
		return text
	}
	protoFields(t, m, func(number protowire.Number, value uint64, bytes []byte) {
		switch number {
		case 9:
			e.kind = value
		case 10:
			e.name = lookUp(2, value)
		case 11:
			e.track = value
		case 44:
			e.counter = math.Float64frombits(value)
		case 47:
			e.flow = value
		case 48:
			e.flowEnd = value
		case 4:
			key := ""
			protoFields(t, bytes, func(number protowire.Number, value uint64, text []byte) {
				switch number {
				case 1:
					key = lookUp(3, value)
				case 3:
					e.numbers[key] = value
				case 6:
					e.texts[key] = string(text)
				case 17:
					e.texts[key] = lookUp(29, value)
				}
			})
		}
	})
	if _, known := tr.tracks[e.track]; !known {
		t.Fatalf("%q is on track %d, which is not described", e.name, e.track)
	}
	tr.events = append(tr.events, e)
}

// perfettoSlice is a slice of a track.
type perfettoSlice struct {
	name     string
	from, to uint64
	begin    *perfettoEvent
}

// slices pairs the begins and ends of a track, whose slices must follow each other without overlapping.
func (tr *perfettoTrace) slices(t *testing.T, track uint64) (all []perfettoSlice) {
	t.Helper()
	var open *perfettoEvent
	last := uint64(0)
	for i := range tr.events {
		e := &tr.events[i]
		if e.track != track {
			continue
		}
		if e.at < last {
			t.Fatalf("%s: %q is at %d, what was before it at %d", tr.tracks[track], e.name, e.at, last)
		}
		last = e.at
		switch {
		case e.kind == 1 && open == nil:
			open = e
		case e.kind == 2 && open != nil:
			all = append(all, perfettoSlice{open.name, open.at, e.at, open})
			open = nil
		default:
			t.Fatalf("%s: an event of type %d at %d, in the middle of a slice: %v", tr.tracks[track], e.kind, e.at, open != nil)
		}
	}
	if open != nil {
		t.Fatalf("%s: %q does not end", tr.tracks[track], open.name)
	}
	return all
}

// trackNamed is the number of a track.
func (tr *perfettoTrace) trackNamed(t *testing.T, name string) uint64 {
	t.Helper()
	for id, n := range tr.tracks {
		if n == name {
			return id
		}
	}
	t.Fatalf("there is no track %q", name)
	return 0
}

// named are the events of a name.
func (tr *perfettoTrace) named(name string) (all []*perfettoEvent) {
	for i := range tr.events {
		if tr.events[i].name == name {
			all = append(all, &tr.events[i])
		}
	}
	return all
}
