package shim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ampirun/shim"
)

// The runtime's half of the table is generated into another folder, so it is compiled and linked here with a stand-in
// for the runtime.
func TestRuntimeTable(t *testing.T) {
	const source = "../ampi/table_gen.c"
	if _, err := os.ReadFile(source); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "prog")
	args := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-I.", "-I..", "-o", program, source, "testdata/runtime.c"}
	command(t, "gcc", append(args, shimObjects(t)...)...)
	want := fmt.Sprintf(`core 1 0 0
rank 258
null %d 258 rank
serve %d: 0 4000000 521 -3 -2 257
send 16
serve %d:
finalize 16
serve %d: -1
pcontrol 16
serve %d: 259
fromint 259
serve %d: 280 -5000000000 403
offset 16
`, shim.FnCommRank, shim.FnSend, shim.FnFinalize, shim.FnPcontrol, shim.FnCommFromint, shim.FnFileSeek)
	compareLines(t, command(t, program), want)
}
