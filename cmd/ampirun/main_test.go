package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ampirun/job"
	"ampirun/privatize"
	"ampirun/vrank"
)

// mainVariable makes the test binary ampirun itself, with a fake engine.
const mainVariable = "AMPIRUN_TEST_MAIN"

func TestMain(m *testing.M) {
	e := engine{
		core:        job.Core{Run: fakeRun, Stop: func() {}, Trace: func() *vrank.Trace { return &vrank.Trace{} }},
		controlSize: func(int) uint64 { return pageSize },
		libraries:   func(string, []string) ([]privatize.Library, error) { return nil, nil },
		trial:       func() error { return nil },
		coverage: func() []function {
			return []function{{"MPI_Send", true, "core"}, {"MPI_Open_port", false, ""}, {"MPI_Recv", true, "core"}}
		},
	}
	if job.IsWorker() {
		os.Exit(job.Worker(e.core))
	}
	if os.Getenv(mainVariable) != "" {
		code, err := e.command(os.Args[1:], os.Stdout)
		complain(os.Stderr, err)
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// fakeRun lets every rank print what it was given, and end with its number when the first argument is "codes".
func fakeRun(cfg vrank.Config, report func(vrank.Event)) error {
	out := os.NewFile(uintptr(cfg.OutputFD), "frames")
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for rank := range cfg.Ranks {
		if rank*cfg.PEs/cfg.Ranks != cfg.PE {
			continue
		}
		text := fmt.Sprintf("%d/%d %q %s %v\n", rank, cfg.PEs, cfg.Args[1:], filepath.Base(dir), variable(cfg.Env, "FROM_X"))
		frame := binary.LittleEndian.AppendUint32(nil, uint32(rank))
		frame = binary.LittleEndian.AppendUint32(frame, 1)
		frame = binary.LittleEndian.AppendUint32(frame, uint32(len(text)))
		if _, err := out.Write(append(frame, text...)); err != nil {
			return err
		}
		code := 0
		if len(cfg.Args) > 1 && cfg.Args[1] == "codes" {
			code = rank
		}
		report(vrank.Event{Kind: vrank.EventRankExit, Rank: rank, Code: code})
	}
	report(vrank.Event{Kind: vrank.EventDone, PE: cfg.PE, Rank: -1})
	return nil
}

func variable(env []string, name string) string {
	for _, e := range env {
		if value, found := strings.CutPrefix(e, name+"="); found {
			return value
		}
	}
	return "unset"
}

func ampirun(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), mainVariable+"=1", "GORACE=atexit_sleep_ms=0")
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), errors.String()
}

func TestProgramRunsAsAsked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "here")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := ampirun(t, "+p2", "-np", "3", "--label", "-x", "FROM_X=a,b c", "-wdir", dir, "--", "true", "-n", "+p7")
	for rank := range 3 {
		want := fmt.Sprintf("[%d] %d/2 %q here a,b c\n", rank, rank, []string{"-n", "+p7"})
		if !strings.Contains(stdout, want) {
			t.Errorf("no line %q in %q", want, stdout)
		}
	}
	if code != 0 || stderr != "" {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestExitCodes(t *testing.T) {
	for args, want := range map[string]int{
		"+p2 +vp4 true codes": 1, "+p2 +vp4 true": 0, "+p2 no-such-program": 127, "+p2 /": 126, "+p": 2, "": 2,
		"--help": 0, "--version": 0, "--coverage": 0, "+wdir /nowhere true": 2,
	} {
		code, _, stderr := ampirun(t, strings.Fields(args)...)
		if code != want || (code >= 2) != strings.HasPrefix(stderr, "ampirun: ") || strings.Count(stderr, "\n") > 1 {
			t.Errorf("%q: code %d, want %d; stderr %q", args, code, want, stderr)
		}
	}
}

func TestOutputsReplaceNeitherTheProgramNorEachOther(t *testing.T) {
	dir := t.TempDir()
	program, other := filepath.Join(dir, "prog"), filepath.Join(dir, "other")
	const text = "#!/bin/sh\n"
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"+trace " + program + ": that is the program;":         {"+trace", program},
		"+lb-record " + program + ": that is the program;":     {"+lb-record", program},
		"+trace " + other + ": +lb-record writes to that file": {"+trace", other, "+lb-record", other},
	} {
		code, _, stderr := ampirun(t, append(args, program)...)
		if code != 2 || !strings.HasPrefix(stderr, "ampirun: "+want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: code %d, stderr %q", args, code, stderr)
		}
	}
	if left, err := os.ReadFile(program); err != nil || string(left) != text {
		t.Errorf("the program is %q now, %v", left, err)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a file is left of a job that did not run")
	}
}

func TestCoverageListsServedAndUnserved(t *testing.T) {
	_, stdout, _ := ampirun(t, "--coverage")
	served, unserved, _ := strings.Cut(stdout, "not served: 1 of 3\n")
	if !strings.HasPrefix(served, "served: 2 of 3\n") || !strings.Contains(served, "MPI_Recv") || !strings.Contains(unserved, "MPI_Open_port") {
		t.Errorf("%s", stdout)
	}
}

// TestLB: "lb" is no program, but what tries load balancing; its errors are of use.
func TestLB(t *testing.T) {
	code, stdout, stderr := ampirun(t, "lb", "strategies")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "GreedyRefineLB") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	code, _, stderr = ampirun(t, "lb", "simulate", "/nowhere")
	if want := "ampirun: lb simulate: open /nowhere: no such file or directory\n"; code != 2 || stderr != want {
		t.Errorf("code %d, %q", code, stderr)
	}
}

// TestCkpt: "ckpt" is no program, but what looks at checkpoints; damage and bad input have codes of their own.
func TestCkpt(t *testing.T) {
	code, stdout, stderr := ampirun(t, "ckpt", "plan", "--nodes", "4096")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "4096") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	code, _, stderr = ampirun(t, "ckpt", "ls", "/nowhere")
	if want := "ampirun: ckpt ls: open /nowhere: no such file or directory\n"; code != 2 || stderr != want {
		t.Errorf("code %d, %q", code, stderr)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "000001"), 0o700); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = ampirun(t, "ckpt", "verify", dir)
	if want := "ampirun: ckpt verify: damaged: 1 of 1 checkpoints in " + dir + "\n"; code != 1 || stderr != want || !strings.Contains(stdout, "manifest: it is missing") {
		t.Errorf("code %d, %q, %q", code, stderr, stdout)
	}
}
