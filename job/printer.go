package job

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// The streams of a rank, numbered as its descriptors.
const (
	streamOut = 1
	streamErr = 2
)

// source is where a piece of output comes from. Plain output of a worker process (of the children of its ranks) has
// the rank -1-PE.
type source struct{ rank, stream int }

// ourselves is the rank of lines that are the manager's own.
const ourselves = math.MinInt

// label names the source at the beginning of a line.
func (s source) label() string {
	if s.rank < 0 {
		return fmt.Sprintf("[PE %d] ", -1-s.rank)
	}
	return fmt.Sprintf("[%d] ", s.rank)
}

// place is a file that output goes to, and whether its last line is unfinished and whose it is. Standard output and
// standard error are one place when they are one file.
type place struct {
	file *os.File
	open bool
	rank int
}

// printer writes to the job's standard output and error, many lines per write. It never lets two sources share a line:
// when a source begins while another one's line is open, it ends that line first. Not safe for concurrent use: the
// merger's lock guards it.
type printer struct {
	places  [3]*place // by stream
	pending []byte
	stream  int         // of pending
	failed  bool        // nothing can be written any more
	onError func(error) // called once, when writing fails
	status  *os.File    // where a status line is shown now; nil: nowhere
}

const printerLimit = 64 << 10 // pending bytes that are written without waiting for a flush

func newPrinter(stdout, stderr *os.File, onError func(error)) *printer {
	p := &printer{onError: onError, stream: streamOut}
	p.places[streamOut] = &place{file: stdout}
	p.places[streamErr] = &place{file: stderr}
	if sameFile(stdout, stderr) {
		p.places[streamErr] = p.places[streamOut]
	}
	return p
}

func sameFile(a, b *os.File) bool {
	x, errX := a.Stat()
	y, errY := b.Stat()
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// continues tells whether src goes on with a line of its own.
func (p *printer) continues(src source) bool {
	place := p.places[src.stream]
	return place.open && place.rank == src.rank
}

// write adds data of one source.
func (p *printer) write(src source, data []byte) {
	if len(data) == 0 || p.failed {
		return
	}
	if src.stream != p.stream {
		p.flush()
		p.stream = src.stream
	}
	place := p.places[src.stream]
	if place.open && place.rank != src.rank {
		p.pending = append(p.pending, '\n')
	}
	p.pending = append(p.pending, data...)
	place.open, place.rank = data[len(data)-1] != '\n', src.rank
	if len(p.pending) >= printerLimit {
		p.flush()
	}
}

// flush writes what is pending.
func (p *printer) flush() {
	if len(p.pending) == 0 || p.failed {
		return
	}
	p.hideStatus()
	_, err := p.places[p.stream].file.Write(p.pending)
	p.pending = p.pending[:0]
	if err != nil {
		p.failed = true
		p.onError(fmt.Errorf("write %s: %w", [...]string{streamOut: "standard output", streamErr: "standard error"}[p.stream], err))
	}
}

// showStatus draws a line on a terminal, in place of the one before. It is left out while a rank's line is unfinished.
func (p *printer) showStatus(terminal *os.File, line string) {
	if p.failed || p.places[streamOut].open || p.places[streamErr].open {
		return
	}
	p.status = terminal
	terminal.WriteString("\r" + line + clearLine)
}

// hideStatus takes the line away, so that something else can be printed.
func (p *printer) hideStatus() {
	if p.status != nil {
		p.status.WriteString("\r" + clearLine)
	}
	p.status = nil
}

// clearLine has a terminal clear what follows on the line.
const clearLine = "\x1b[K"

// isTerminal tells whether somebody watches the file.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Rdev != nullDevice
}

// nullDevice is the device number of /dev/null, the one character device that is a usual place for output and no terminal.
const nullDevice = 1<<8 | 3
