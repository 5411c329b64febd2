package unwind_test

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ampirun/internal/unwind"
)

// image is a file's segments as memory, with a stack above them.
type image struct {
	segments map[uint64][]byte
	header   uint64
	file     *elf.File
}

const stackAt = 0x7f0000000000

func (im *image) read(address uint64, p []byte) bool {
	for at, data := range im.segments {
		if address >= at && address-at <= uint64(len(data)) && uint64(len(p)) <= uint64(len(data))-(address-at) {
			copy(p, data[address-at:])
			return true
		}
	}
	return false
}

func (im *image) find(pc uint64) (uint64, bool) {
	return im.header, pc < stackAt
}

func load(t testing.TB, path string) *image {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	im := &image{segments: map[uint64][]byte{}, file: f}
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_LOAD:
			data := make([]byte, p.Filesz)
			if _, err := p.ReadAt(data, 0); err != nil {
				t.Fatal(err)
			}
			im.segments[p.Vaddr] = data
		case elf.PT_GNU_EH_FRAME:
			im.header = p.Vaddr
		}
	}
	return im
}

// source has a function with no frame pointer that saves registers and moves the stack pointer, in the ways that assembly allows.
const source = `
	.text
	.globl	outer, inner, realigned
outer:	.cfi_startproc
	.cfi_undefined rip
	call	inner
after_outer:
	nop
	.cfi_endproc
inner:	.cfi_startproc
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	subq	$40, %rsp
	.cfi_adjust_cfa_offset 40
inside:	nop
	.cfi_remember_state
	addq	$40, %rsp
	.cfi_adjust_cfa_offset -40
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	ret
	.cfi_restore_state
late:	nop
	.cfi_endproc
realigned: .cfi_startproc
	.cfi_escape 0x0f,0x03,0x77,0x10,0x06
	nop
expression: nop
	.cfi_endproc
	.section .note.GNU-stack,"",@progbits
`

func assemble(t testing.TB) *image {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.s"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-shared", "-nostdlib", "-Wl,--eh-frame-hdr", "-o", filepath.Join(dir, "a.so"), filepath.Join(dir, "a.s"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return load(t, filepath.Join(dir, "a.so"))
}

func (im *image) symbol(t testing.TB, name string) uint64 {
	t.Helper()
	symbols, err := im.file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("no symbol %s", name)
	return 0
}

// stack puts words at the stack's address.
func (im *image) stack(words ...uint64) {
	data := []byte{}
	for _, w := range words {
		data = binary.LittleEndian.AppendUint64(data, w)
	}
	im.segments[stackAt] = data
}

func walk(im *image, pc uint64) []unwind.Frame {
	var r unwind.Registers
	r[unwind.RIP], r[unwind.RSP] = pc, stackAt
	return unwind.Walk(r, false, im.read, im.find, 100)
}

func TestWalkEndsWhereTheReturnAddressIsUndefined(t *testing.T) {
	im := assemble(t)
	back := im.symbol(t, "after_outer")
	for name, words := range map[string]int{"inner": 0, "inside": 6, "late": 6} {
		im.stack(append(make([]uint64, words), back, 0, 0)...)
		frames := walk(im, im.symbol(t, name))
		if len(frames) != 2 || frames[1].PC != back || !frames[1].Return || frames[1].SP != stackAt+8*uint64(words)+8 {
			t.Errorf("%s: %+v", name, frames)
		}
	}
}

func TestWalkEvaluatesExpressions(t *testing.T) {
	im := assemble(t)
	back := im.symbol(t, "after_outer")
	im.stack(0, 0, stackAt+48, 0, 0, back, 0, 0) // the frame's address lies at rsp+16
	if frames := walk(im, im.symbol(t, "expression")); len(frames) != 2 || frames[1].PC != back || frames[1].SP != stackAt+48 {
		t.Errorf("%+v", frames)
	}
}

// A call of a null pointer leaves the return address on top of the stack.
func TestWalkFromNowhere(t *testing.T) {
	im := assemble(t)
	inside, back := im.symbol(t, "inside"), im.symbol(t, "after_outer")
	im.stack(inside+1, 0, 0, 0, 0, 0, 0, back, 0)
	if frames := walk(im, 0); len(frames) != 3 || frames[0].PC != 0 || frames[1].PC != inside+1 || frames[2].PC != back {
		t.Errorf("%+v", frames)
	}
}

func TestWalkIsBounded(t *testing.T) {
	im := assemble(t)
	words := make([]uint64, 1000)
	for i := range words {
		words[i] = im.symbol(t, "inside") + 1
	}
	im.stack(words...)
	if frames := walk(im, im.symbol(t, "inside")); len(frames) != 100 {
		t.Errorf("%d frames", len(frames))
	}
}

// FuzzWalk damages unwind information and stack: whatever they hold, the walk ends, with a bounded number of frames.
func FuzzWalk(f *testing.F) {
	im := assemble(f)
	section := im.file.Section(".eh_frame")
	table, err := section.Data()
	if err != nil {
		f.Fatal(err)
	}
	header, err := im.file.Section(".eh_frame_hdr").Data()
	if err != nil {
		f.Fatal(err)
	}
	inside := im.symbol(f, "inside")
	f.Add(header, table, []byte("stack"), inside)
	f.Add(header[:9], table[:20], []byte{}, uint64(0))
	f.Fuzz(func(t *testing.T, header, table, stack []byte, pc uint64) {
		damaged := &image{header: im.header, segments: map[uint64][]byte{im.header: header, section.Addr: table, stackAt: stack}}
		if frames := walk(damaged, pc); len(frames) > 100 {
			t.Fatalf("%d frames", len(frames))
		}
	})
}
