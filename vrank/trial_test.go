package vrank

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampirun/privatize"
)

// TestJudge reads what trials say that end well, badly, or in the middle.
func TestJudge(t *testing.T) {
	for said, want := range map[string]string{
		"loading\nstart\nok\n":                       "",
		"loading\nstart\nbad\nit is odd\n":           `at the step "start": it is odd`,
		"loading\ncontrol block\npointer guard\n":    `at the step "pointer guard": it ended there: signal: segmentation fault`,
		"loading\nbad\nhas no fflush\n":              "has no fflush",
		"":                                           `at the step ""`,
		"loading\nstreams\nok\nbad\nnot all of it\n": `at the step "ok": not all of it`,
	} {
		err := judge(said, errors.New("signal: segmentation fault"))
		var r *privatize.Refusal
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", said, err)
		case want != "" && (!errors.As(err, &r) || r.Reason != privatize.OtherLibc || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "glibc 2.")):
			t.Errorf("%q: %v", said, err)
		}
	}
}

// TestTrialDirectory keeps results where nobody else can put any.
func TestTrialDirectory(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv("XDG_CACHE_HOME", cache)
	dir := trialDirectory()
	if dir != filepath.Join(cache, "ampirun-trials") || isTried(dir, "x") {
		t.Fatalf("directory %q", dir)
	}
	noteTried(dir, "x")
	if info, err := os.Stat(filepath.Join(dir, "x")); err != nil || info.Mode().Perm() != 0o600 || !isTried(dir, "x") {
		t.Errorf("result: %v, %v", info, err)
	}
	if err := os.Symlink("x", filepath.Join(dir, "link")); err != nil || isTried(dir, "link") {
		t.Errorf("a link counts: %v", err)
	}
	if err := os.Chmod(filepath.Join(dir, "x"), 0o644); err != nil || isTried(dir, "x") {
		t.Errorf("a file that others can read counts: %v", err)
	}
	if err := os.Chmod(dir, 0o777); err != nil || trialDirectory() != "" {
		t.Errorf("a directory that others can write to counts: %v", err)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	t.Setenv("TMPDIR", t.TempDir())
	if dir := trialDirectory(); !strings.HasPrefix(dir, os.TempDir()) {
		t.Errorf("without a home: %q", dir)
	}
}
