package vrank

import "unsafe"

// followsCall tells whether the instruction before an address of mapped code is a call: direct (e8 and four bytes), or
// indirect through a register or memory (ff with 2 in the middle of its ModRM byte, which says how long it is).
func followsCall(addr uintptr) bool {
	const longest = 7
	b := unsafe.Slice((*byte)(at(addr-longest)), longest)
	if b[longest-5] == 0xe8 {
		return true
	}
	for _, n := range []int{2, 3, 4, 6, 7} {
		if b[longest-n] == 0xff && b[longest-n+1]>>3&7 == 2 && n == callLength(b[longest-n+1:]) {
			return true
		}
	}
	return false
}

// callLength is the length of an indirect call from its ModRM byte on: opcode, ModRM, SIB and displacement.
func callLength(b []byte) int {
	mod, rm := b[0]>>6, b[0]&7
	n := 2
	if mod != 3 && rm == 4 {
		n++
		if mod == 0 && b[1]&7 == 5 { // no base register
			return n + 4
		}
	}
	switch {
	case mod == 1:
		n++
	case mod == 2, mod == 0 && rm == 5:
		n += 4
	}
	return n
}
