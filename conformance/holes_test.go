package conformance

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// TestCutSegment runs a program whose read-only data were cut off in its program headers: a process that reads them dies, and so does a rank.
func TestCutSegment(t *testing.T) {
	t.Parallel()
	whole := program(t, ownDir+"/constants.c", "-O1", "-Wl,-z,separate-code")
	r := job{program: whole, workers: 1, ranks: 2}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS constants\n")
	cut := filepath.Join(t.TempDir(), "cut")
	cutConstants(t, whole, cut)
	for _, workers := range []int{1, 2} {
		r = job{program: cut, workers: workers, ranks: 2}.run(t)
		r.expectCode(t, 139)
		r.expectSays(t, "SIGSEGV")
	}
}

// cutConstants halves the segment that follows the code, which the constants are in.
func cutConstants(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	phoff, size := binary.LittleEndian.Uint64(text[32:]), uint64(binary.LittleEndian.Uint16(text[54:]))
	f, err := elf.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	isAfterCode := false
	for i, p := range f.Progs {
		if p.Type == elf.PT_LOAD && isAfterCode {
			h := text[phoff+uint64(i)*size:]
			binary.LittleEndian.PutUint64(h[32:], p.Filesz/2)
			binary.LittleEndian.PutUint64(h[40:], p.Memsz/2)
			break
		}
		isAfterCode = p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0
	}
	if err := os.WriteFile(to, text, 0o777); err != nil {
		t.Fatal(err)
	}
}
