package checkpoint

import (
	"testing"
	"time"
)

// TestTuner: blocks that do not shrink are tried ever more seldom, and those that do are compressed soon after they come.
func TestTuner(t *testing.T) {
	const blocks = 1 << 14
	u := &tuner{writers: 2, speed: guessedSpeed}
	pack := func(stored int, took time.Duration) (tries int) {
		for range blocks {
			if u.wants() {
				tries++
				u.learn(1<<16, stored, took)
			}
		}
		return tries
	}
	if tries := pack(1<<16, 100*time.Microsecond); tries < blocks/probeLate || tries > 2*blocks/probeLate {
		t.Errorf("of %d blocks that do not shrink %d were tried", blocks, tries)
	}
	if tries := pack(1<<12, 100*time.Microsecond); tries < blocks-2*probeLate {
		t.Errorf("of %d blocks that shrink well %d were tried", blocks, tries)
	}
	if tries := pack(1<<12, time.Second); tries > 2*blocks/probeLate {
		t.Errorf("of %d blocks that take long %d were tried", blocks, tries)
	}
}
