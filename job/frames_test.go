package job

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// capture makes a merger that prints to two files, and returns what they hold.
func capture(t testing.TB, label bool) (m *merger, read func() (stdout, stderr string)) {
	t.Helper()
	open := func(name string) *os.File {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	stdout, stderr := open("out"), open("err")
	m = newMerger(newPrinter(stdout, stderr, func(err error) { t.Error(err) }), label)
	return m, func() (string, string) {
		a, errA := os.ReadFile(stdout.Name())
		b, errB := os.ReadFile(stderr.Name())
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		return string(a), string(b)
	}
}

// feed puts pieces written as "rank stream text".
func feed(m *merger, pieces ...piece) {
	for _, p := range pieces {
		m.update(func() { m.put(p.source, []byte(p.text)) })
	}
}

type piece struct {
	source
	text string
}

func TestMergerKeepsLinesTogether(t *testing.T) {
	a, b, e := source{0, streamOut}, source{1, streamOut}, source{0, streamErr}
	m, read := capture(t, false)
	feed(m, piece{a, "one "}, piece{b, "two\nthr"}, piece{e, "err"}, piece{a, "line\nand "}, piece{b, "ee\n"}, piece{e, "or\n"})
	if out, err := read(); out != "two\none line\nthree\n" || err != "error\n" {
		t.Errorf("%q %q", out, err)
	}
	feed(m, piece{a, ""})
	feed(m, piece{b, "x\n"})
	if out, _ := read(); !strings.HasSuffix(out, "three\nand \nx\n") {
		t.Errorf("%q", out)
	}
}

func TestLabelBeginsEveryLineOnce(t *testing.T) {
	a, b := source{0, streamOut}, source{12, streamOut}
	m, read := capture(t, true)
	long := strings.Repeat("z", longLine+1)
	feed(m, piece{a, "1\n\n2"}, piece{b, "3\n"}, piece{a, "\n"}, piece{b, long}, piece{b, "end\n"}, piece{b, long}, piece{a, "4\n"}, piece{b, "5\n"})
	want := "[0] 1\n[0] \n[12] 3\n[0] 2\n[12] " + long + "end\n[12] " + long + "\n[0] 4\n[12] 5\n"
	if out, _ := read(); out != want {
		t.Errorf("%q", strings.ReplaceAll(out, long, "<long>"))
	}
}

func TestOneFileForBothStreamsKeepsTheOrder(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "both"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := newMerger(newPrinter(f, f, func(err error) { t.Error(err) }), false)
	feed(m, piece{source{0, streamOut}, "a\n"}, piece{source{0, streamErr}, "b\n"}, piece{source{1, streamOut}, "c"}, piece{source{1, streamOut}, ""}, piece{source{0, streamErr}, "d\n"})
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "a\nb\nc\nd\n" {
		t.Errorf("%q %v", got, err)
	}
}

func TestTerminalSeesAnUnfinishedLine(t *testing.T) {
	m, read := capture(t, false)
	pipeR, pipeW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- pump{out: m, idle: idleTime}.plain(pipeR, source{0, streamOut}) }()
	pipeW.WriteString("Number of cells? ")
	waitFor(t, "the prompt", func() bool { out, _ := read(); return out == "Number of cells? " })
	pipeW.WriteString("thanks\n")
	pipeW.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if out, _ := read(); out != "Number of cells? thanks\n" {
		t.Errorf("%q", out)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00a\n\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"), uint8(3))
	f.Add([]byte("this is no frame at all"), uint8(7))
	f.Add([]byte("\x01\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		const ranks = 4
		collect := func(into *[]piece) func(source, []byte) {
			return func(src source, data []byte) { *into = append(*into, piece{src, string(data)}) }
		}
		var whole, parts []piece
		used, err := eachFrame(data, ranks, collect(&whole))
		if used < 0 || used > len(data) {
			t.Fatalf("used %d of %d", used, len(data))
		}
		size := used
		for _, p := range whole {
			if p.rank < 0 || p.rank >= ranks || p.stream != streamOut && p.stream != streamErr {
				t.Fatalf("source %v", p.source)
			}
			size -= frameHeaderSize + len(p.text)
		}
		if size != 0 {
			t.Fatalf("%d bytes of %d are in no frame", size, used)
		}
		var buf []byte
		var partErr error
		for chunk := range slices.Chunk(data, int(step)+1) {
			buf = append(buf, chunk...)
			n, err := eachFrame(buf, ranks, collect(&parts))
			buf = bytes.Clone(buf[n:])
			if partErr = err; err != nil {
				break
			}
		}
		if !slices.Equal(whole, parts) || (err == nil) != (partErr == nil) {
			t.Fatalf("in one piece %v, %v; in parts %v, %v", whole, err, parts, partErr)
		}
	})
}
