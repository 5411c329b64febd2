package conformance

import (
	"testing"
)

// TestMTBF has a job choose how often it is saved, and go on to do so after a restart.
func TestMTBF(t *testing.T) {
	t.Parallel()
	l := job{program: program(t, ownDir+"/steady.c"), args: []string{"200"}, workers: 2, ranks: 4}.begin(t, "+mtbf", "3s")
	l.await(func() bool { return l.newest() >= 2 })
	l.kill()
	l.goOn("+stats")
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "PASS steady", "interval ", ": a checkpoint costs ", ", MTBF 3s")
	for _, row := range [][]string{
		{"leave one of them out", "+ckpt", t.TempDir(), "+ckpt-every", "5m", "+mtbf", "1d"},
		{"leave one of them out", "+mtbf", "1d", "+ckpt-every", "5m", "+ckpt", t.TempDir()},
		{"too short: at least 1s", "+ckpt", t.TempDir(), "+mtbf", "10ms"},
		{"name a directory with +ckpt DIR", "+mtbf", "1d"},
	} {
		r := runTool(t, "ampirun", append(row[1:], l.cmd.Path)...)
		r.expectCode(t, 2)
		r.expectSays(t, row[0])
	}
}
