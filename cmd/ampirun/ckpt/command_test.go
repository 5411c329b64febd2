package ckpt

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ampirun/checkpoint"
)

func TestMain(m *testing.M) {
	cli.HelpFlag = nil // as cmd/ampirun has it
	os.Exit(m.Run())
}

func ckpt(args ...string) (string, error) {
	var out strings.Builder
	err := Run(args, &out)
	return out.String(), err
}

func mustCkpt(t *testing.T, args ...string) string {
	t.Helper()
	out, err := ckpt(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// directory has checkpoints 2 and 3 of three that share pages.
func directory(t *testing.T) (dir string, s *checkpoint.Store) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "ckpt")
	s, err := checkpoint.Open(dir, checkpoint.Options{Owner: "job 1 (./heat)"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	m := make(checkpoint.Memory, 100*4096)
	for i := range 60 * 4096 {
		m[i] = byte(i * i >> 8)
	}
	job := &checkpoint.Job{Version: "1.2", Program: "./heat", Args: []string{"-n", "5"}, Ranks: 16, PEs: 4, PageSize: 4096, SliceSize: 1 << 30,
		RegionSize: 16 << 30, Base: 0x10000000000, Images: []checkpoint.Image{{Path: "/lib/libm.so.6", BuildID: "abcd", Size: 2048}},
		PerRank: []checkpoint.Rank{{Files: []checkpoint.File{{Number: 64}}}, {}}}
	for i := range 3 {
		m[i*4096]++
		if _, err := s.Save(job, m, []checkpoint.Extent{{Length: uint64(len(m))}}); err != nil {
			t.Fatal(err)
		}
	}
	return dir, s
}

func TestListShowAndVerify(t *testing.T) {
	dir, _ := directory(t) // in use by a job
	for want, args := range map[string][]string{
		"\n2           20":                           {"ls", dir},
		"./heat\n3":                                  {"ls", dir},
		"program     ./heat -n 5\n":                  {"show", dir},
		"checkpoint  2, made 20":                     {"show", dir, "2"},
		"16 on 4 PEs":                                {"show", dir, "3"},
		"400.0 KiB in 1 extents: 160.0 KiB zero, ":   {"show", dir},
		"/lib/libm.so.6: 2.0 KiB, build id abcd":     {"show", dir},
		"open files  1\n":                            {"show", dir},
		" pages in use":                              {"show", dir},
		"checkpoint 2: good, ":                       {"verify", dir},
		"checkpoint 3: good, ":                       {"verify", dir, "3"},
		"checkpoints in a directory":                 {"--help"},
		"--cost-per-node":                            {"plan", "--help"},
		"read checkpoints, all or some, and compare": {"verify", "-h"},
	} {
		if out := mustCkpt(t, args...); !strings.Contains(out, want) {
			t.Errorf("%v: no %q in\n%s", args, want, out)
		}
	}
}

func TestJSON(t *testing.T) {
	dir, _ := directory(t)
	var list []entry
	if err := json.Unmarshal([]byte(mustCkpt(t, "ls", "--json", dir)), &list); err != nil || len(list) != 2 || list[1].Ranks != 16 || list[1].Memory != 409600 {
		t.Error(err, list)
	}
	var one struct {
		Generation int
		Job        struct {
			Program string
			Images  []struct{ Hash string }
		}
		Packs []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(mustCkpt(t, "show", dir, "--json")), &one); err != nil || one.Generation != 3 || one.Job.Program != "./heat" ||
		len(one.Packs) == 0 || len(one.Job.Images[0].Hash) != 32 {
		t.Error(err, one)
	}
	var results []result
	if err := json.Unmarshal([]byte(mustCkpt(t, "verify", "--json", dir)), &results); err != nil || len(results) != 2 || results[0].Read == 0 {
		t.Error(err, results)
	}
	var tables []struct {
		Rows []struct{ Nodes int }
	}
	if err := json.Unmarshal([]byte(mustCkpt(t, "plan", "--nodes", "2,4", "--json")), &tables); err != nil || tables[0].Rows[1].Nodes != 4 {
		t.Error(err, tables)
	}
}

func TestRemove(t *testing.T) {
	dir, s := directory(t)
	_, err := ckpt("rm", dir, "2")
	if !errors.Is(err, checkpoint.ErrLocked) || !strings.Contains(err.Error(), "by job 1 (./heat), process") {
		t.Fatal(err)
	}
	s.Close()
	mustCkpt(t, "rm", dir, "2")
	if out := mustCkpt(t, "verify", dir); strings.Contains(out, "checkpoint 2") || !strings.Contains(out, "checkpoint 3: good") {
		t.Error(out)
	}
	mustCkpt(t, "rm", dir, "3")
	if _, err := ckpt("ls", dir); !errors.Is(err, checkpoint.ErrNone) {
		t.Error(err)
	}
}

func TestDamageIsNamed(t *testing.T) {
	dir, _ := directory(t)
	packs, err := filepath.Glob(filepath.Join(dir, "000003", "000003-*"))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	if err := os.Remove(packs[0]); err != nil {
		t.Fatal(err)
	}
	if out := mustCkpt(t, "ls", dir); !strings.Contains(out, "3           damaged: "+packs[0]+": it is missing\n") {
		t.Error(out)
	}
	out, err := ckpt("verify", dir)
	if want := "ckpt verify: damaged: 1 of 2 checkpoints in " + dir; !errors.Is(err, ErrDamaged) || err.Error() != want {
		t.Error(err)
	}
	if !strings.Contains(out, "checkpoint 2: good") || !strings.Contains(out, "checkpoint 3: "+packs[0]+": it is missing\n") {
		t.Error(out)
	}
}

func TestPlan(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "plan.svg")
	out := mustCkpt(t, "plan", "--nodes", "1,4096", "--mtbf", "1y,5y", "--cost", "30s", "--restart", "1m", "--every", "1h", "--svg", svg)
	if strings.Count(out, "4096") != 2 || !strings.Contains(out, "MTBF of a node 5y, checkpoint 30s, restart 1m") || !strings.Contains(out, "every 1h") {
		t.Error(out)
	}
	if chart, err := os.ReadFile(svg); err != nil || !strings.Contains(string(chart), "MTBF of one") {
		t.Error(err)
	}
}

func TestErrorsAreOneLineThatNamesTheCause(t *testing.T) {
	dir, _ := directory(t)
	file := filepath.Join(dir, "lock")
	for want, args := range map[string][]string{
		"ckpt cat: there are ckpt ls, ckpt show, ckpt verify, ckpt rm, ckpt receive and ckpt plan":             {"cat"},
		"ckpt: flag provided but not defined: -x":                                                              {"-x"},
		"ckpt ls: name a directory of checkpoints":                                                             {"ls"},
		"ckpt ls: open /nowhere: no such file or directory":                                                    {"ls", "/nowhere"},
		"ckpt ls: " + file + " is not a directory":                                                             {"ls", file},
		"ckpt ls: flag provided but not defined: -all":                                                         {"ls", "--all", dir},
		"ckpt ls: name a directory alone (ampirun ckpt show is for one checkpoint)":                            {"ls", dir, "3"},
		"ckpt show: " + dir + ": there is no checkpoint 9":                                                     {"show", dir, "9"},
		"ckpt show: name one checkpoint":                                                                       {"show", dir, "2", "3"},
		"ckpt show: \"x\" is not the number of a checkpoint (ampirun ckpt ls lists them)":                      {"show", dir, "x"},
		"ckpt rm: name the checkpoints to remove (ampirun ckpt ls lists them)":                                 {"rm", dir},
		"ckpt rm: open /nowhere: no such file or directory":                                                    {"rm", "/nowhere", "1"},
		"ckpt plan: --mtbf: \"5\" is not a time: write a number and us, ms, s, m, h, d or y, as in 0.4s or 5y": {"plan", "--mtbf", "5"},
		"ckpt plan: --mtbf: it is more than 0s":                                                                {"plan", "--mtbf", "5y,0s"},
		"ckpt plan: --cost: it is more than 0s":                                                                {"plan", "--cost", "0s"},
		"ckpt plan: --shape: 0 is not from 0.1 to 10":                                                          {"plan", "--shape", "0"},
		"ckpt plan: --failures: 0 is not from 1 to 10000000":                                                   {"plan", "--failures", "0"},
		fmt.Sprintf("ckpt plan: --nodes: \"0\" is not a number from 1 to %d", maxNodes):                        {"plan", "--nodes", "4,0"},
		"ckpt plan: \"x\": plan takes options only (--help lists them)":                                        {"plan", "x"},
	} {
		if out, err := ckpt(args...); err == nil || err.Error() != want {
			t.Errorf("%v:\n%v\n%s\n%s", args, err, want, out)
		}
	}
}
