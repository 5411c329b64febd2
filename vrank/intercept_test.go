package vrank

import "testing"

// TestInterception compares all cells with the table as it is written in docs/internals/memory.md.
func TestInterception(t *testing.T) {
	const yes, no, runtime, none = NeedYes, NeedNo, NeedRuntime, NeedNotGiven
	columns := [4]Need{yes, no, runtime, none}
	for _, row := range []struct {
		movable Need
		want    [4]Need
	}{
		{yes, [4]Need{yes, yes, yes, yes}},
		{no, [4]Need{yes, no, no, no}},
		{runtime, [4]Need{yes, no, runtime, runtime}},
		{none, [4]Need{yes, no, runtime, runtime}},
	} {
		for i, registered := range columns {
			if got := Interception(row.movable, registered); got != row.want[i] {
				t.Errorf("movable %q, registered %q: %q, want %q", row.movable, registered, got, row.want[i])
			}
		}
	}
}

// TestIntercepts checks that circumstances count where the table says runtime, and nowhere else.
func TestIntercepts(t *testing.T) {
	for movable := range needs {
		for registered := range needs {
			for bits := range 4 {
				c := Circumstances{Moves: bits&1 != 0, Registers: bits&2 != 0}
				want := map[Need]bool{NeedYes: true, NeedNo: false, NeedRuntime: bits != 0}[Interception(movable, registered)]
				if got := Intercepts(movable, registered, c); got != want {
					t.Errorf("movable %q, registered %q, %+v: %v, want %v", movable, registered, c, got, want)
				}
			}
		}
	}
}

func TestParseNeed(t *testing.T) {
	for n := NeedYes; n < needs; n++ {
		if got, err := ParseNeed(n.String()); err != nil || got != n {
			t.Errorf("ParseNeed(%q) is %q, %v", n, got, err)
		}
	}
	for _, bad := range []string{"", "YES", "auto"} {
		if got, err := ParseNeed(bad); err == nil {
			t.Errorf("ParseNeed(%q) is %q, want an error", bad, got)
		}
	}
}
