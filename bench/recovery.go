package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// failures is how many workers are killed in a run, one after the other.
const failures = 5

// recovering kills workers of a job of 256 ranks with 1 MB each that is copied every second.
func recovering() *experiment {
	return &experiment{name: "recovery", program: "beat", args: []string{"1"}, pes: 2, ranks: 256, rounds: 3, staged: killWorkers,
		figures: []*figure{
			{name: "recovery_memory", unit: "s", value: of("kill"), aim: 0.5,
				title: "+ft memory, 256 ranks x 1 MB, from the kill of a worker until all ranks have met again"},
			{name: "recovery_memory.noticed", unit: "s", value: of("noticed")},
			{name: "recovery_memory.pause", unit: "s", value: of("copy")},
		}}
}

// killWorkers is one run.
func killWorkers(ctx context.Context, e *experiment, im *implementation, program string) (run map[string]series, err error) {
	b, err := startBeating(ctx, e, im, program, "+ft", "memory", "+ckpt-every", "1")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.end()) }()
	run = map[string]series{}
	copies := 0
	for i := range failures {
		s, err := b.until(func(s *jobStatus) bool { return s.State == "runs" && s.FT.Copy.Made > copies })
		if err != nil {
			return nil, err
		}
		copies = s.FT.Copy.Made
		struck := now()
		if err := syscall.Kill(s.Workers[i%len(s.Workers)].PID, syscall.SIGKILL); err != nil {
			return nil, fmt.Errorf("kill a worker: %w", err)
		}
		gap, err := b.gap()
		if err != nil {
			return nil, err
		}
		run["kill"] = append(run["kill"], gap.goesOn-struck)
		run["copy"] = append(run["copy"], s.FT.Copy.Pause)
	}
	s, err := b.until(func(s *jobStatus) bool { return s.State == "runs" })
	if err != nil {
		return nil, err
	}
	if len(s.FT.Failures) != failures {
		return nil, fmt.Errorf("%d workers were killed, and the job knows of %d failures", failures, len(s.FT.Failures))
	}
	for _, f := range s.FT.Failures {
		run["noticed"] = append(run["noticed"], f.Took)
	}
	return run, nil
}

// scaling has the same job go on in three workers, and in two again.
func scaling() *experiment {
	return &experiment{name: "scale", program: "beat", args: []string{"1"}, pes: 2, ranks: 256, rounds: 3, staged: scaleUpAndDown,
		figures: []*figure{
			{name: "scale_up", unit: "s", value: of("up"), title: "ctl scale, 256 ranks x 1 MB, 2 workers to 3: the program stands still", aim: 0.5},
			{name: "scale_down", unit: "s", value: of("down"), title: "the same, 3 workers to 2", aim: 0.5},
		}}
}

// scaleUpAndDown is one run.
func scaleUpAndDown(ctx context.Context, e *experiment, im *implementation, program string) (run map[string]series, err error) {
	b, err := startBeating(ctx, e, im, program)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.end()) }()
	run = map[string]series{}
	for i := range 6 {
		key, workers := "up", 3
		if i%2 == 1 {
			key, workers = "down", 2
		}
		if _, err := b.until(func(s *jobStatus) bool { return s.State == "runs" }); err != nil {
			return nil, err
		}
		if err := b.ctl("scale", fmt.Sprint(workers)); err != nil {
			return nil, err
		}
		gap, err := b.gap()
		if err != nil {
			return nil, err
		}
		run[key] = append(run[key], gap.goesOn-gap.stops)
	}
	return run, nil
}

// now is the time of day in seconds.
func now() float64 { return float64(time.Now().UnixNano()) / 1e9 }
