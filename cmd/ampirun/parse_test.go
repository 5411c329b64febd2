package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ampirun/privatize"
)

func mustParse(t *testing.T, args ...string) *settings {
	t.Helper()
	s, err := parse(args)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return s
}

// untyped is what options mean, however they were typed.
func untyped(s *settings) *settings {
	s.job.Typed = nil
	return s
}

func TestAllFormsOfAnOptionMeanTheSame(t *testing.T) {
	for _, forms := range [][]string{
		{"+p 2", "+p2", "++p 2", "--p 2", "-p 2", "--p=2", "+p=2", "-p2"},
		{"+vp 256", "+vp256", "++vp 256", "--vp 256", "-n 256", "-np 256", "--np 256", "-np256", "+n=256"},
		{"+label", "++label", "--label", "-label", "-l", "--label=true"},
		{"+stack 1G", "--stack=1G", "+stack 1024M", "-stack 1GiB", "++stack 1048576k"},
		{"+heap-check", "--heap-check"},
		{"-wdir /tmp", "--wdir=/tmp", "-wd /tmp"},
		{"-x A=b,c", "--x A=b,c", "+x=A=b,c"},
	} {
		want := untyped(mustParse(t, append(strings.Fields(forms[0]), "prog")...))
		if reflect.DeepEqual(want, mustParse(t, "prog")) {
			t.Errorf("%s does nothing", forms[0])
		}
		for _, form := range forms[1:] {
			if got := untyped(mustParse(t, append(strings.Fields(form), "prog")...)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v\n%s: %+v", form, got, forms[0], want)
			}
		}
	}
}

// TestCharmsOptionsAfterTheProgram: AMPI's manual writes them there. What the table does not have with a plus sign is the program's.
func TestCharmsOptionsAfterTheProgram(t *testing.T) {
	s := mustParse(t, "-np", "4", "./prog", "+vp", "8", "-n", "3", "++balancer", "GreedyLB", "+x", "--label", "+p2", "+other", "--vp=3", "+steal", "a")
	if want := []string{"-n", "3", "+x", "--label", "+other", "--vp=3", "a"}; s.job.Program != "./prog" || !slices.Equal(s.job.Args, want) {
		t.Errorf("%s %q, want %q", s.job.Program, s.job.Args, want)
	}
	if s.job.Ranks != 8 || s.job.Workers != 2 || s.job.Balance != "Greedy" || !s.job.Steal || s.job.Label {
		t.Errorf("%+v", s.job)
	}
	if len(s.notes) != 1 || !strings.HasPrefix(s.notes[0], "+vp 8 ++balancer GreedyLB +p2 +steal after the program's name: taken as ampirun's") {
		t.Errorf("notes: %q", s.notes)
	}
	for args, want := range map[string]string{
		"prog +vp":   "+vp needs a value: +vp N (write -- before the program's name",
		"prog +vp=x": "+vp x: not a number",
		"a : b":      `":": several programs in one job are not served`,
	} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestEverythingBehindDashesIsTheProgramsOwn(t *testing.T) {
	args := []string{"./prog", "+p", "3", "--label", "--", "-x", "", "+vp9", "--help"}
	s := mustParse(t, append([]string{"+p", "2", "--"}, args...)...)
	if s.job.Program != "./prog" || !slices.Equal(s.job.Args, args[1:]) || s.job.Workers != 2 || s.job.Label || s.help || s.notes != nil {
		t.Errorf("%+v", s)
	}
	s = mustParse(t, "+p", "2", "./prog", "a", "--", "+vp", "3")
	if want := []string{"a", "--", "+vp", "3"}; !slices.Equal(s.job.Args, want) || s.rankSet || s.notes != nil {
		t.Errorf("%+v", s)
	}
	if s := mustParse(t, "+p", "2", "--", "-odd", "x"); s.job.Program != "-odd" || !slices.Equal(s.job.Args, []string{"x"}) {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"help", "h", "worker", "-", "+"} {
		if s := mustParse(t, name, "y"); s.job.Program != name {
			t.Errorf("program %q: %+v", name, s)
		}
	}
}

func TestBadCommandLinesNameTheFlagAndTheWayOut(t *testing.T) {
	for args, want := range map[string]string{
		"+vp":                "+vp needs a value: +vp N",
		"++vp x prog":        "++vp x: not a number",
		"-np 0 prog":         "-np 0: at least 1 is needed",
		"-n0 prog":           "-n 0: at least 1 is needed",
		"+p99999999 prog":    "+p 99999999: too many: at most 4096",
		"+p -3 prog":         "+p -3: at least 1 is needed",
		"--stack 64X prog":   "--stack 64X: not a size; write a whole number and a unit, such as 64M or 2G",
		"+stack=1K prog":     "+stack 1K: a stack needs at least 64K",
		"+slice 200T prog":   "+slice 200T: too large",
		"+privatize no prog": "+privatize no: no such method; there are " + privatize.MethodNames(),
		"--lable prog":       "unknown option --lable: did you mean --label?",
		"+vpx 3 prog":        "unknown option +vpx: did you mean +vp?",
		"--qqqqqqqq prog":    "unknown option --qqqqqqqq (ampirun --help lists all)",
		"+pin3 prog":         "unknown option +pin3: did you mean +pin?",
		"-x =3 prog":         "-x =3: no variable is named",
		"-x NOT_SET_ prog":   "-x NOT_SET_: NOT_SET_ is not set here; write -x NOT_SET_=value",
		"+steal=maybe prog":  "+steal=maybe: a switch is true or false",
		"--label= prog":      "--label=: a switch is true or false",
		"+++p 2 prog":        "unknown option +++p: did you mean +p?",
	} {
		_, err := parse(strings.Fields(args))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\nwant %s", args, err, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	for args, want := range map[string][2]int{
		"+p 3 prog":       {3, 3},
		"+p 3 +vp 5 prog": {3, 5},
		"+p 3 +vp 2 prog": {2, 2},
		"+vp 1 prog":      {1, 1},
	} {
		s := mustParse(t, strings.Fields(args)...)
		s.complete()
		if got := [2]int{s.job.Workers, s.job.Ranks}; got != want {
			t.Errorf("%s: workers and ranks %v, want %v", args, got, want)
		}
	}
	s := mustParse(t, "prog")
	s.complete()
	if s.job.Workers < 1 || s.job.Ranks != s.job.Workers || s.job.Stack != 64<<20 || s.job.Method != "pie" {
		t.Errorf("%+v", s.job)
	}
}

func TestAssign(t *testing.T) {
	got := assign([]string{"A=1", "B=2", "A=3", "AB=4"}, []string{"A=5", "C=", "A=6"})
	if want := []string{"B=2", "AB=4", "C=", "A=6"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestOptionNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	eachOption(func(o *option) {
		for _, form := range append([]string{o.form}, o.aliases...) {
			if name := strings.TrimLeft(form, "+-"); seen[name] {
				t.Errorf("%s is taken twice", form)
			} else {
				seen[name] = true
			}
		}
	})
}

func TestDocsAreFresh(t *testing.T) {
	var want bytes.Buffer
	printDocs(&want)
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "options.md"))
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/options.md is stale (%v): go run ./cmd/ampirun --docs-options > docs/options.md", err)
	}
}

func TestHelpIsShortAndComplete(t *testing.T) {
	var help bytes.Buffer
	printHelp(&help)
	eachOption(func(o *option) {
		if strings.Contains(help.String(), o.form) == (o.hidden || o.rare) {
			t.Errorf("%s: hidden %v", o.form, o.hidden)
		}
	})
	lines := strings.Split(help.String(), "\n")
	if len(lines) > 50 {
		t.Errorf("help has %d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 110 {
			t.Errorf("too wide: %s", line)
		}
	}
}

func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{"+p\n2\n+vp256\n./a\n+p", "--label\n--\nx", "-x\nA=b", "++", "+vp", "+=3", "-np=4\nprog", "+p2=\n", "+++\n-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, "\n")
		l, err := translate(args)
		if (err != nil) && (l.program != nil || l.flags != nil) {
			t.Fatalf("%q: both %v and %v", args, l, err)
		}
		if n := len(args) - len(l.program); err == nil && l.late == nil && !slices.Equal(args[n:], l.program) {
			t.Fatalf("%q: the program's arguments changed: %q", args, l.program)
		}
		s, err := parse(args)
		if (s == nil) == (err == nil) {
			t.Fatalf("%q: %v and %v", args, s, err)
		}
		if err == nil && (s.job.Stack == 0 || s.job.Ranks < 0 || s.job.Workers < 0) {
			t.Fatalf("%q: %+v", args, s)
		}
	})
}

func FuzzSize(f *testing.F) {
	for _, seed := range []string{"64M", "1", "2GiB", "128T", "0", "18446744073709551616", "9999999T", "1kb", "K", "-1", "1 M", "1iB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseSize(text)
		if (n == 0) == (err == nil) || n%pageSize != 0 || n > 1<<47 {
			t.Fatalf("%q: %d, %v", text, n, err)
		}
	})
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]uint64{"1": 4096, "4097": 8192, "4k": 4096, "64M": 64 << 20, "64MB": 64 << 20, "64mib": 64 << 20, "3G": 3 << 30, "127T": 127 << 40, "8192B": 8192} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
}
