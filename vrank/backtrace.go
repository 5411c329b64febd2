package vrank

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ampirun/privatize"
)

// Symbolizer finds names and source lines for the places of traces; it keeps what it has read of files.
type Symbolizer struct {
	Copies map[string]string // of files that are not what they were at their paths: where they are read
	files  map[string]*privatize.Symbols
}

// ownProgram is where the worker's program is found, whatever its path is now.
const ownProgram = "/proc/self/exe"

func (s *Symbolizer) symbols(path string) *privatize.Symbols {
	if s.files == nil {
		s.files = map[string]*privatize.Symbols{}
	}
	if path == "" {
		path = ownProgram
	}
	if s.files[path] == nil {
		s.files[path] = privatize.OpenSymbols(path, cmp.Or(s.Copies[path], path))
	}
	return s.files[path]
}

// shownFrames bounds a backtrace: the innermost and the outermost ones.
const shownInner, shownOuter = 24, 8

// Backtrace describes a stack, one line for each call.
func (s *Symbolizer) Backtrace(t *Trace, places []Place) []string {
	var lines []string
	for i, p := range places {
		switch {
		case p.File < 0:
			lines = append(lines, fmt.Sprintf("%#x, which is not code of the program", p.Address))
		case len(t.Files[p.File]) > 0:
			for _, l := range s.symbols(string(t.Files[p.File])).Calls(p.Address) {
				lines = append(lines, describePlace(l))
			}
		case i+1 == len(places) || len(t.Files[max(places[i+1].File, 0)]) > 0 || places[i+1].File < 0:
			name, _ := s.symbols("").Function(p.Address)
			lines = append(lines, entryName(name))
		}
	}
	return number(lines)
}

// entryName is what the program has called for a function of the runtime.
func entryName(function string) string {
	for _, prefix := range []string{"ampi_guard_", "ampi_"} {
		if name, ok := strings.CutPrefix(function, prefix); ok && name != "" && name[0] >= 'A' && name[0] <= 'Z' {
			return "MPI_" + name + "()"
		}
	}
	if name, ok := strings.CutPrefix(function, "vr_bind_"); ok {
		return name + "()"
	}
	return "the runtime"
}

func number(lines []string) []string {
	for i := range lines {
		lines[i] = fmt.Sprintf("#%-2d %s", i, lines[i])
	}
	if left := len(lines) - shownInner - shownOuter; left > 0 {
		lines = slices.Replace(lines, shownInner, shownInner+left, fmt.Sprintf("... %d calls ...", left))
	}
	return lines
}

// Describe says in lines where the ranks of all workers are, and with `notes` what each of them waits for. Ranks at the same place
// share one backtrace.
func (s *Symbolizer) Describe(traces []*Trace, notes bool) []string {
	var lines []string
	for _, g := range s.group(traces) {
		lines = append(lines, fmt.Sprintf("%s: %s", rankList(g.ranks), g.state))
		for _, line := range g.backtrace {
			lines = append(lines, "  "+line)
		}
		if notes {
			lines = append(lines, g.noteLines()...)
		}
	}
	for _, t := range traces {
		if t.Problem != "" {
			lines = append(lines, fmt.Sprintf("worker %d %s", t.PE, t.Problem))
		}
	}
	return lines
}

// group is ranks of any workers that are at the same place.
type group struct {
	ranks     []int
	notes     map[int]string
	state     string
	backtrace []string
}

// group puts the stacks of all workers together, in the order of their lowest ranks.
func (s *Symbolizer) group(traces []*Trace) (groups []*group) {
	for _, t := range traces {
		for _, stack := range t.Stacks {
			backtrace := s.Backtrace(t, stack.Places)
			i := slices.IndexFunc(groups, func(g *group) bool { return g.state == stack.State && slices.Equal(g.backtrace, backtrace) })
			if i < 0 {
				i = len(groups)
				groups = append(groups, &group{state: stack.State, backtrace: backtrace, notes: map[int]string{}})
			}
			g := groups[i]
			g.ranks = append(g.ranks, stack.Ranks...)
			for k, rank := range stack.Ranks {
				if k < len(stack.Notes) {
					g.notes[rank] = stack.Notes[k]
				}
			}
		}
	}
	for _, g := range groups {
		slices.Sort(g.ranks)
	}
	slices.SortFunc(groups, func(a, b *group) int { return a.ranks[0] - b.ranks[0] })
	return groups
}

// shownNotes bounds what is said of single ranks.
const shownNotes = 8

// noteLines says what the ranks wait for, each kind once.
func (g *group) noteLines() (lines []string) {
	same := map[string][]int{}
	var order []string
	for _, rank := range g.ranks {
		note := g.notes[rank]
		if note == "" {
			continue
		}
		if same[note] == nil {
			order = append(order, note)
		}
		same[note] = append(same[note], rank)
	}
	for i, note := range order {
		if i == shownNotes {
			return append(lines, fmt.Sprintf("  and so on for %d more", len(order)-i))
		}
		if len(order) == 1 {
			return []string{"  " + strings.TrimSpace(note)}
		}
		lines = append(lines, "  "+rankList(same[note])+":"+note)
	}
	return lines
}

// rankList names ranks in short: "rank 3", "ranks 0-3,7".
func rankList(ranks []int) string {
	var parts []string
	for i := 0; i < len(ranks); {
		last := i
		for last+1 < len(ranks) && ranks[last+1] == ranks[last]+1 {
			last++
		}
		part := fmt.Sprint(ranks[i])
		if last > i {
			part += fmt.Sprintf("-%d", ranks[last])
		}
		parts, i = append(parts, part), last+1
	}
	if len(ranks) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ",")
}
