package conformance

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/job/control"
)

// openTerminal makes a terminal of so many columns: what is written to its end comes out of the other one.
func openTerminal(t *testing.T, columns int) (screen, end *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	if err == nil {
		end, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	return screen, end
}

// shown is what a terminal shows in the end: lines that were returned to and cleared are gone.
func shown(text string) (lines []string) {
	line := ""
	for _, part := range regexp.MustCompile(`\r\n|\r|\x1b\[K|[^\r\x1b]+`).FindAllString(text, -1) {
		switch part {
		case "\r\n":
			lines = append(lines, line)
			line = ""
		case "\r":
			line = ""
		case "\x1b[K":
		default:
			line += part
		}
	}
	return append(lines, line)
}

// watch reads what a terminal shows until the last process that has it has ended; look gets what it was so far.
func watch(screen *os.File, look func(text string)) (text string) {
	buffer := make([]byte, 4096)
	for {
		n, err := screen.Read(buffer)
		text += string(buffer[:n])
		look(text)
		if err != nil {
			return text
		}
	}
}

// startOn starts a command with a terminal for its output, and bounds how long it may take.
func startOn(t *testing.T, cmd *exec.Cmd, terminal *os.File) {
	t.Helper()
	cmd.Stdout, cmd.Stderr = terminal, terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
}

// TestProgressOnATerminal checks that the live line is drawn in place, never mixes with lines of ranks, and is gone in the end.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	const ranks, lines, columns = 4, 6, 60
	screen, end := openTerminal(t, columns)
	j := job{program: program(t, ownDir+"/waits.c"), args: []string{fmt.Sprint(lines)}, workers: 2, ranks: ranks, flags: []string{"+progress"}}
	cmd, _ := j.command(t)
	cmd.Stdin = nil
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	startOn(t, cmd, end)
	told := false
	text := watch(screen, func(text string) {
		if !told && strings.Count(text, "PEs busy") >= 2 {
			told = true
			io.WriteString(stdin, "go on\n")
		}
	})
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%q", err, text)
	}
	var want []string
	for rank := range ranks {
		for i := range lines {
			want = append(want, fmt.Sprintf("rank %d line %d.", rank, i))
		}
	}
	got := shown(text)
	slices.Sort(got)
	slices.Sort(want)
	if want = append([]string{""}, want...); !slices.Equal(got, want) {
		t.Errorf("the terminal shows %q\nwant %q\nfrom %q", got, want, text)
	}
	for _, status := range regexp.MustCompile(`\r(ampirun: [^\x1b]*)`).FindAllStringSubmatch(text, -1) {
		if len(status[1]) >= columns {
			t.Errorf("the line %q wraps in %d columns", status[1], columns)
		}
	}
}

// TestProgressGoesOn watches a job that loses a worker, and then gets others: the line goes on, and is about what is there.
func TestProgressGoesOn(t *testing.T) {
	t.Parallel()
	screen, end := openTerminal(t, 150)
	j, stop := computesOn(t)
	j.flags = []string{"+progress", "+ft", "memory", "+ckpt-every", often}
	cmd, mark := j.command(t)
	startOn(t, cmd, end)
	l := &life{t: t, mark: mark}
	acts := []func(){
		func() { l.strike(syscall.SIGKILL) },
		func() { go tell(t, cmd.Process.Pid, control.Request{Verb: "scale", Args: []int{3}}) },
		func() { touch(t, stop) },
	}
	begins := []int{0} // of the parts of the text, in which there are some lines each
	text := watch(screen, func(text string) {
		if n := len(begins); n <= len(acts) && len(progressLines(text[begins[n-1]:])) >= 3 {
			begins = append(begins, len(text))
			acts[n-1]()
		}
	})
	if err := cmd.Wait(); err != nil || len(begins) <= len(acts) {
		t.Fatalf("%v\n%q", err, text)
	}
	last := progressLine{}
	for _, line := range progressLines(text) {
		if line.elapsed < last.elapsed || line.busy > float64(line.pes) || line.imbalance < 1 || line.imbalance > float64(line.pes) || line.left > j.ranks || line.ranks != j.ranks {
			t.Errorf("%+v comes after %+v", line, last)
		}
		last = line
	}
	for i, pes := range []int{2, 2, 3} {
		part := progressLines(text[begins[i]:begins[i+1]])
		if last := part[len(part)-1]; last.pes != pes {
			t.Errorf("part %d ends with %+v, want %d PEs", i, last, pes)
		}
	}
	checkGone(t, mark, cmd.Args)
}

// progressLine is what the live line says.
type progressLine struct {
	elapsed         float64 // seconds
	busy, imbalance float64
	pes             int
	left, ranks     int
}

// progressLines finds those that are whole.
func progressLines(text string) (lines []progressLine) {
	pattern := regexp.MustCompile(`ampirun: ([\d.:]+)( m?s)?, ([\d.]+) of (\d+) PEs busy, imbalance ([\d.]+), \d+ moves, \d[\d.]*( [kMG])? messages/s, (\d+) of (\d+) ranks`)
	for _, f := range pattern.FindAllStringSubmatch(text, -1) {
		var l progressLine
		for field, to := range map[int]any{3: &l.busy, 4: &l.pes, 5: &l.imbalance, 7: &l.left, 8: &l.ranks} {
			fmt.Sscan(f[field], to)
		}
		var h, m float64
		switch f[2] {
		case " s", " ms":
			fmt.Sscan(f[1], &l.elapsed)
		default:
			fmt.Sscanf(strings.ReplaceAll(f[1], ":", " "), "%g %g %g", &h, &m, &l.elapsed)
		}
		if l.elapsed += 3600*h + 60*m; f[2] == " ms" {
			l.elapsed /= 1000
		}
		lines = append(lines, l)
	}
	return lines
}
