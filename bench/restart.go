package main

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// restarting saves a job of 256 ranks with 1 MB each and goes on from there. A new job beside shows what of that is the launch.
func restarting() *experiment {
	return &experiment{name: "restart", program: "restart", args: []string{"1"}, pes: 2, ranks: 256, rounds: 9, staged: saveAndGoOn,
		figures: []*figure{
			{name: "restart_first", unit: "s", value: of("first"), ampi: "0.47 to 0.52 s", aim: 0.25,
				title: "restart, 256 ranks x 1 MB, launch to the first user instruction"},
			{name: "restart_all", unit: "s", value: of("all")},
			{name: "launch_first", unit: "s", value: of("new")},
		}}
}

// saveAndGoOn is one round.
func saveAndGoOn(ctx context.Context, e *experiment, im *implementation, program string) (map[string]series, error) {
	dir, err := os.MkdirTemp("", "ampibench-restart")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	saves := filepath.Join(dir, "saves")
	begun, err := sinceLaunch(ctx, im.command(e.pes, e.ranks, []string{"+ckpt", saves}, program, e.args), "begun")
	if err != nil {
		return nil, err
	}
	again := append(im.launcher[:len(im.launcher):len(im.launcher)], "+restart", saves)
	going, err := sinceLaunch(ctx, again, "going")
	if err != nil {
		return nil, err
	}
	return map[string]series{"new": {begun.Min()}, "first": {going.Min()}, "all": {going.Max()}}, nil
}

// sinceLaunch runs a command whose samples are times of day, and gives them as seconds from its launch.
func sinceLaunch(ctx context.Context, words []string, key string) (series, error) {
	launched := float64(time.Now().UnixNano()) / 1e9
	f, err := launch(ctx, words, nil)
	if err != nil {
		return nil, err
	}
	samples, err := parseSamples(f.stdout)
	if err != nil {
		return nil, err
	}
	for i := range samples[key] {
		samples[key][i] -= launched
	}
	return samples[key], nil
}
