package vrank

import (
	"testing"

	"ampirun/privatize"
)

func TestDescribePlace(t *testing.T) {
	for _, c := range []struct {
		l    privatize.Location
		want string
	}{
		{privatize.Location{Object: "legacy", Path: "/bin/legacy", Function: "solve", File: "/src/a/legacy.c", Line: 33}, "solve() legacy.c:33"},
		{privatize.Location{Object: "legacy", Function: "solve", File: "rel/legacy.f90", Line: 1}, "solve() legacy.f90:1"},
		{privatize.Location{Object: "libc.so.6", Path: "/lib/libc.so.6", Function: "strlen", Offset: 12}, "strlen() of libc.so.6"},
		{privatize.Location{Object: "libc.so.6"}, "an unnamed function of libc.so.6"},
		{privatize.Location{Object: "legacy", File: "legacy.c", Line: 7}, "an unnamed function legacy.c:7"},
	} {
		if got := describePlace(c.l); got != c.want {
			t.Errorf("%+v: %q, should be %q", c.l, got, c.want)
		}
	}
}
