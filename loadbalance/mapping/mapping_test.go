package mapping

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"ampirun/loadbalance"
)

func pes(speeds ...float64) []loadbalance.PE {
	var list []loadbalance.PE
	for _, s := range speeds {
		list = append(list, loadbalance.PE{Speed: s})
	}
	return list
}

// interleaved is four PEs that lie on nodes 0 and 1 by turns.
func interleaved() []loadbalance.PE {
	list := pes(1, 1, 1, 3)
	for p := range list {
		list[p].Node = int32(p % 2)
	}
	return list
}

func TestMappings(t *testing.T) {
	for _, c := range []struct {
		spec  string
		ranks int
		pes   []loadbalance.PE
		want  string
	}{
		{"block", 6, pes(1, 1, 1), "[0 0 1 1 2 2]"},
		{"block", 5, pes(1, 1), "[0 0 0 1 1]"},
		{"block", 2, pes(1, 1, 1, 1), "[0 2]"},
		{"block", 8, interleaved(), "[0 0 2 2 1 1 3 3]"},
		{"block", 0, pes(1), "[]"},
		{"rr", 5, pes(1, 1), "[0 1 0 1 0]"},
		{"rr", 5, interleaved(), "[0 2 1 3 0]"},
		{"prop", 6, pes(1, 2), "[0 0 1 1 1 1]"},
		{"prop", 12, interleaved(), "[0 0 2 2 1 1 3 3 3 3 3 3]"},
		{"prop", 1, pes(1, 1, 1), "[1]"},
	} {
		f, err := Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f(c.ranks, c.pes)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s of %d ranks on %d PEs: %v, %v; want %s", c.spec, c.ranks, len(c.pes), got, err, c.want)
		}
	}
}

// TestShares: no PE has more than one rank more or less than its share.
func TestShares(t *testing.T) {
	for name, f := range map[string]Function{"block": Block, "rr": RoundRobin, "prop": Proportional} {
		property := func(ranks uint16, speeds []uint8) bool {
			list := pes(1)
			total := 1.0
			for _, s := range speeds {
				speed := 1.0
				if name == "prop" {
					speed += float64(s)
				}
				list = append(list, loadbalance.PE{Speed: speed, Node: int32(s % 3)})
				total += speed
			}
			mapping, err := f(int(ranks), list)
			count := make([]int, len(list))
			for _, p := range mapping {
				count[p]++
			}
			for p, n := range count {
				if d := float64(n) - float64(ranks)*list[p].Speed/total; d > 1.001 || d < -1.001 {
					return false
				}
			}
			return err == nil && len(mapping) == int(ranks)
		}
		if err := quick.Check(property, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "map")
	text := "# ranks PEs\n\n0-3\t1  # together\n* 2-3\n5 0\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Parse("file:" + name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f(9, pes(1, 1, 1, 1))
	if want := []int32{1, 1, 1, 1, 2, 0, 2, 3, 3}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if f, _ := Parse("file:" + name + "-not"); f != nil {
		if _, err := f(9, nil); err == nil {
			t.Error("a file that is not there was read")
		}
	}
}

func TestFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"0-3 0":                  "m: rank 4 is not placed (a line \"* PE\" places all the others)",
		"0":                      "m: it has PEs for 1 ranks, and the job has 8",
		"0\n1 1":                 "m:2: \"1 1\" is not a PE, as the lines before have",
		"0-7 0\n1":               "m:2: \"1\" is not ranks and PEs, as in \"0-7 3\"",
		"0\n2":                   "m:2: there is no PE 2: they are 0 to 1",
		"0\n0-1":                 "m:2: \"0-1\" is not one PE, as the lines before have",
		strings.Repeat("0\n", 9): "m:9: a PE for rank 8: the ranks are 0 to 7",
		"0 1 2":                  "m:1: \"0 1 2\" is not ranks and PEs, as in \"0-7 3\"",
		"\n# x\n0-8 0":           "m:3: there is no rank 8: they are 0 to 7",
		"0-7 2":                  "m:1: there is no PE 2: they are 0 to 1",
		"0-7 0\n3 1":             "m:2: rank 3 is already placed by line 1",
		"* 0\n* 1":               "m:2: * is already in line 1",
		"\n" + long("#", 1<<17):  "m:2: the line is longer than 64 KiB",
		"3-1 0":                  "m:1: \"3-1\" goes backwards",
		"-1 0":                   "m:1: \"-1\" is not a rank or a range of them",
		"a 0":                    "m:1: \"a\" is not a rank or a range of them",
		"0-7 0x":                 "m:1: \"0x\" is not a PE or a range of them",
		"0 " + long("9", 30):     "m:1: \"" + long("9", 30) + "\" is not a PE or a range of them",
	} {
		got, err := Read("m", strings.NewReader(text), 8, pes(1, 1))
		if err == nil || err.Error() != want || got != nil {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}

func long(s string, n int) string { return strings.Repeat(s, n) }

func TestUnknownNames(t *testing.T) {
	for _, spec := range []string{"", "blocks", "file:", "rr:2"} {
		if f, err := Parse(spec); err == nil || f != nil {
			t.Errorf("%q is a mapping", spec)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("0-3 1\n* 0\n", uint8(8), uint8(2))
	f.Add("# only\n", uint8(0), uint8(1))
	f.Fuzz(func(t *testing.T, text string, ranks, count uint8) {
		mapping, err := Read("m", strings.NewReader(text), int(ranks), make([]loadbalance.PE, count))
		if (mapping == nil) == (err == nil) {
			t.Fatalf("%v and %v", mapping, err)
		}
		for r, p := range mapping {
			if p < 0 || p >= int32(count) {
				t.Fatalf("rank %d is on PE %d of %d", r, p, count)
			}
		}
	})
}
