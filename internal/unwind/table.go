package unwind

// entry is the call frame information of one function, with what its common part (CIE) says.
type entry struct {
	start, end uint64 // of the function's code
	code       uint64 // factor of advances
	data       int64  // factor of offsets
	result     uint64 // register that holds the return address
	signal     bool   // the function is one that the kernel seems to have called
	initial    []byte
	program    []byte
	programAt  uint64
	pointers   uint8 // encoding
}

// maxEntry bounds one CIE or FDE, in bytes.
const maxEntry = 1 << 20

// lookup finds the entry for a code address through the sorted table of an .eh_frame_hdr.
func lookup(header, pc uint64, mem Memory) (*entry, bool) {
	var head [32]byte
	if !mem(header, head[:12]) {
		return nil, false
	}
	mem(header+12, head[12:]) // may be less: a table with one entry
	r := newReader(head[:], header)
	version, frame, count, table := r.u8(), r.u8(), r.u8(), r.u8()
	r.pointer(frame, header)
	n := r.pointer(count, header)
	if !r.ok || version != 1 || table != encData|11 || n == 0 || n > 1<<28 {
		return nil, false
	}
	at, ok := search(r.at, header, n, pc, mem)
	if !ok {
		return nil, false
	}
	e, ok := readEntry(at, mem)
	if !ok || pc < e.start || pc >= e.end {
		return nil, false
	}
	return e, true
}

// Function is the code that is described together with pc, mostly one function: [start, end). header is as a Find has it.
func Function(header, pc uint64, mem Memory) (start, end uint64, ok bool) {
	e, ok := lookup(header, pc, mem)
	if !ok {
		return 0, 0, false
	}
	return e.start, e.end, true
}

// search finds the last row whose function begins at or before pc: pairs of 32-bit offsets from the header.
func search(table, header, n, pc uint64, mem Memory) (entry uint64, ok bool) {
	low, high := uint64(0), n
	for low < high {
		middle := (low + high) / 2
		start, _, ok := tableRow(table, header, middle, mem)
		switch {
		case !ok:
			return 0, false
		case start <= pc:
			low = middle + 1
		default:
			high = middle
		}
	}
	if low == 0 {
		return 0, false
	}
	_, entry, ok = tableRow(table, header, low-1, mem)
	return entry, ok
}

func tableRow(table, header, i uint64, mem Memory) (start, entry uint64, ok bool) {
	var b [8]byte
	ok = mem(table+8*i, b[:])
	signed := func(v uint32) uint64 { return header + uint64(int32(v)) }
	return signed(le.Uint32(b[:])), signed(le.Uint32(b[4:])), ok
}

// readBlock reads a CIE or FDE without its length: its first word tells which it is.
func readBlock(at uint64, mem Memory) (*reader, bool) {
	var b [8]byte
	if !mem(at, b[:4]) {
		return nil, false
	}
	n, skip := uint64(le.Uint32(b[:])), uint64(4)
	if n == 0xffffffff {
		if !mem(at+4, b[:]) {
			return nil, false
		}
		n, skip = le.Uint64(b[:]), 12
	}
	if n < 4 || n > maxEntry {
		return nil, false
	}
	body := make([]byte, n)
	if !mem(at+skip, body) {
		return nil, false
	}
	return newReader(body, at+skip), true
}

func readEntry(at uint64, mem Memory) (*entry, bool) {
	r, ok := readBlock(at, mem)
	if !ok {
		return nil, false
	}
	idAt := r.at
	id := uint64(r.u32())
	if id == 0 {
		return nil, false
	}
	e, hasExtra, ok := readCommon(idAt-id, mem)
	if !ok {
		return nil, false
	}
	e.start = r.pointer(e.pointers, 0)
	e.end = e.start + r.pointer(e.pointers&encFormat, 0)
	if hasExtra {
		r.block()
	}
	e.program, e.programAt = r.b, r.at
	return e, r.ok
}

// readCommon reads a CIE.
func readCommon(at uint64, mem Memory) (e *entry, hasExtra, ok bool) {
	r, ok := readBlock(at, mem)
	if !ok || r.u32() != 0 {
		return nil, false, false
	}
	version := r.u8()
	augmentation := r.text()
	e = &entry{code: r.uleb(), data: r.sleb()}
	if version == 1 {
		e.result = uint64(r.u8())
	} else {
		e.result = r.uleb()
	}
	if augmentation != "" {
		hasExtra = augmentation[0] == 'z'
		if !hasExtra || !e.augment(augmentation[1:], r) {
			return nil, false, false
		}
	}
	e.initial = r.b
	return e, hasExtra, r.ok && (version == 1 || version == 3)
}

func (e *entry) augment(letters string, r *reader) bool {
	n := r.uleb()
	if n > uint64(len(r.b)) {
		return false
	}
	at := r.at
	extra := newReader(r.take(n), at)
	for _, letter := range letters {
		switch letter {
		case 'R':
			e.pointers = extra.u8()
		case 'P':
			extra.pointer(extra.u8(), 0)
		case 'L':
			extra.u8()
		case 'S':
			e.signal = true
		case 'B':
		default:
			return false
		}
	}
	return extra.ok
}
