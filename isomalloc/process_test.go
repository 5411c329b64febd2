package isomalloc

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

const workerEnv = "ISO_TEST_WORKER"

// note is what the two processes tell each other; addresses mean the same in both.
type note struct {
	Config Config
	Heap   uintptr
	List   uintptr // linked list: next, value
	Freed  uintptr
}

// A heap made here goes on working in another process, and what that one did is
// seen here: same addresses, same state, nothing copied.
func TestTwoProcessesShareHeap(t *testing.T) {
	if text := os.Getenv(workerEnv); text != "" {
		otherProcess(t, text)
		return
	}
	r := newRegion(t, 1<<20, 1<<30, 4)
	h, err := InitHeap(r.Slice(2), false)
	if err != nil {
		t.Fatal(err)
	}
	n := note{Config: r.Config(), Heap: h.Addr(), Freed: h.Alloc(40)}
	for v := range uint64(1000) {
		n.List = push(t, h, n.List, v)
	}
	runOther(t, r, n)

	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	head := uintptr(*wordAt(r.Control().Lo))
	expectList(t, head, 2000)
	if got := h.Alloc(40); got != n.Freed {
		t.Errorf("the block the other process freed is %#x, this one gets %#x", n.Freed, got)
	}
}

func otherProcess(t *testing.T, text string) {
	var n note
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	r, err := Attach(3, n.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h := HeapAt(n.Heap)
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	expectList(t, n.List, 1000)
	for v := range uint64(1000) {
		n.List = push(t, h, n.List, 1000+v)
	}
	h.Free(n.Freed)
	*wordAt(r.Control().Lo) = uint64(n.List)
}

func runOther(t *testing.T, r *Region, n note) {
	t.Helper()
	text, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestTwoProcessesShareHeap$")
	cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	cmd.ExtraFiles = []*os.File{r.file}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, out)
	}
}

func push(t *testing.T, h Heap, list uintptr, v uint64) uintptr {
	t.Helper()
	p := h.Alloc(24 + v%2000)
	if p == 0 {
		t.Fatal("out of memory")
	}
	*wordAt(p), *wordAt(p + 8) = uint64(list), v
	return p
}

func expectList(t *testing.T, list uintptr, n uint64) {
	t.Helper()
	for ; list != 0; list = uintptr(*wordAt(list)) {
		n--
		if *wordAt(list + 8) != n {
			t.Fatalf("node %#x holds %d, want %d", list, *wordAt(list + 8), n)
		}
	}
	if n != 0 {
		t.Fatalf("the list ends %d nodes early", n)
	}
}
