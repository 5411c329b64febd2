package job

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"ampirun/vrank"
)

// probeTime bounds how long a program's constructors may take when it is examined.
const probeTime = 10 * time.Second

// probe starts some ranks of a program in one worker, with its constructors but without its main, and returns what the worker
// measured. Nothing of its output is shown. It changes what Run changes.
func probe(ctx context.Context, opt Options, ranks int) (*vrank.Stats, error) {
	opt.Workers, opt.Ranks, opt.probeOnly, opt.Stats = 1, ranks, true, false
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	opt.Stdin, opt.Stdout, opt.Stderr = null, null, null
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	code, stats, err := runJob(ctx, opt)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("start %s: its constructors do not end within %s", opt.Program, probeTime)
	case err != nil:
		return nil, err
	case len(stats) == 0 || stats[0] == nil:
		return nil, fmt.Errorf("start %s: it ended with code %d before its main", opt.Program, code)
	}
	return stats[0], nil
}

// ProbeHeap starts one rank of a program, without its main, and returns how its allocator and its mappings fare under interception.
func ProbeHeap(ctx context.Context, opt Options) (vrank.HeapReport, error) {
	if opt.heapIsBeyondReach() {
		return vrank.HeapReport{}, fmt.Errorf("+privatize %s: ranks allocate with their C libraries, which are beyond reach", opt.Method)
	}
	s, err := probe(ctx, opt, 1)
	if err == nil && s.Heap == nil {
		err = fmt.Errorf("start %s: it ended before the test of its heap", opt.Program)
	}
	if err != nil {
		return vrank.HeapReport{}, err
	}
	return *s.Heap, nil
}

// probeRanks are so many that the first one's share is small, and that every method can have them in one worker.
const probeRanks = 12

// ProbeStart returns what it takes to start one more rank of a program, constructors included, in seconds: the median of some.
func ProbeStart(ctx context.Context, opt Options) (float64, error) {
	s, err := probe(ctx, opt, probeRanks)
	if err != nil {
		return 0, err
	}
	user := map[int]float64{}
	for _, r := range s.Ranks {
		user[r.Rank] = r.User
	}
	var each []float64
	for id := 1; id < len(s.Placing); id++ {
		each = append(each, s.Placing[id]+user[id])
	}
	if len(each) == 0 {
		return 0, fmt.Errorf("start %s: no rank was placed", opt.Program)
	}
	slices.Sort(each)
	return each[len(each)/2], nil
}
