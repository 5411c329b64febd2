package vrank

import (
	"testing"
	"unsafe"
)

// after tells whether followsCall takes the address behind these bytes for a return address.
func after(code []byte) bool {
	mapped := make([]byte, 32+len(code))
	for i := range mapped {
		mapped[i] = 0x90
	}
	copy(mapped[16:], code)
	return followsCall(uintptr(unsafe.Pointer(&mapped[16+len(code)])))
}

// The encodings are what as makes of the instruction in the name.
func TestFollowsCall(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		call bool
	}{
		{"call rel32", []byte{0xe8, 0x12, 0x34, 0x56, 0x00}, true},
		{"call rel32 backwards", []byte{0xe8, 0xf0, 0xff, 0xff, 0xff}, true},
		{"call *%rax", []byte{0xff, 0xd0}, true},
		{"call *%rdi", []byte{0xff, 0xd7}, true},
		{"call *%r11", []byte{0x41, 0xff, 0xd3}, true},
		{"call *(%rax)", []byte{0xff, 0x10}, true},
		{"call *(%r12)", []byte{0x41, 0xff, 0x14, 0x24}, true},
		{"call *(%rsp)", []byte{0xff, 0x14, 0x24}, true},
		{"call *8(%rbx)", []byte{0xff, 0x53, 0x08}, true},
		{"call *8(%r13)", []byte{0x41, 0xff, 0x55, 0x08}, true},
		{"call *(%rbx,%rax,8)", []byte{0xff, 0x14, 0xc3}, true},
		{"call *16(%rsp)", []byte{0xff, 0x54, 0x24, 0x10}, true},
		{"call *0x2fe2(%rip)", []byte{0xff, 0x15, 0xe2, 0x2f, 0x00, 0x00}, true},
		{"call *0x100(%rax)", []byte{0xff, 0x90, 0x00, 0x01, 0x00, 0x00}, true},
		{"call *0x100(%rsp)", []byte{0xff, 0x94, 0x24, 0x00, 0x01, 0x00, 0x00}, true},
		{"call *0x404000(,%rax,8)", []byte{0xff, 0x14, 0xc5, 0x00, 0x40, 0x40, 0x00}, true},
		{"nop", []byte{0x90}, false},
		{"jmp rel32", []byte{0xe9, 0x12, 0x34, 0x56, 0x00}, false},
		{"jmp *%rax", []byte{0xff, 0xe0}, false},
		{"jmp *0x2fe2(%rip)", []byte{0xff, 0x25, 0xe2, 0x2f, 0x00, 0x00}, false},
		{"push (%rax)", []byte{0xff, 0x30}, false},
		{"incl (%rax)", []byte{0xff, 0x00}, false},
		{"decl 8(%rbx)", []byte{0xff, 0x4b, 0x08}, false},
		{"lcall *(%rax)", []byte{0xff, 0x18}, false},
		{"mov %rax,%rbx", []byte{0x48, 0x89, 0xc3}, false},
		{"ret", []byte{0xc3}, false},
		{"movl $1,8(%rsp)", []byte{0xc7, 0x44, 0x24, 0x08, 0x01, 0x00, 0x00, 0x00}, false},
	} {
		if got := after(c.code); got != c.call {
			t.Errorf("%s (% x): %v", c.name, c.code, got)
		}
	}
}
