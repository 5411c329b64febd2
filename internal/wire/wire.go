// Package wire is how processes of ampirun talk and what checkpoints say is written: CBOR (RFC 8949). Fields have the names that encoding/json
// would give them. Strings may hold any byte, as file names, arguments and environments do.
package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/fxamacker/cbor/v2"
)

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

// must is for modes, which are right or wrong for ever.
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

// Frame is a message: the length of the CBOR in 4 bytes, big-endian, and the CBOR.
func Frame(v any) []byte {
	content := Encode(v)
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(content)), uint32(len(content))), content...)
}

// TooLong is a message of more bytes than are taken.
type TooLong struct{ Size, Limit uint32 }

func (t *TooLong) Error() string {
	return fmt.Sprintf("a message of %d bytes, of which %d are taken at most", t.Size, t.Limit)
}

// ReadFrame reads a message of so many bytes at most; io.EOF only where none begins.
func ReadFrame(in io.Reader, limit uint32, v any) error { return readFrame(in, limit, v, decoding) }

// ReadStrict does that, and refuses fields that it does not know.
func ReadStrict(in io.Reader, limit uint32, v any) error { return readFrame(in, limit, v, strict) }

func readFrame(in io.Reader, limit uint32, v any, mode cbor.DecMode) error {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > limit {
		return &TooLong{size, limit}
	}
	var content bytes.Buffer // grows as bytes arrive: the size may be a lie
	if _, err := io.CopyN(&content, in, int64(size)); err == io.EOF {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	if err := mode.Unmarshal(content.Bytes(), v); err != nil {
		return fmt.Errorf("a message that is none: %s", strings.TrimPrefix(err.Error(), "cbor: ")) // of an empty one the library says io.EOF
	}
	return nil
}
