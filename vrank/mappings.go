package vrank

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"ampirun/privatize"
)

// spareMappings are left to what appears while ranks run: Go's heap, threads and their stacks, files that ranks map.
const spareMappings = 512

// checkMappings refuses a job whose ranks need more memory mappings than the kernel allows a process, before any is made.
func (w *worker) checkMappings() error {
	limit, err := maxMappings()
	if err != nil {
		return nil // a kernel that does not tell its limit still says when it is met
	}
	each := w.mappingsPerRank()
	mine := 0
	for id := range w.cfg.Ranks {
		if w.home(id) == w.cfg.PE {
			mine++
		}
	}
	used, err := countMappings()
	if err != nil {
		return err
	}
	used += spareMappings
	w.crowded = w.cfg.Ranks*each+used > limit
	w.spare = spareParts(limit - used - each*w.cfg.Ranks)
	if w.crowded {
		w.spare = spareParts(limit - used - each*mine)
	}
	if mine*each+used <= limit {
		return nil
	}
	return &privatize.Refusal{
		File: w.cfg.Program, Reason: privatize.TooManyMappings,
		What: fmt.Sprintf("%d ranks in one worker need %d memory mappings, %d for each, and vm.max_map_count allows %d", mine, mine*each+used, each, limit),
		Way:  wayOut(w.cfg.Ranks, mine, each, used, limit),
	}
}

// spareParts is how many of the mappings that are left ranks may use for holes in their slices: half, since programs map files and protect memory.
func spareParts(left int) int { return max(left/2, 0) }

// wayOut names the number of workers that would do, where there is one, and the setting.
func wayOut(ranks, mine, each, used, limit int) string {
	way := fmt.Sprintf("raise it (sysctl -w vm.max_map_count=%d)", mine*each+used)
	if room := (limit - used) / each; room > 0 {
		way = fmt.Sprintf("take %d workers (+p) or %s", (ranks+room-1)/room, way)
	}
	return way
}

// mappingsPerRank counts what the kernel keeps for a slice: one piece between two guards, which the images cut up.
func (w *worker) mappingsPerRank() int {
	each := 1
	if m, ok := w.images.(interface{ Mappings() int }); ok {
		each += m.Mappings()
	}
	if w.program.ExecStack() {
		each++
	}
	return each
}

func maxMappings() (int, error) {
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(bytes.TrimSpace(text)))
}

// countMappings tells how many this process has.
func countMappings() (int, error) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0, fmt.Errorf("count memory mappings: %w", err)
	}
	return bytes.Count(text, []byte("\n")), nil
}
