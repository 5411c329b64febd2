package conformance

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

// TestProgressOnATerminal checks that the live line is drawn in place, never mixes with lines of ranks, and is gone in the end.
func TestProgressOnATerminal(t *testing.T) {
	const ranks, lines, columns = 4, 6, 60
	screen, end := openTerminal(t, columns)
	j := job{program: program(t, ownDir+"/waits.c"), args: []string{fmt.Sprint(lines)}, workers: 2, ranks: ranks, flags: []string{"+progress"}}
	cmd, _ := j.command(t)
	cmd.Stdin = nil
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = end, end
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end.Close()
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	text, told := "", false
	buffer := make([]byte, 4096)
	for {
		n, err := screen.Read(buffer)
		text += string(buffer[:n])
		if !told && strings.Count(text, "PEs busy") >= 2 {
			told = true
			io.WriteString(stdin, "go on\n")
		}
		if err != nil {
			break // the last process that had the terminal has ended
		}
	}
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
