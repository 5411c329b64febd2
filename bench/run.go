package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ampirun/internal/trial"
)

// runTime bounds one run of a program; the longest take seconds, or less than a minute on an idle machine.
const runTime = 10 * time.Minute

// finished is a run that ended well.
type finished struct {
	stdout, stderr []byte
	wall, cpu      time.Duration // from launch to exit; of launcher and all processes it waited for
}

// launch runs a command to its end.
func launch(ctx context.Context, words, env []string) (*finished, error) {
	var stdout, stderr bytes.Buffer
	c := trial.Command{Words: words, Env: env, Stdout: &stdout, Stderr: &stderr, Limit: runTime}
	cost, err := c.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(words[0]), err, stderr.Bytes())
	}
	return &finished{stdout.Bytes(), stderr.Bytes(), cost.Wall, cost.CPU}, nil
}
