package simulate

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"ampirun/internal/human"
)

// Table writes results as a table, one line for each. "against" compares makespans with the first result.
func Table(to io.Writer, results []*Result) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "strategy\tmakespan\tagainst\tof ideal\timbalance\tmoves\tmoved\tcopied\tmoving\ttraffic\tof nodes\tdeciding\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%.6g s\t%.3f\t%.3f\t%.3f\t%d\t%s\t%s\t%.3g s\t%s\t%s\t%v\t\n", r.Strategy, r.Makespan,
			ratio(r.Makespan, results[0].Makespan), ratio(r.Makespan, r.Ideal), r.Imbalance, r.Moves, size(r.Bytes), size(r.NodeBytes),
			r.Moving, size(r.Traffic), size(r.NodeTraffic), r.Deciding.Round(10*time.Microsecond))
	}
	return w.Flush()
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 1
	}
	return a / b
}

// size writes bytes for people.
func size(bytes int64) string { return human.Bytes(uint64(bytes)) }
