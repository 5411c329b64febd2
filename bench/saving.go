package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// saving is all about checkpoints.
func saving() []*experiment {
	return []*experiment{savedJob(100), savedJob(5), checkpointFiles(), savedStencil()}
}

// savedJob is a job whose ranks change so many percent of their pages between checkpoints. Times are those of the table of +stats: how long no rank
// ran, and that and the time until all was safe.
func savedJob(percent int) *experiment {
	e := &experiment{name: fmt.Sprintf("checkpoint_job_%d", percent), rounds: 3}
	e.inside = func(ctx context.Context, b *builder) (map[string]series, error) {
		return saveJob(ctx, b, "1024", fmt.Sprint(percent), "10", "500")
	}
	e.figures = []*figure{
		{name: e.name + ".pause_first", unit: "s", value: of("pause_first")},
		{name: e.name + ".pause", unit: "s", value: of("pause")},
		{name: e.name + "_pause_per_memcpy", unit: "ratio", value: ratio("pause", "memcpy"), aim: 1.5,
			title: fmt.Sprintf("pause of the program for a checkpoint, 256 ranks x 1 MB, %d %% changed, in memcpys of all", percent)},
	}
	if percent == 100 {
		e.figures = append(e.figures,
			&figure{name: e.name + ".first", unit: "s", value: of("first"), title: "checkpoint to disk until safe, 256 ranks x 1 MB", ampi: "0.39 to 0.84 s", aim: 0.39},
			&figure{name: e.name + ".dd", unit: "s", value: of("dd")},
			&figure{name: e.name + "_bandwidth", unit: "ratio", value: ratio("dd", "first"), atLeast: true, aim: 0.7,
				title: "bandwidth of it, in terms of dd with fsync of the same bytes"})
		return e
	}
	e.figures = append(e.figures,
		&figure{name: e.name + ".second", unit: "s", value: of("second")},
		&figure{name: e.name + "_second_per_first", unit: "ratio", value: ratio("second", "first"), aim: 0.15,
			title: fmt.Sprintf("further checkpoint when %d %% of the pages changed, pause included, in terms of the first", percent)},
		&figure{name: e.name + "_written_per_first", unit: "ratio", value: ratio("written", "written_first"), aim: 0.15,
			title: "the same of what comes after the pauses: writing, until safe"})
	return e
}

// saveJob runs the program that has itself saved, and dd with as many bytes as the first checkpoint has.
func saveJob(ctx context.Context, b *builder, args ...string) (run map[string]series, err error) {
	dir, err := os.MkdirTemp("", "ampibench-checkpoint")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, err := b.program("saved", b.ours)
	if err != nil {
		return nil, err
	}
	f, err := launch(ctx, b.ours.command(2, savedRanks, []string{"+ckpt", filepath.Join(dir, "store"), "+stats"}, program, args), nil)
	if err != nil {
		return nil, err
	}
	if run, err = parseSamples(f.stdout); err != nil {
		return nil, err
	}
	for i := range run["memcpy"] {
		run["memcpy"][i] /= 1e6
	}
	bytes, err := parseCheckpoints(f.stderr, run)
	if err != nil {
		return nil, err
	}
	memory := make([]byte, bytes)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(memory)
	run["dd"], err = dd(ctx, dir, memory)
	return run, err
}

// parseCheckpoints reads the table of checkpoints in what +stats prints. It gives the bytes that the first one wrote.
func parseCheckpoints(stats []byte, run map[string]series) (first int, err error) {
	lines := bufio.NewScanner(bytes.NewReader(stats))
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "checkpoint ") {
	}
	for lines.Scan() {
		var number, pages int
		var pause, safe, mib float64
		if n, _ := fmt.Sscan(lines.Text(), &number, &pause, &safe, &pages, &mib); n != 5 {
			break
		}
		which := [3]string{"pause", "written", "second"}
		if first == 0 {
			which, first = [3]string{"pause_first", "written_first", "first"}, int(mib*(1<<20))
		}
		for i, ms := range []float64{pause, safe, pause + safe} {
			run[which[i]] = append(run[which[i]], ms/1e3)
		}
	}
	if len(run["second"]) == 0 {
		return 0, fmt.Errorf("fewer than two checkpoints: %q", stats)
	}
	return first, nil
}

// stencilSteps is how long the stencil runs: some seconds.
const stencilSteps = "1200"

// savedStencil is what checkpoints every ten seconds cost a program that computes and knows nothing of them. That is less than the same run takes
// more or less from one time to the next, so it is made larger: the job is saved every second, and what one checkpoint costs is told in terms of ten.
func savedStencil() *experiment {
	e := &experiment{name: "checkpoint_stencil", rounds: 7}
	e.inside = func(ctx context.Context, b *builder) (map[string]series, error) {
		program, err := b.program("stencil", b.ours)
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp("", "ampibench-checkpoint")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		once := func(extra ...string) (*finished, error) {
			args := []string{"-c", "192x192x192", "-s", stencilSteps, "-r", stencilSteps, "-d", filepath.Join(dir, "work")}
			return launch(ctx, b.ours.command(2, 64, append(extra, "+stats"), program, args), nil)
		}
		plain, err := once()
		if err != nil {
			return nil, err
		}
		saved, err := once("+ckpt", filepath.Join(dir, "store"), "+ckpt-every", "1s")
		if err != nil {
			return nil, err
		}
		run := map[string]series{}
		if _, err := parseCheckpoints(saved.stderr, run); err != nil {
			return nil, err
		}
		each := func(saved, plain float64) float64 {
			return (saved - plain) / float64(len(run["first"])+len(run["second"]))
		}
		wall, cpu := each(saved.wall.Seconds(), plain.wall.Seconds()), each(saved.cpu.Seconds(), plain.cpu.Seconds())
		return map[string]series{"wall": {wall}, "cpu": {cpu}, "cost": {1 + wall/10}}, nil
	}
	e.figures = []*figure{
		{name: e.name, unit: "s", value: of("wall")},
		{name: e.name + ".cpu", unit: "s", value: of("cpu")},
		{name: "cost_checkpoints", unit: "ratio", value: of("cost"), aim: 1.02, title: "stencil, 64 ranks x 1.8 MB, with +ckpt-every 10s, in terms of without"},
	}
	return e
}
