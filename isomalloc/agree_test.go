package isomalloc

import (
	"slices"
	"strings"
	"testing"
)

func TestAgree(t *testing.T) {
	const g, tib = 1 << 30, 1 << 40
	user := []Range{{userLow, userHigh}}
	tests := []struct {
		name string
		free [][]Range
		size uint64
		want uintptr // 0: no agreement
	}{
		{"all free", [][]Range{user}, 4 * tib, 64 * tib},
		{"largest default", [][]Range{user, user}, 80 * tib, 16 * tib},
		{"one process in the way", [][]Range{user, {{userLow, 64*tib + 5}, {64*tib + 4096, userHigh}}}, g, 64*tib + g},
		{"only below 64 TiB", [][]Range{{{16*tib + 5, 64 * tib}}}, g, 16*tib + g},
		{"gaps that meet in one place", [][]Range{{{16 * tib, 20 * tib}, {30 * tib, 40 * tib}}, {{19 * tib, 33 * tib}}}, 2 * tib, 30 * tib},
		{"first common gap too small", [][]Range{{{16 * tib, 20 * tib}}, {{19 * tib, 33 * tib}}}, 1 * tib, 19 * tib},
		{"only below 16 TiB", [][]Range{{{3*g + 1, 16 * tib}}}, tib, 4 * g},
		{"crosses 16 TiB", [][]Range{{{15 * tib, 17 * tib}}}, 2 * tib, 15 * tib},
		{"no aligned place", [][]Range{{{20*tib + 4096, 20*tib + g}}}, g - 4096, 20*tib + 4096},
		{"unsorted, overlapping, empty", [][]Range{{{40 * tib, 41 * tib}, {18 * tib, 19 * tib}, {7, 7}, {19 * tib, 20 * tib}, {18 * tib, 18*tib + 1}}}, 2 * tib, 18 * tib},
		{"nothing in common", [][]Range{{{16 * tib, 17 * tib}}, {{17 * tib, 18 * tib}}}, 4096, 0},
		{"too large", [][]Range{user}, 128 * tib, 0},
		{"no process", nil, 4096, 0},
	}
	for _, tt := range tests {
		before := clone(tt.free)
		got, err := Agree(tt.free, tt.size)
		if got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("%s: %#x, %v, want %#x", tt.name, got, err, tt.want)
		}
		if !slices.EqualFunc(before, tt.free, slices.Equal[[]Range]) {
			t.Errorf("%s: the arguments were changed", tt.name)
		}
	}
}

func clone(in [][]Range) [][]Range {
	out := slices.Clone(in)
	for i := range out {
		out[i] = slices.Clone(out[i])
	}
	return out
}

func TestAgreeSaysWhatThereIs(t *testing.T) {
	_, err := Agree([][]Range{{{0x10000, 0x10000 + 3<<20}}, {{0, 1 << 40}}}, 8<<30)
	if err == nil || !strings.Contains(err.Error(), "no 8 GiB are free at one address in all 2 processes (largest common gap: 3 MiB)") {
		t.Error(err)
	}
}

func TestFreeRangesAreFree(t *testing.T) {
	free, err := FreeRanges()
	if err != nil || len(free) == 0 {
		t.Fatal(free, err)
	}
	here := anonArea(t, 1<<20)
	for _, r := range free {
		if r.Lo >= r.Hi || r.Lo < userLow || r.Hi > userHigh || r.Lo%pageSize != 0 || r.Hi%pageSize != 0 {
			t.Errorf("odd range %v", r)
		}
	}
	again, err := FreeRanges()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range again {
		if r.Lo <= here.Lo && here.Lo < r.Hi {
			t.Errorf("%v is called free, %v is mapped", r, here)
		}
	}
}

const sampleMaps = `00400000-00401000 r--p 00000000 08:01 123 /bin/x
7f0000000000-7f0000021000 rw-p 00000000 00:00 0

7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`

func TestParseMaps(t *testing.T) {
	used, err := parseMaps(strings.NewReader(sampleMaps))
	want := []Range{{0x400000, 0x401000}, {0x7f0000000000, 0x7f0000021000}, {0x7ffd00000000, 0x7ffd00021000}, {0xffffffffff600000, 0xffffffffff601000}}
	if err != nil || !slices.Equal(used, want) {
		t.Fatalf("%v, %v", used, err)
	}
	free := []Range{{userLow, 0x400000}, {0x401000, 0x7f0000000000}, {0x7f0000021000, 0x7ffd00000000}, {0x7ffd00021000, userHigh}}
	if got := gaps(used); !slices.Equal(got, free) {
		t.Errorf("gaps %v, want %v", got, free)
	}
	for _, bad := range []string{"x", "1-", "-1", "2-1 r", "1-1", "12345678901234567-2 r", "g-h r--p"} {
		if used, err := parseMaps(strings.NewReader(bad)); err == nil || used != nil {
			t.Errorf("%q: %v, %v", bad, used, err)
		}
	}
}

func FuzzParseMaps(f *testing.F) {
	f.Add([]byte(sampleMaps))
	f.Add([]byte("0-ffffffffffffffff ---p"))
	f.Add([]byte("1-2\n-\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		used, err := parseMaps(strings.NewReader(string(data)))
		if err != nil && used != nil {
			t.Fatal("both a result and an error")
		}
		at := uintptr(userLow)
		for _, g := range gaps(used) {
			if g.Lo < at || g.Hi <= g.Lo || g.Hi > userHigh || g.Lo%pageSize != 0 || g.Hi%pageSize != 0 {
				t.Fatalf("gap %v after %#x", g, at)
			}
			at = g.Hi
			for _, u := range used {
				if u.Lo < g.Hi && g.Lo < u.Hi {
					t.Fatalf("gap %v overlaps %v", g, u)
				}
			}
		}
	})
}
