package timeline

import (
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields in Perfetto's messages, by its .proto files (github.com/google/perfetto, protos/perfetto/trace).
const (
	tracePacket = 1 // of Trace

	packetTimestamp  = 8
	packetSequence   = 10 // trusted_packet_sequence_id
	packetEvent      = 11 // track_event
	packetInterned   = 12 // interned_data
	packetFlags      = 13 // sequence_flags
	packetDescriptor = 60 // track_descriptor

	internedEventNames      = 2
	internedAnnotationNames = 3
	internedStrings         = 29 // debug_annotation_string_values
	entryID                 = 1
	entryText               = 2

	descriptorID       = 1
	descriptorName     = 2
	descriptorParent   = 5
	descriptorCounter  = 8
	descriptorOrdering = 11 // child_ordering
	descriptorRank     = 12 // sibling_order_rank

	eventAnnotation  = 4
	eventType        = 9
	eventName        = 10 // name_iid
	eventTrack       = 11
	eventCounter     = 44 // double_counter_value
	eventFlow        = 47
	eventFlowEnd     = 48 // terminating_flow_ids
	eventCorrelation = 52 // correlation_id: the same colour for a rank everywhere

	annotationName    = 1 // name_iid
	annotationUint    = 3
	annotationDouble  = 5
	annotationText    = 6
	annotationArray   = 12
	annotationTextIID = 17
)

// Values of enumerations.
const (
	typeBegin   = 1
	typeEnd     = 2
	typeInstant = 3
	typeCounter = 4

	flagCleared = 1 // what was interned before does not count
	flagNeeds   = 2

	orderExplicit = 3
)

// sequence is the number of our one sequence of packets.
const sequence = 1

// Tracks by their numbers; each PE has tracksOfPE of them.
const (
	trackRoot      = 1
	trackBalancing = 2
	trackImbalance = 3
	trackFirstPE   = 16
	tracksOfPE     = 4 // runs, messages, moves, and one that is free
)

func trackOfPE(pe int) uint64 { return trackFirstPE + tracksOfPE*uint64(pe) }

// message is a message of protocol buffers that grows.
type message []byte

func (m *message) uint(field protowire.Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

func (m *message) fixed(field protowire.Number, v uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), v)
}

func (m *message) double(field protowire.Number, v float64) { m.fixed(field, math.Float64bits(v)) }

func (m *message) bytes(field protowire.Number, v []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), v)
}

func (m *message) text(field protowire.Number, v string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), strings.ToValidUTF8(v, "\uFFFD"))
}
