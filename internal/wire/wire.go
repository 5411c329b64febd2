// Package wire is how processes of ampirun talk and what checkpoints say is written: CBOR (RFC 8949). Fields have the names that encoding/json
// would give them. Strings may hold any byte, as file names, arguments and environments do.
package wire

import (
	"io"
	"strings"

	"github.com/fxamacker/cbor/v2"
)

// Decoder reads values that stand one after the other, as CBOR sequences do.
type Decoder = cbor.Decoder

var (
	encoding = must(encodingOptions().EncMode())
	decoding = must(decodingOptions(cbor.ExtraDecErrorNone).DecMode())
	strict   = must(decodingOptions(cbor.ExtraDecErrorUnknownField).DecMode())
)

func encodingOptions() cbor.EncOptions {
	o := cbor.CoreDetEncOptions()
	o.Time = cbor.TimeRFC3339Nano
	return o
}

// decodingOptions refuse what our encoder does not write, and what is there to exhaust the reader.
func decodingOptions(extra cbor.ExtraDecErrorCond) cbor.DecOptions {
	return cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		MaxArrayElements: 1 << 27, MaxMapPairs: 1 << 20, MaxNestedLevels: 16,
		UTF8: cbor.UTF8DecodeInvalid, ExtraReturnErrors: extra,
	}
}

func must[M any](mode M, err error) M {
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return mode
}

// Encode never fails for types of ours: one that cannot be encoded is a bug.
func Encode(v any) []byte {
	data, err := encoding.Marshal(v)
	if err != nil {
		panic("BUG: encode: " + err.Error())
	}
	return data
}

// Decode reads one value, which data holds and nothing else.
func Decode(data []byte, v any) error { return decoding.Unmarshal(data, v) }

// NewDecoder reads values from a stream. It may read ahead.
func NewDecoder(in io.Reader) *Decoder { return decoding.NewDecoder(in) }

// NewStrictDecoder does that, and refuses fields that it does not know.
func NewStrictDecoder(in io.Reader) *Decoder { return strict.NewDecoder(in) }

// Reason is what is wrong with data that could not be decoded, without the library's name.
func Reason(err error) string { return strings.TrimPrefix(err.Error(), "cbor: ") }
