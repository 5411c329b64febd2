package job

import (
	"os"
	"testing"
	"time"

	"ampirun/internal/safefile"
	"ampirun/vrank"
)

// TestLasting has a restart take the options of the saved job but for those that are said anew. What its memory needs stays in any case.
func TestLasting(t *testing.T) {
	root, err := safefile.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	was := Lasting{vrank.Lasting{Stack: 1 << 20, Method: "pie", Balance: "GreedyRefine", Period: "5s", Steal: true},
		&Checkpoints{Dir: "/elsewhere", MTBF: time.Hour, Keep: 3, OnTerm: true}, &FT{Mode: FTMemory}}
	r := &Restart{Dir: "/saves", root: root, was: metadata{Options: was}}
	got := r.lasting(Lasting{Lasting: vrank.Lasting{Stack: 64 << 20, Method: "pieglobals"}})
	if got.Lasting != was.Lasting || got.FT != was.FT || *got.Checkpoints != (Checkpoints{Dir: "/saves", MTBF: time.Hour, Keep: 3, OnTerm: true}) {
		t.Errorf("nothing is said: %+v, %+v", got, got.Checkpoints)
	}
	got = r.lasting(Lasting{vrank.Lasting{Balance: "Rotate"}, &Checkpoints{Dir: "/new", Every: time.Minute, Buddy: NoBuddy}, &FT{Mode: FTDisk}})
	want := was.Lasting
	want.Balance = "Rotate"
	if got.Lasting != want || got.FT.Mode != FTDisk || *got.Checkpoints != (Checkpoints{Dir: "/new", Every: time.Minute, Keep: 3, OnTerm: true, Buddy: NoBuddy}) {
		t.Errorf("something is said: %+v, %+v", got, got.Checkpoints)
	}
	if os.Getuid() != 0 {
		return
	}
	if err := os.Chown(root.Path("."), 65534, -1); err != nil {
		t.Fatal(err)
	}
	foreign, err := safefile.Open(root.Path("."))
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	if r.root = foreign; r.lasting(Lasting{}).Checkpoints != nil {
		t.Error("the job would be saved in somebody else's directory")
	}
}
