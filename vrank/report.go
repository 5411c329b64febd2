package vrank

import (
	"fmt"
	"path/filepath"
	stdstrings "strings"

	"ampirun/privatize"
)

// deadlockLines bounds a deadlock report: the pattern is clear from a few ranks.
const deadlockLines = 16

// Contexts of the predefined communicators, see ampi/init.c.
const (
	contextsEach = 4
	contextWorld = 4
	contextSelf  = 8
)

// deadlockReport says which rank waits in which call for whom.
func deadlockReport(ranks int, name func(fn int) string) string {
	lines := []string{"deadlock: every rank waits for ever"}
	more, arrived := 0, collectiveWaits(ranks)
	for id := range ranks {
		r := rankAt(id)
		if !r.isBlocked() {
			continue
		}
		if len(lines) > deadlockLines {
			more++
			continue
		}
		lines = append(lines, "  "+describeWait(r, arrived, name))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return stdstrings.Join(lines, "\n")
}

// stallReport says what each rank does, as far as it waits or may look again and again.
func (w *worker) stallReport() string {
	lines := []string{fmt.Sprintf("nothing has come of what the ranks do for %v (+stall): no message, no input, no output; the job goes on", w.cfg.Stall)}
	more, arrived := 0, collectiveWaits(w.cfg.Ranks)
	for id := range w.cfg.Ranks {
		state := w.stateOf(rankAt(id), arrived)
		if state == "ended" {
			continue
		}
		if len(lines) > deadlockLines {
			more++
			continue
		}
		lines = append(lines, fmt.Sprintf("  rank %d %s", id, state))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return stdstrings.Join(lines, "\n")
}

// collectiveWaits counts the ranks that wait in collective calls, by communicator.
func collectiveWaits(ranks int) map[uint32]int {
	waits := map[uint32]int{}
	for id := range ranks {
		if r := rankAt(id); r.isBlocked() && r.waiting().members > 0 {
			waits[uint32(r.waiting().context)]++
		}
	}
	return waits
}

func describeWait(r *rank, arrived map[uint32]int, name func(fn int) string) string {
	s := fmt.Sprintf("rank %d waits in %s", r.number(), name(int(r.waiting().fn)))
	return s + describeWaitFor(r, arrived, name)
}

// describeWaitFor says whom a rank waits for; it begins with a blank.
func describeWaitFor(r *rank, arrived map[uint32]int, name func(fn int) string) (s string) {
	if s, ok := windowWait(r); ok {
		return s
	}
	w := r.waiting()
	switch peer := int(w.peer); {
	case peer == rankIsNobody:
		if w.members > 0 {
			s = fmt.Sprintf(" (%d of %d ranks have arrived)", arrived[uint32(w.context)], int(w.members))
		} else if w.count > 0 && w.tag >= 0 && w.tag != w.fn {
			s = " for " + name(int(w.tag))
		}
	case peer == anySource:
		s = " for any rank" + describeTag(int(w.tag))
	default:
		s = fmt.Sprintf(" for rank %d", peer) + describeTag(int(w.tag))
	}
	return s + " of " + communicatorName(uint32(w.context))
}

const (
	anySource = -1
	anyTag    = -2
)

func describeTag(tag int) string {
	if tag == anyTag {
		return ", any tag,"
	}
	return fmt.Sprintf(", tag %d,", tag)
}

func communicatorName(context uint32) string {
	switch context &^ (contextsEach - 1) {
	case contextWorld:
		return "MPI_COMM_WORLD"
	case contextSelf:
		return "MPI_COMM_SELF"
	}
	return fmt.Sprintf("a communicator of its own (context %d)", context)
}

// describePlace says where code is in the program's terms: function, file and line as far as the file's tables tell.
func describePlace(l privatize.Location) string {
	s := "an unnamed function"
	if l.Function != "" {
		s = l.Function + "()"
	}
	if l.File == "" {
		return s + " of " + l.Object
	}
	return fmt.Sprintf("%s %s:%d", s, filepath.Base(l.File), l.Line)
}
