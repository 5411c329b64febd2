package main

import (
	"slices"
	"testing"
)

func TestParseCheckpoints(t *testing.T) {
	text := "heap interception: FREE\n\ncheckpoint  pause/ms  until safe/ms  pages  written/MiB\n" +
		"1              20.0          100.0   7046          2.5\n2               5.0           10.0   7046          1.0\n3   6 20 7046 1\n\nother 1 2\n"
	run := map[string]series{}
	bytes, err := parseCheckpoints([]byte(text), run)
	if err != nil || bytes != 5<<19 {
		t.Fatal(bytes, err)
	}
	for key, want := range map[string]series{"pause_first": {0.02}, "first": {0.12}, "pause": {0.005, 0.006}, "second": {0.015, 0.026}, "written": {0.01, 0.02}} {
		if !slices.Equal(run[key], want) {
			t.Errorf("%s: %v, not %v", key, run[key], want)
		}
	}
	for _, text := range []string{"", "checkpoint  pause/ms\n1 20.0 100.0 7046 2.5\n"} {
		if _, err := parseCheckpoints([]byte(text), map[string]series{}); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
