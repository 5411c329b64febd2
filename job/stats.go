package job

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"ampirun/vrank"
)

// statsRows is the number of ranks up to which each has a row of its own.
const statsRows = 64

// printStats prints what workers measured: a table of PEs, then one of ranks.
func printStats(w io.Writer, stats []*vrank.Stats) {
	if !slices.ContainsFunc(stats, func(s *vrank.Stats) bool { return s != nil }) {
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
	fmt.Fprintln(table, "rank\tuser s\tswitches\tsent\treceived\tbytes sent\tbytes received\tmemory\t")
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
}

// share is the percentage of the whole that part is.
func share(part, rest float64) float64 {
	if part+rest == 0 {
		return 0
	}
	return 100 * part / (part + rest)
}

func printRank(w io.Writer, name string, r vrank.RankStats) {
	fmt.Fprintf(w, "%s\t%.3f\t%d\t%d\t%d\t%s\t%s\t%s\t\n", name, r.User, r.Switches, r.Sent, r.Received,
		humanBytes(r.SentBytes), humanBytes(r.ReceivedBytes), humanBytes(r.Memory))
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

// humanBytes writes a size in the largest binary unit that leaves at least one before the point.
func humanBytes(n uint64) string {
	if n < 1<<10 {
		return strconv.FormatUint(n, 10) + " B"
	}
	value, units := float64(n)/(1<<10), "KMGTPE"
	for value >= 1<<10 {
		value, units = value/(1<<10), units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, units[0])
}
