package vrank

import "unsafe"

// followsCall tells whether the instruction before an address of mapped code is a call: direct (e8 and four bytes), or
// indirect through a register or memory (ff with 2 in its second operand field, two to seven bytes long).
func followsCall(addr uintptr) bool {
	const longest = 7
	b := unsafe.Slice((*byte)(at(addr-longest)), longest)
	if b[longest-5] == 0xe8 {
		return true
	}
	for _, n := range []int{2, 3, 4, 6, 7} {
		if b[longest-n] == 0xff && b[longest-n+1]>>3&7 == 2 {
			return true
		}
	}
	return false
}
