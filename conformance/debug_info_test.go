package conformance

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// debugBuild is a way to compile debugged.c, and what is done with the program then; a.out is its name.
type debugBuild struct {
	name  string
	flags []string
	then  [][]string
}

// apart moves the debug information into a file of that name.
func apart(name string) [][]string {
	return [][]string{{"mkdir", "-p", filepath.Dir(name)}, {"objcopy", "--only-keep-debug", "a.out", name}, {"objcopy", "--strip-all", "--add-gnu-debuglink=" + name, "a.out"}}
}

// TestFaultDebugInfo names functions and lines however compilers and linkers write them down, and wherever they are kept.
func TestFaultDebugInfo(t *testing.T) {
	t.Parallel()
	rows := []debugBuild{
		{"zlib", []string{"-gz"}, nil},
		{"zstd", []string{"-Wl,--compress-debug-sections=zstd"}, nil},
		{"dwarf4", []string{"-gdwarf-4", "-fdebug-types-section"}, nil},
		{"dwo", []string{"-gsplit-dwarf"}, nil},
		{"lto", []string{"-flto"}, nil},
		{"beside", nil, apart("a.out.debug")},
		{"folder", nil, apart(".debug/a.debug")},
	}
	each(t, rows, func(b debugBuild) string { return b.name }, func(t *testing.T, b debugBuild) {
		if b.name == "zstd" && exec.Command("sh", "-c", "ld --help | grep -q zstd").Run() != nil {
			t.Skip("ld does not know zstd here: binutils 2.40 and newer do")
		}
		dir := t.TempDir()
		sources, err := filepath.Abs(filepath.Dir(debugged))
		if err != nil {
			t.Fatal(err)
		}
		args := append([]string{tool("ampicc"), "-g", "-O0", "-o", "a.out", sources + "/debugged.c", sources + "/parts.c"}, b.flags...)
		for _, args := range append([][]string{args}, b.then...) {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = dir
			if err := quiet(cmd); err != nil {
				t.Fatal(err)
			}
		}
		r := job{program: filepath.Join(dir, "a.out"), args: []string{"callback"}, workers: 1, ranks: 3}.run(t)
		r.expectFailure(t)
		r.expectSays(t, "rank 2: SIGSEGV at address 0x8 in compare() parts.c:", "crash_in_callback() parts.c:", "main() debugged.c:")
	})
}
