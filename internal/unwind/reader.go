package unwind

import "encoding/binary"

var le = binary.LittleEndian

// reader takes values from bytes that lie at an address. After the first value that does not fit, all are 0 and ok is false.
type reader struct {
	b  []byte
	at uint64 // address of b[0]
	ok bool
}

func newReader(b []byte, at uint64) *reader { return &reader{b, at, true} }

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.ok, r.b = false, nil
		return make([]byte, min(n, 8))
	}
	p := r.b[:n]
	r.b, r.at = r.b[n:], r.at+n
	return p
}

func (r *reader) u8() uint8   { return r.take(1)[0] }
func (r *reader) u16() uint16 { return le.Uint16(r.take(2)) }
func (r *reader) u32() uint32 { return le.Uint32(r.take(4)) }
func (r *reader) u64() uint64 { return le.Uint64(r.take(8)) }

func (r *reader) uleb() (v uint64) {
	for shift := uint(0); r.ok; shift += 7 {
		b := r.u8()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 {
			break
		}
	}
	return v
}

func (r *reader) sleb() (v int64) {
	for shift := uint(0); r.ok; {
		b := r.u8()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b&0x80 != 0 {
			continue
		}
		if shift < 64 && b&0x40 != 0 {
			v |= -1 << shift
		}
		break
	}
	return v
}

func (r *reader) text() string {
	for i, c := range r.b {
		if c == 0 {
			return string(r.take(uint64(i + 1))[:i])
		}
	}
	r.ok = false
	return ""
}

// block is bytes with their length before them.
func (r *reader) block() []byte {
	n := r.uleb()
	if n > uint64(len(r.b)) {
		r.ok = false
		return nil
	}
	return r.take(n)
}

// Encodings of pointers in .eh_frame.
const (
	encAbsent   = 0xff
	encFormat   = 0x0f
	encRelative = 0x70
	encPC       = 0x10
	encData     = 0x30
	encIndirect = 0x80
)

// pointer reads an encoded pointer; data is what data-relative ones count from.
func (r *reader) pointer(encoding uint8, data uint64) uint64 {
	if encoding == encAbsent {
		return 0
	}
	at := r.at
	v := r.value(encoding & encFormat)
	switch encoding & encRelative {
	case 0:
	case encPC:
		v += at
	case encData:
		v += data
	default:
		r.ok = false
	}
	if encoding&encIndirect != 0 { // only personality routines are, and those are not needed
		return 0
	}
	return v
}

func (r *reader) value(format uint8) uint64 {
	switch format {
	case 0, 4, 12:
		return r.u64()
	case 1:
		return r.uleb()
	case 2:
		return uint64(r.u16())
	case 3:
		return uint64(r.u32())
	case 9:
		return uint64(r.sleb())
	case 10:
		return uint64(int16(r.u16()))
	case 11:
		return uint64(int32(r.u32()))
	}
	r.ok = false
	return 0
}
