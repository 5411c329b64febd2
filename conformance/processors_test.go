package conformance

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestWideRegisters keeps AVX-512 registers and AMX tiles where a rank that uses them is moved, interrupted, killed and restarted: what the
// kernel has granted it in one process holds in those that it comes to.
func TestWideRegisters(t *testing.T) {
	stop := filepath.Join(t.TempDir(), "stop")
	l := job{program: program(t, ownDir+"/tiles.c"), args: []string{stop}, workers: 2, ranks: 3}.begin(t, "+ckpt-every", often)
	said := ""
	for range 2 {
		if !l.await(func() bool { return l.newest() >= l.seen+4 }) {
			break
		}
		said += l.out.String()
		l.kill()
		l.goOn("+p", "2")
	}
	l.await(func() bool { return l.newest() >= l.seen+2 })
	touch(t, stop)
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "PASS tiles\n")
	if !strings.Contains(said, "amx 1") {
		t.Logf("without AMX here: %s", said)
	}
}
