package job

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"ampirun/internal/human"
	"ampirun/vrank"
)

// statsRows is the number of ranks up to which each has a row of its own.
const statsRows = 64

// statsSteps is the number of steps of load balancing that have a line each.
const statsSteps = 20

// printStats prints what workers measured: a table of PEs, then one of ranks.
func printStats(w io.Writer, stats []*vrank.Stats) {
	told := slices.DeleteFunc(slices.Clone(stats), func(s *vrank.Stats) bool { return s == nil })
	if len(told) == 0 {
		fmt.Fprintln(w, "ampirun: +stats has no figures: the job ended before its workers could report them")
		return
	}
	var ranks []vrank.RankStats
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "PE\tbusy s\tidle s\tload %\tswitches\tranks\t")
	for pe, s := range stats {
		if s == nil {
			fmt.Fprintf(table, "%d\t-\t-\t-\t-\t-\t\n", pe)
			continue
		}
		ranks = append(ranks, s.Ranks...)
		fmt.Fprintf(table, "%d\t%.3f\t%.3f\t%.1f\t%d\t%d\t\n", pe, s.Busy, s.Idle, share(s.Busy, s.Idle), s.Switches, len(s.Ranks))
	}
	fmt.Fprintln(table, "rank\tuser s\tswitches\tsent\treceived\tbytes sent\tbytes received\tmemory\tmoves\t")
	slices.SortFunc(ranks, func(a, b vrank.RankStats) int { return cmp.Compare(a.Rank, b.Rank) })
	if len(ranks) <= statsRows {
		for _, r := range ranks {
			printRank(table, strconv.Itoa(r.Rank), r)
		}
	} else {
		for _, q := range []struct {
			name string
			at   int
		}{{"min", 0}, {"median", len(ranks) / 2}, {"max", len(ranks) - 1}} {
			printRank(table, q.name, quantile(ranks, q.at))
		}
	}
	table.Flush()
	printStolen(w, told)
	printCopied(w, told)
	printHeap(w, told)
	printPinned(w, ranks)
}

// printStolen says how many ranks idle PEs took from others.
func printStolen(w io.Writer, stats []*vrank.Stats) {
	var all vrank.Stolen
	for _, s := range stats {
		all.Ranks += s.Stolen.Ranks
		all.Steals += s.Stolen.Steals
		all.Seconds += s.Stolen.Seconds
	}
	if all.Steals > 0 {
		fmt.Fprintf(w, "stolen: %d ranks in %d steals, the first of each here after %.1f us\n", all.Ranks, all.Steals, 1e6*all.Seconds/float64(all.Steals))
	}
}

// printCopied says how much memory moved by copy.
func printCopied(w io.Writer, stats []*vrank.Stats) {
	var all vrank.Copied
	for _, s := range stats {
		all.Moves += s.Copied.Moves
		all.Bytes += s.Copied.Bytes
		all.Seconds += s.Copied.Seconds
	}
	if all.Moves > 0 {
		fmt.Fprintf(w, "copied: %d moves of %s, %.2f GB/s\n", all.Moves, human.Bytes(all.Bytes), float64(all.Bytes)/all.Seconds/1e9)
	}
}

// printSteps says what load balancing did: the first steps, and how many followed.
func printSteps(w io.Writer, steps []vrank.BalanceStep) {
	moves := 0
	for i, s := range steps {
		moves += s.Moves
		if i >= statsSteps {
			continue
		}
		asked := ""
		if s.Asked {
			asked = ", AMPI_Migrate"
		}
		fmt.Fprintf(w, "balancing at %.3f s (%s%s): imbalance %.2f in the last %.3f s, %.2f after %d moves\n", s.At, s.Strategy, asked, s.Before, s.Window, s.After, s.Moves)
	}
	if len(steps) > 0 {
		fmt.Fprintf(w, "balancing: %d steps, %d moves\n", len(steps), moves)
	}
}

// printHeap says how much of the heap the first worker's self test found to be ours.
func printHeap(w io.Writer, stats []*vrank.Stats) {
	for _, s := range stats {
		if s.Heap == nil {
			continue
		}
		fmt.Fprintf(w, "heap interception: %s", s.Heap.Level)
		if len(s.Heap.Missed) > 0 {
			fmt.Fprintf(w, ", missed: %s", strings.Join(s.Heap.Missed, ", "))
		}
		fmt.Fprintln(w)
		return
	}
}

// printPinned says which ranks cannot move, those with the same reason together.
func printPinned(w io.Writer, ranks []vrank.RankStats) {
	var reasons []string
	by := map[string][]int{}
	for _, r := range ranks {
		if r.Pinned == "" {
			continue
		}
		if by[r.Pinned] == nil {
			reasons = append(reasons, r.Pinned)
		}
		by[r.Pinned] = append(by[r.Pinned], r.Rank)
	}
	for _, why := range reasons {
		fmt.Fprintf(w, "cannot move: %s (ranks %s)\n", why, rankList(by[why]))
	}
}

// rankList writes ascending numbers with runs drawn together: "0-3,7".
func rankList(ranks []int) string {
	var b strings.Builder
	for i := 0; i < len(ranks); {
		end := i
		for end+1 < len(ranks) && ranks[end+1] == ranks[end]+1 {
			end++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		if b.WriteString(strconv.Itoa(ranks[i])); end > i {
			fmt.Fprintf(&b, "-%d", ranks[end])
		}
		i = end + 1
	}
	return b.String()
}

// share is the percentage of the whole that part is.
func share(part, rest float64) float64 {
	if part+rest == 0 {
		return 0
	}
	return 100 * part / (part + rest)
}

func printRank(w io.Writer, name string, r vrank.RankStats) {
	fmt.Fprintf(w, "%s\t%.3f\t%d\t%d\t%d\t%s\t%s\t%s\t%d\t\n", name, r.User, r.Switches, r.Sent, r.Received,
		human.Bytes(r.SentBytes), human.Bytes(r.ReceivedBytes), human.Bytes(r.Memory), r.Moves)
}

// quantile takes each figure by itself: the value at the given place of its order among ranks.
func quantile(ranks []vrank.RankStats, at int) vrank.RankStats {
	return vrank.RankStats{
		User:          nth(ranks, at, func(r vrank.RankStats) float64 { return r.User }),
		Switches:      nth(ranks, at, func(r vrank.RankStats) uint64 { return r.Switches }),
		Sent:          nth(ranks, at, func(r vrank.RankStats) uint64 { return r.Sent }),
		Received:      nth(ranks, at, func(r vrank.RankStats) uint64 { return r.Received }),
		SentBytes:     nth(ranks, at, func(r vrank.RankStats) uint64 { return r.SentBytes }),
		ReceivedBytes: nth(ranks, at, func(r vrank.RankStats) uint64 { return r.ReceivedBytes }),
		Memory:        nth(ranks, at, func(r vrank.RankStats) uint64 { return r.Memory }),
		Moves:         nth(ranks, at, func(r vrank.RankStats) uint64 { return r.Moves }),
	}
}

func nth[T cmp.Ordered](ranks []vrank.RankStats, at int, figure func(vrank.RankStats) T) T {
	values := make([]T, len(ranks))
	for i, r := range ranks {
		values[i] = figure(r)
	}
	slices.Sort(values)
	return values[at]
}
