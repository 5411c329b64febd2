// Package unwind walks stacks by the call frame information that compilers leave in .eh_frame, from registers and memory alone: of
// this process, another one, or a core file. It knows x86-64.
//
// Everything it reads may be damaged. It then finds fewer frames; it never panics and never loops.
package unwind

// Numbers of registers in DWARF for x86-64.
const (
	RBX = 3
	RBP = 6
	RSP = 7
	R12 = 12
	RIP = 16
)

// Registers are rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15 and the address of the code, by their DWARF numbers.
type Registers [17]uint64

// Memory fills p from an address; false when not all of it can be read.
type Memory func(address uint64, p []byte) bool

// Find returns the address of the .eh_frame_hdr of the image that holds pc; false when no image does.
type Find func(pc uint64) (header uint64, ok bool)

// Frame is one function call.
type Frame struct {
	PC uint64
	// Return says that PC is where a call returns to: the call itself is before it. It is not set in the innermost frame and
	// in what a signal has interrupted.
	Return bool
	SP     uint64 // stack pointer there
}

// Site is an address inside of the instruction that the frame is at.
func (f Frame) Site() uint64 {
	if f.Return {
		return f.PC - 1
	}
	return f.PC
}

// Walk returns the frames from the innermost on, at most limit. `returns` says that the program counter is where a call returns to,
// as in the saved context of a thread that has switched away.
func Walk(r Registers, returns bool, mem Memory, find Find, limit int) []Frame {
	var frames []Frame
	for f := (Frame{r[RIP], returns, r[RSP]}); len(frames) < limit && f.PC != 0; {
		frames = append(frames, f)
		next, signal, ok := step(r, f, mem, find)
		if !ok && len(frames) == 1 && !f.Return {
			next, ok = jumped(r, mem)
		}
		if !ok || next[RSP] <= r[RSP] && !signal {
			break
		}
		r = next
		f = Frame{r[RIP], !signal, r[RSP]}
	}
	if len(frames) == 0 && r[RIP] == 0 {
		return walkFromNull(r, mem, find, limit)
	}
	return frames
}

// jumped undoes a call to an address where there is no code.
func jumped(r Registers, mem Memory) (Registers, bool) {
	pc, ok := word(mem, r[RSP])
	if !ok || pc == 0 {
		return r, false
	}
	r[RIP] = pc
	r[RSP] += 8
	return r, true
}

func walkFromNull(r Registers, mem Memory, find Find, limit int) []Frame {
	frames := []Frame{{PC: 0, SP: r[RSP]}}
	if next, ok := jumped(r, mem); ok && limit > 1 {
		frames = append(frames, Walk(next, true, mem, find, limit-1)...)
	}
	return frames
}

// step finds the caller's registers. signal says that the frame is a handler's return, whose caller was interrupted.
func step(r Registers, f Frame, mem Memory, find Find) (next Registers, signal, ok bool) {
	header, ok := find(f.Site())
	if !ok {
		return r, false, false
	}
	e, ok := lookup(header, f.Site(), mem)
	if !ok {
		return r, false, false
	}
	row, ok := e.row(f.Site())
	if !ok {
		return r, false, false
	}
	next, ok = row.apply(r, mem)
	return next, e.signal, ok
}

func word(mem Memory, address uint64) (uint64, bool) {
	var b [8]byte
	ok := mem(address, b[:])
	return le.Uint64(b[:]), ok
}
