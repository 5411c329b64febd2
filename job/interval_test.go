package job

import (
	"testing"
	"time"

	"ampirun/checkpoint/plan"
)

// TestPaceFollowsCosts compares the interval with Daly's for what checkpoints have cost.
func TestPaceFollowsCosts(t *testing.T) {
	const mtbf = 24 * time.Hour
	p := newPace(Checkpoints{MTBF: mtbf}, 1<<20)
	if got := p.next(); got != firstCheckpoint {
		t.Errorf("the first checkpoint is due after %v", got)
	}
	p.paused(2)
	p.written()
	if p.cost < 2*time.Second || p.cost > 3*time.Second || p.interval() != plan.Interval(p.cost, mtbf) {
		t.Errorf("after a pause of 2s: cost %v, interval %v", p.cost, p.interval())
	}
	whole := p.interval()
	p.since = p.since.Add(-time.Minute) // it took that long to write
	if got := p.next(); got > whole-time.Minute || got < whole-2*time.Minute {
		t.Errorf("%v after a checkpoint the next one is due in %v, with an interval of %v", time.Minute, got, whole)
	}
	before := p.cost
	p.paused(8)
	p.written()
	if got := p.cost; got < (before+8*time.Second)/2 || got > (before+9*time.Second)/2 || p.interval() <= whole {
		t.Errorf("after a pause of 8s: cost %v, interval %v", got, p.interval())
	}
	p.paused(1000)
	p.written()
	p.since = p.since.Add(-1000 * time.Hour)
	if got := p.next(); got <= 0 {
		t.Errorf("a checkpoint that is late is due in %v", got)
	}
}

// TestPaceBegins has the first checkpoint long before a failure is to be expected.
func TestPaceBegins(t *testing.T) {
	for _, mtbf := range []time.Duration{time.Second, time.Minute, time.Hour, 1000 * time.Hour} {
		if got := newPace(Checkpoints{MTBF: mtbf}, 1).next(); got <= 0 || got > firstCheckpoint || got > mtbf/2 {
			t.Errorf("MTBF %v: the first checkpoint is due after %v", mtbf, got)
		}
	}
}

// TestPaceAsTold keeps to an interval that was told, whatever checkpoints cost.
func TestPaceAsTold(t *testing.T) {
	for _, every := range []time.Duration{0, time.Minute} {
		p := newPace(Checkpoints{Every: every}, 1)
		for range 2 {
			if got := p.next(); got != every {
				t.Errorf("told %v: %v", every, got)
			}
			p.paused(5)
			p.written()
		}
	}
}

func TestDelay(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		used, took     time.Duration
		workers, cores int
		want           time.Duration
	}{
		{3 * s, 2 * s, 1, 4, 0},     // three cores have nothing else to do
		{3 * s, 2 * s, 3, 4, s / 3}, // one has, for two seconds
		{3 * s, 2 * s, 4, 4, 3 * s / 4},
		{3 * s, 2 * s, 9, 2, 3 * s / 2},
		{0, 2 * s, 2, 2, 0},
	} {
		if got := delay(c.used, c.took, c.workers, c.cores); got != c.want {
			t.Errorf("%v of processor time in %v, %d workers on %d cores: %v, want %v", c.used, c.took, c.workers, c.cores, got, c.want)
		}
	}
}
