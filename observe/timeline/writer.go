package timeline

import (
	"io"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Writer writes a trace. What is added is kept until Flush, which writes whole packets, so that a file that is cut off there is a trace.
type Writer struct {
	out                       io.Writer
	pending                   message
	event, annotation, packet message // being made
	interned                  message // new names, for the packet that needs them
	names, keys, texts        map[string]uint64
	ranks                     []uint64 // numbers of their names
	begun                     bool
}

// NewWriter begins a trace.
func NewWriter(out io.Writer, f Facts) *Writer {
	w := &Writer{out: out, names: map[string]uint64{}, keys: map[string]uint64{}, texts: map[string]uint64{}, ranks: make([]uint64, f.Ranks)}
	w.track(trackRoot, 0, "ampirun "+f.Program, 0)
	w.track(trackBalancing, trackRoot, "load balancing", 1)
	w.counter(trackImbalance, trackRoot, "imbalance", 2)
	for pe := range f.PEs {
		id, name := trackOfPE(pe), "PE "+strconv.Itoa(pe)
		w.track(id, trackRoot, name, 10+3*pe)
		w.track(id+1, trackRoot, name+" messages", 11+3*pe)
		w.track(id+2, trackRoot, name+" moves", 12+3*pe)
	}
	w.begin(typeInstant, trackRoot, nameJob)
	w.addText("generator", generatorName)
	w.addText("program", f.Program)
	w.addTexts("arguments", f.Args)
	w.addTexts("options", f.Options)
	w.addText("method", f.Method)
	w.addText("version", f.Version)
	w.addText("began", f.Began.Format(time.RFC3339))
	w.addUint("ranks", uint64(f.Ranks))
	w.addUint("pes", uint64(f.PEs))
	w.addUints("mapping", len(f.Mapping), func(i int) uint64 { return uint64(f.Mapping[i]) })
	w.end(0)
	return w
}

// Flush writes what has been added.
func (w *Writer) Flush() error {
	_, err := w.out.Write(w.pending)
	w.pending = w.pending[:0]
	return err
}

// ---- packets ----

// intern gives the number of a text, which goes along with the next packet if it is new.
func (w *Writer) intern(table map[string]uint64, field protowire.Number, text string) uint64 {
	id, known := table[text]
	if !known {
		id = uint64(len(table) + 1)
		table[text] = id
		var entry message
		entry.uint(entryID, id)
		entry.text(entryText, text)
		w.interned.bytes(field, entry)
	}
	return id
}

func (w *Writer) nameOfRank(rank int) uint64 {
	if w.ranks[rank] == 0 {
		w.ranks[rank] = w.intern(w.names, internedEventNames, rankPrefix+strconv.Itoa(rank))
	}
	return w.ranks[rank]
}

// begin begins an event; end adds it to the trace.
func (w *Writer) begin(kind, track uint64, name string) {
	w.beginAs(kind, track, w.intern(w.names, internedEventNames, name))
}

func (w *Writer) beginAs(kind, track, name uint64) {
	w.event = w.event[:0]
	w.event.uint(eventType, kind)
	w.event.uint(eventTrack, track)
	if name != 0 {
		w.event.uint(eventName, name)
	}
}

func (w *Writer) end(at int64) {
	w.packet = w.packet[:0]
	w.packet.uint(packetTimestamp, uint64(max(at, 0)))
	w.seal()
	w.packet.bytes(packetEvent, w.event)
	w.pending.bytes(tracePacket, w.packet)
}

// seal gives a packet its place in the sequence.
func (w *Writer) seal() {
	w.packet.uint(packetSequence, sequence)
	if !w.begun {
		w.packet.uint(packetFlags, flagCleared|flagNeeds)
	} else {
		w.packet.uint(packetFlags, flagNeeds)
	}
	w.begun = true
	if len(w.interned) > 0 {
		w.packet.bytes(packetInterned, w.interned)
		w.interned = w.interned[:0]
	}
}

func (w *Writer) track(id, parent uint64, name string, rank int) {
	w.describe(id, parent, name, rank, false)
}

func (w *Writer) counter(id, parent uint64, name string, rank int) {
	w.describe(id, parent, name, rank, true)
}

func (w *Writer) describe(id, parent uint64, name string, rank int, counter bool) {
	var d message
	d.uint(descriptorID, id)
	d.text(descriptorName, name)
	if parent != 0 {
		d.uint(descriptorParent, parent)
		d.uint(descriptorRank, uint64(rank))
	} else {
		d.uint(descriptorOrdering, orderExplicit)
	}
	if counter {
		d.bytes(descriptorCounter, nil)
	}
	w.packet = w.packet[:0]
	w.seal()
	w.packet.bytes(packetDescriptor, d)
	w.pending.bytes(tracePacket, w.packet)
}

// ---- annotations ----

func (w *Writer) annotate(key string, value func(a *message)) {
	w.annotation = w.annotation[:0]
	w.annotation.uint(annotationName, w.intern(w.keys, internedAnnotationNames, key))
	value(&w.annotation)
	w.event.bytes(eventAnnotation, w.annotation)
}

func (w *Writer) addUint(key string, v uint64) {
	w.annotate(key, func(a *message) { a.uint(annotationUint, v) })
}

func (w *Writer) addDouble(key string, v float64) {
	w.annotate(key, func(a *message) { a.double(annotationDouble, v) })
}

func (w *Writer) addText(key, v string) {
	w.annotate(key, func(a *message) { a.text(annotationText, v) })
}

// addOften is addText for texts that come again and again.
func (w *Writer) addOften(key, v string) {
	id := w.intern(w.texts, internedStrings, v)
	w.annotate(key, func(a *message) { a.uint(annotationTextIID, id) })
}

func (w *Writer) addArray(key string, n int, element func(e *message, i int)) {
	w.annotate(key, func(a *message) {
		var e message
		for i := range n {
			e = e[:0]
			element(&e, i)
			a.bytes(annotationArray, e)
		}
	})
}

func (w *Writer) addTexts(key string, v []string) {
	w.addArray(key, len(v), func(e *message, i int) { e.text(annotationText, v[i]) })
}

func (w *Writer) addUints(key string, n int, v func(i int) uint64) {
	w.addArray(key, n, func(e *message, i int) { e.uint(annotationUint, v(i)) })
}
