package job

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"slices"
	"sync"
)

// longLine is the length in bytes from which an unfinished line is passed on in parts.
const longLine = 64 << 10

// merger puts the output of all ranks together by whole lines: it keeps the unfinished last line of each source until
// its end comes, grows too long, or the source ends. All methods may be called from any goroutine.
type merger struct {
	mu      sync.Mutex
	label   bool
	partial map[source][]byte
	printer *printer
}

func newMerger(p *printer, label bool) *merger {
	return &merger{label: label, partial: map[source][]byte{}, printer: p}
}

// update runs feed with the lock held and then writes what it has put.
func (m *merger) update(feed func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	feed()
	m.printer.flush()
}

// put adds data of one source; no data at all means that the source has ended. For use inside update.
func (m *merger) put(src source, data []byte) {
	if len(data) == 0 {
		m.pass(src, nil)
		return
	}
	if end := bytes.LastIndexByte(data, '\n') + 1; end > 0 {
		m.pass(src, data[:end])
		data = data[end:]
	}
	if len(data) == 0 {
		return
	}
	rest := append(m.partial[src], data...)
	m.partial[src] = rest
	if len(rest) > longLine {
		m.pass(src, nil)
	}
}

// pass prints the unfinished line of src and what follows it.
func (m *merger) pass(src source, data []byte) {
	if rest, ok := m.partial[src]; ok {
		m.print(src, rest)
		delete(m.partial, src)
	}
	m.print(src, data)
}

func (m *merger) print(src source, data []byte) {
	if !m.label {
		m.printer.write(src, data)
		return
	}
	prefix := []byte(src.label())
	for line := range bytes.Lines(data) {
		if !m.printer.continues(src) {
			m.printer.write(src, prefix)
		}
		m.printer.write(src, line)
	}
}

// hasPartial tells whether any line is unfinished.
func (m *merger) hasPartial() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.partial) > 0
}

// passAll prints all unfinished lines, in the order of ranks.
func (m *merger) passAll() {
	m.update(func() {
		order := slices.SortedFunc(maps.Keys(m.partial), func(a, b source) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.stream, b.stream))
		})
		for _, src := range order {
			m.pass(src, nil)
		}
	})
}

// showStatus and hideStatus are the printer's.
func (m *merger) showStatus(terminal *os.File, line string) {
	m.update(func() { m.printer.showStatus(terminal, line) })
}

func (m *merger) hideStatus() { m.update(m.printer.hideStatus) }

// say prints a line of our own on standard error.
func (m *merger) say(line string) {
	m.update(func() { m.printer.write(source{ourselves, streamErr}, []byte(line+"\n")) })
}

// endLine ends an unfinished line that is on the screen, so that a message can follow on the stream.
func (m *merger) endLine(stream int) {
	m.update(func() {
		m.printer.hideStatus()
		if place := m.printer.places[stream]; place.open {
			m.printer.write(source{place.rank, stream}, []byte{'\n'})
		}
	})
}
