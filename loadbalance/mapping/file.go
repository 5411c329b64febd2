package mapping

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ampirun/loadbalance"
)

// Read reads a mapping file: lines of ranks and PEs, each a number or a range "0-7"; "*" stands for all ranks that no
// line names. Several PEs share the ranks of their line in blocks. Or, as in AMPI's files, one PE a line, that of rank 0 first.
// "#" begins a comment. Every rank must be placed, once. Errors name the file and the line.
func Read(name string, text io.Reader, ranks int, pes []loadbalance.PE) ([]int32, error) {
	f := &file{name: name, pes: len(pes), mapping: make([]int32, ranks), line: make([]int, ranks)}
	lines := bufio.NewScanner(text)
	n := 1
	for ; lines.Scan(); n++ {
		content, _, _ := strings.Cut(lines.Text(), "#")
		if strings.TrimSpace(content) == "" {
			continue
		}
		if err := f.take(n, content); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line is longer than %d KiB", name, n, bufio.MaxScanTokenSize>>10)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f.finish()
}

// file is a mapping being read.
type file struct {
	name    string
	pes     int
	mapping []int32
	line    []int // that placed each rank; 0 is none
	next    int   // rank of the next line that is a PE alone; -1 in files of ranks and PEs

	others     span // PEs of the line with "*"
	othersLine int
}

// span is the numbers from first to last.
type span struct{ first, last int }

func (s span) size() int { return s.last - s.first + 1 }

// share is the number of the span that has the i-th of n things, in blocks.
func (s span) share(i, n int) int32 { return int32(s.first + i*s.size()/n) }

func (f *file) take(line int, content string) error {
	words := strings.Fields(content)
	if len(words) == 1 && f.next >= 0 {
		return f.takeNext(line, words[0])
	}
	if f.next > 0 {
		return fmt.Errorf("%q is not a PE, as the lines before have", strings.TrimSpace(content))
	}
	if len(words) != 2 {
		return fmt.Errorf("%q is not ranks and PEs, as in \"0-7 3\"", strings.TrimSpace(content))
	}
	f.next = -1
	pes, err := parseSpan("PE", words[1], f.pes)
	if err != nil {
		return err
	}
	if words[0] == "*" {
		if f.othersLine != 0 {
			return fmt.Errorf("* is already in line %d", f.othersLine)
		}
		f.others, f.othersLine = pes, line
		return nil
	}
	ranks, err := parseSpan("rank", words[0], len(f.mapping))
	if err != nil {
		return err
	}
	for i := range ranks.size() {
		r := ranks.first + i
		if f.line[r] != 0 {
			return fmt.Errorf("rank %d is already placed by line %d", r, f.line[r])
		}
		f.mapping[r], f.line[r] = pes.share(i, ranks.size()), line
	}
	return nil
}

// takeNext places the rank after the last one.
func (f *file) takeNext(line int, word string) error {
	if f.next == len(f.mapping) {
		return fmt.Errorf("a PE for rank %d: the ranks are 0 to %d", f.next, f.next-1)
	}
	pe, err := parseSpan("PE", word, f.pes)
	if err == nil && pe.size() > 1 {
		err = fmt.Errorf("%q is not one PE, as the lines before have", word)
	}
	if err != nil {
		return err
	}
	f.mapping[f.next], f.line[f.next] = int32(pe.first), line
	f.next++
	return nil
}

// parseSpan reads "5" or "5-9", of things numbered from 0 to count-1.
func parseSpan(what, text string, count int) (s span, err error) {
	first, last, ranged := strings.Cut(text, "-")
	if !ranged {
		last = first
	}
	if s.first, err = strconv.Atoi(first); err == nil {
		s.last, err = strconv.Atoi(last)
	}
	switch {
	case err != nil || s.first < 0:
		return s, fmt.Errorf("%q is not a %s or a range of them", text, what)
	case s.last < s.first:
		return s, fmt.Errorf("%q goes backwards", text)
	case s.last >= count:
		return s, fmt.Errorf("there is no %s %d: they are 0 to %d", what, s.last, count-1)
	}
	return s, nil
}

// finish places the ranks that no line names.
func (f *file) finish() ([]int32, error) {
	var rest []int
	for r, line := range f.line {
		if line == 0 {
			rest = append(rest, r)
		}
	}
	if len(rest) > 0 && f.next > 0 {
		return nil, fmt.Errorf("%s: it has PEs for %d ranks, and the job has %d", f.name, f.next, len(f.mapping))
	}
	if len(rest) > 0 && f.othersLine == 0 {
		return nil, fmt.Errorf("%s: rank %d is not placed (a line \"* PE\" places all the others)", f.name, rest[0])
	}
	for i, r := range rest {
		f.mapping[r] = f.others.share(i, len(rest))
	}
	return f.mapping, nil
}
