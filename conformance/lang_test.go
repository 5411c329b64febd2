package conformance

import (
	"path/filepath"
	"strconv"
	"testing"
)

// refusal is what this version says to a program of testdata/lang that it does not serve.
type refusal struct {
	file string
	says string // in words that name the function; "" where it says nothing, which is worse
	why  string
}

// refused lists all programs that are not served. Each must fail with its words; one that begins to pass does not belong
// here any more.
var refused = []refusal{
	{"exec_rank.c", "exec() is not served", "the worker, with all its ranks, would be replaced"},
}

func findRefusal(file string) *refusal {
	for i := range refused {
		if refused[i].file == file {
			return &refused[i]
		}
	}
	return nil
}

// TestLang runs every program of testdata/lang with few ranks in one worker and with many in two; the long way with both in both.
func TestLang(t *testing.T) {
	t.Parallel()
	each(t, langManifest(t), func(r row) string { return r.file }, func(t *testing.T, r row) {
		if findRefusal(r.file) != nil {
			checkLang(t, r, runLang(t, r.file, 2, 4))
			return
		}
		for _, how := range amount([][2]int{{1, 4}, {2, 32}}, [][2]int{{1, 4}, {2, 4}, {1, 32}, {2, 32}}) {
			checkLang(t, r, runLang(t, r.file, how[0], how[1]))
		}
	})
}

// runLang runs a program in the directory where its shared libraries are.
func runLang(t *testing.T, file string, workers, ranks int) result {
	t.Helper()
	path := program(t, filepath.Join(langDir, file))
	j := job{program: path, workers: workers, ranks: ranks, dir: filepath.Dir(path)}
	if file == "exit_order.c" {
		j.args = []string{t.TempDir()}
		defer checkExitOrder(t, path, j.args[0], ranks)
	}
	return j.run(t)
}

// checkLang compares a run with its row of the manifest, or with the refusal that is due.
func checkLang(t *testing.T, r row, got result) {
	t.Helper()
	if due := findRefusal(r.file); due != nil {
		got.expectFailure(t)
		got.expectSays(t, due.says)
	} else {
		got.expectRow(t, r)
	}
	if t.Failed() {
		t.FailNow()
	}
}

func (r result) expectRow(t *testing.T, want row) {
	t.Helper()
	if want.code == "nonzero" {
		r.expectFailure(t)
	} else {
		code, err := strconv.Atoi(want.code)
		if err != nil {
			t.Fatalf("manifest: %s: code %q", want.file, want.code)
		}
		r.expectCode(t, code)
	}
	if want.says != "" {
		r.expectSays(t, want.says)
	}
}

// checkExitOrder looks at the files that the ranks of exit_order wrote while they ended.
func checkExitOrder(t *testing.T, program, dir string, ranks int) {
	t.Helper()
	r := job{program: program, args: []string{dir, strconv.Itoa(ranks)}, workers: 1, ranks: 1}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS exit_order\n")
}

// TestRefusedHaveRows keeps the list of refusals to programs that exist.
func TestRefusedHaveRows(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, r := range langManifest(t) {
		rows[r.file] = true
	}
	for _, r := range refused {
		if !rows[r.file] {
			t.Errorf("%s: refused, but not in programs.txt", r.file)
		}
	}
}
