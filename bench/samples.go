package main

import (
	"bufio"
	"bytes"
	"fmt"

	"ampirun/internal/trial"
)

// series is the values of one key, one for each batch or run.
type series = trial.Series

// samples is what an experiment measured: by implementation, then by key.
type samples map[string]map[string]series

func (s samples) add(implementation string, run map[string]series) {
	if s[implementation] == nil {
		s[implementation] = make(map[string]series)
	}
	for key, values := range run {
		s[implementation][key] = append(s[implementation][key], values...)
	}
}

// parseSamples reads the lines "sample key value" of a program's output; other lines are not of interest.
func parseSamples(output []byte) (map[string]series, error) {
	run := make(map[string]series)
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		var key string
		var value float64
		if !bytes.HasPrefix(lines.Bytes(), []byte("sample ")) {
			continue
		}
		if n, _ := fmt.Sscanf(lines.Text(), "sample %s %g", &key, &value); n != 2 {
			return nil, fmt.Errorf("the program printed %q", lines.Text())
		}
		run[key] = append(run[key], value)
	}
	if len(run) == 0 {
		return nil, fmt.Errorf("the program printed no samples: %q", output)
	}
	return run, lines.Err()
}
