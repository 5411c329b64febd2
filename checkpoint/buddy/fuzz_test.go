package buddy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ampirun/checkpoint"
)

// FuzzFrame reads frames. What passes stays what it is when written again; whatever does not is an error.
func FuzzFrame(f *testing.F) {
	for _, m := range []message{{}, {Kind: kindHello, Owner: "job 7", Keep: 2}, {Kind: kindOffer, Size: 1 << 40}, {Kind: kindData, Data: []byte("abc")},
		{Kind: kindWant, Names: []string{"000001-0.pack", "manifest"}}, {Kind: kindDone, Number: 3}, {Kind: kindFailed, Text: "no room"}} {
		frame, err := m.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
	}
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readFrame(bytes.NewReader(data))
		if (m == nil) == (err == nil) {
			t.Fatal(m, err)
		}
		if err != nil {
			if errors.Is(err, io.EOF) && len(data) > 0 {
				t.Fatal("a frame that is cut off looks like a good end")
			}
			return
		}
		frame, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := readFrame(bytes.NewReader(frame)); err != nil || !reflect.DeepEqual(m, again) {
			t.Fatal(m, again, err)
		}
	})
}

// sample is what a sender says that has two checkpoints.
func sample(f *testing.F) []byte {
	f.Helper()
	o := newOrigin(f, 3)
	said := bytes.NewBufferString(greeting)
	add := func(m message) {
		frame, err := m.encode()
		if err != nil {
			f.Fatal(err)
		}
		said.Write(frame)
	}
	add(message{Kind: kindHello, Owner: "job 7 (./heat)", Keep: 2})
	for range 2 {
		files := o.save(f)
		manifest, err := files.Manifest()
		if err != nil {
			f.Fatal(err)
		}
		add(message{Kind: kindOffer, Size: uint64(len(manifest))})
		add(message{Kind: kindData, Data: manifest})
		add(message{})
		in, _, err := files.Open("00000" + string('0'+rune(files.Number)) + "-0.pack")
		if err != nil {
			f.Fatal(err)
		}
		pack, err := io.ReadAll(in)
		if err != nil {
			f.Fatal(err)
		}
		add(message{Kind: kindData, Data: pack})
		o.change(1, 1)
	}
	return said.Bytes()
}

// receiveAll is what is in a directory after something has been said to a receiver.
func receiveAll(t testing.TB, said []byte) (*checkpoint.Store, error) {
	dir := t.TempDir()
	err := Receive(t.Context(), dir, bytes.NewReader(said), io.Discard)
	s, bad := checkpoint.View(dir)
	if bad != nil {
		t.Fatal(bad)
	}
	isClean(t, dir)
	return s, err
}

// FuzzReceive says anything to a receiver: what is there afterwards is complete and right.
func FuzzReceive(f *testing.F) {
	said := sample(f)
	if s, err := receiveAll(f, said); err != nil {
		f.Fatal(err)
	} else if numbers, err := s.Numbers(); err != nil || len(numbers) != 2 {
		f.Fatal(numbers, err)
	}
	f.Add(uint32(0), uint32(1<<30), []byte{})
	f.Add(uint32(60), uint32(1<<30), []byte{1, 2})
	f.Add(uint32(len(said)-100), uint32(1<<30), []byte{1, 2})
	f.Add(uint32(0), uint32(len(said)/2), []byte{})
	f.Fuzz(func(t *testing.T, at, cut uint32, over []byte) {
		if int64(at)+int64(len(over)) > int64(len(said)) {
			return
		}
		bad := bytes.Clone(said)
		copy(bad[at:], over)
		bad = bad[:min(int(cut), len(bad))]
		s, _ := receiveAll(t, bad)
		numbers, err := s.Numbers()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range numbers {
			g, err := s.Generation(n)
			if err == nil {
				err = g.Verify()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestWrongMessages says what a sender never does.
func TestWrongMessages(t *testing.T) {
	frames := func(all ...message) []byte {
		said := []byte(greeting)
		for _, m := range all {
			frame, err := m.encode()
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, frame...)
		}
		return said
	}
	hello := message{Kind: kindHello, Keep: 1}
	for what, c := range map[string]struct {
		said []byte
		want string
	}{
		"nothing":         {nil, ""},
		"a greeting":      {frames(), ""},
		"hello":           {frames(hello), ""},
		"a web browser":   {[]byte("GET / HTTP/1.1\r\n\r\n"), `it begins with "GET / HT"`},
		"no hello":        {frames(message{Kind: kindOffer, Size: 3}), "a message of kind 3 where one of kind 1 is expected"},
		"to keep":         {frames(message{Kind: kindHello, Keep: -1}), "-1 checkpoints to keep"},
		"a huge manifest": {frames(hello, message{Kind: kindOffer, Size: 1 << 50}), "a manifest of 1125899906842624 bytes"},
		"no manifest":     {frames(hello, message{Kind: kindOffer, Size: 5}, message{Kind: kindData, Data: []byte("12345")}), "it is not the manifest of a checkpoint"},
		"too much":        {frames(hello, message{Kind: kindOffer, Size: 5}, message{Kind: kindData, Data: []byte("123456")}), "6 bytes where 5 are expected"},
		"no bytes":        {frames(hello, message{Kind: kindOffer, Size: 5}, message{Kind: kindData}), "0 bytes where 5 are expected"},
		"half an offer":   {frames(hello, message{Kind: kindOffer, Size: 5}), "ends in the middle of a checkpoint"},
		"another kind":    {frames(hello, message{Kind: 99}), "a message of kind 99"},
		"no CBOR":         {append(frames(hello), 0, 0, 0, 1, 0xff), "a message that is none: "},
		"an empty frame":  {append(frames(hello), 0, 0, 0, 0), "a message that is none"},
		"a huge frame":    {append(frames(hello), 0xff, 0, 0, 1, 0xff), "a message of 4278190081 bytes"},
	} {
		dir := filepath.Join(t.TempDir(), "dir")
		var answer bytes.Buffer
		err := Receive(t.Context(), dir, bytes.NewReader(c.said), &answer)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", what, err)
		case c.want != "" && err != nil && !strings.Contains(err.Error(), "in the middle") && !strings.Contains(answer.String(), err.Error()):
			t.Errorf("%s: the sender is not told", what)
		}
		if found, _ := os.ReadDir(dir); len(found) > 1 {
			t.Errorf("%s: left behind: %v", what, found)
		}
	}
}
