package control

import (
	"bytes"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"ampirun/internal/refusal"
	"ampirun/internal/wire"
)

// somebody's verbs, as many numbers as a job's take.
var known = func() map[string]Verb {
	all := map[string]Verb{}
	for name, args := range map[string]int{"status": 0, "scale": 1, "migrate": 2} {
		all[name] = Verb{Args: args, Serve: func(*Client, []int) error { return nil }}
	}
	return all
}()

// TestRequests checks which requests are understood, and what the others are answered.
func TestRequests(t *testing.T) {
	type fields map[string]any
	rows := []struct {
		value any
		says  string
	}{
		{Request{Verb: "status"}, ""},
		{Request{Verb: "migrate", Args: []int{3, 1}}, ""},
		{Request{Verb: "migrate", Args: []int{-3, math.MaxInt}}, ""},
		{fields{"verb": "scale", "args": []int{3}}, ""},
		{"status", "no request"},
		{nil, `no verb ""`},
		{fields{}, `no verb ""`},
		{[]int{}, `no request`},
		{fields{"verb": "dance"}, `no verb "dance"`},
		{fields{"verb": "status", "now": true}, "no request"},
		{fields{"verb": []string{"status"}}, "no request"},
		{fields{"verb": "status", "args": []int{1}}, "status takes 0 numbers, and 1 have come"},
		{fields{"verb": "migrate", "args": []int{1}}, "migrate takes 2 numbers, and 1 have come"},
		{fields{"verb": "migrate", "args": []float64{1, 2.5}}, "no request"},
		{fields{"verb": "migrate", "args": []string{"1", "2"}}, "no request"},
		{fields{"verb": "scale", "args": []uint64{math.MaxUint64}}, "no request"},
		{fields{"verb": strings.Repeat("x", requestSize)}, "at most"},
		{Request{Verb: "scale", Args: make([]int, requestSize)}, "at most"},
	}
	for _, r := range rows {
		data := wire.Frame(r.value)
		request, err := readRequest(bytes.NewReader(data), known)
		switch {
		case r.says == "" && (err != nil || known[request.Verb].Serve == nil):
			t.Errorf("%.80q: %v", data, err)
		case r.says != "" && (err == nil || !strings.Contains(err.Error(), r.says)):
			t.Errorf("%.80q: error %v, want one with %q", data, err, r.says)
		}
		if _, err := readRequest(bytes.NewReader(data[:len(data)-1]), known); err == nil {
			t.Errorf("%.80q is taken without its last byte", data)
		}
	}
	for _, text := range []string{"", "status", "{\"verb\":\"status\"}\n", "\x00\xff\xfe", strings.Repeat("\x81", requestSize-1), strings.Repeat("\x81", 2*requestSize)} {
		if _, err := readRequest(strings.NewReader(text), known); err == nil || refusal.CodeOf(err) != refusal.CodeUsage {
			t.Errorf("%.80q: error %v", text, err)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add(wire.Frame(Request{Verb: "migrate", Args: []int{3, 1}}))
	f.Add(append(wire.Frame(Request{Verb: "status"}), 0x60))
	f.Add([]byte("\xff\x00\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readRequest(bytes.NewReader(data), known)
		if (r == nil) == (err == nil) {
			t.Fatalf("%q: %v, %v", data, r, err)
		}
		if err == nil && (known[r.Verb].Serve == nil || len(r.Args) != known[r.Verb].Args) {
			t.Fatalf("%q: %+v", data, r)
		}
		if err != nil && refusal.CodeOf(err) != refusal.CodeUsage {
			t.Fatalf("%q: %v", data, err)
		}
	})
}

// TestJobsIn checks how jobs are found among the sockets of a machine.
func TestJobsIn(t *testing.T) {
	const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 12345 @ampirun-job-4711
0000000000000000: 00000003 00000000 00000000 0001 03 12346 @ampirun-job-4711
0000000000000000: 00000003 00000000 00000000 0001 03 12347
0000000000000000: 00000002 00000000 00010000 0001 01 12348 @ampirun-job-12
0000000000000000: 00000002 00000000 00010000 0001 01 12349 @ampirun-job-012
0000000000000000: 00000002 00000000 00010000 0001 01 12350 @ampirun-job--3
0000000000000000: 00000002 00000000 00010000 0001 01 12351 @ampirun-job-5x
0000000000000000: 00000002 00000000 00010000 0001 01 12352 /run/@ampirun-job-6

`
	if got := jobsIn(table); !slices.Equal(got, []int{12, 4711}) {
		t.Errorf("jobs %v", got)
	}
}

// TestImpostor checks that a process that has taken the name of another one is found out.
func TestImpostor(t *testing.T) {
	pid := os.Getppid()
	listener, err := net.ListenUnix("unix", address(pid))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	want := fmt.Sprintf("no job of ampirun answers there: process %d has taken its name", os.Getpid())
	if _, err := Contact(pid); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
