package live

import (
	"testing"
	"time"

	"ampirun/loadbalance"
	"ampirun/vrank"
)

// fakeJob is a job whose ranks work as load says; time passes while it is waited for.
type fakeJob struct {
	load  func(rank int, at float64) float64 // seconds of work in a second
	end   float64
	now   float64
	pe    []int
	user  []float64
	asks  []float64 // when the program asks for a step
	steps int
	moves int
}

const fakeTick = 1e-3

func newFakeJob(ranks int, end float64, load func(rank int, at float64) float64) *fakeJob {
	j := &fakeJob{load: load, end: end, pe: make([]int, ranks), user: make([]float64, ranks)}
	for r := range j.pe {
		j.pe[r] = r * 2 / ranks
	}
	return j
}

// time is that of the job: what a look takes in earnest must not count, on a busy machine it takes long.
func (j *fakeJob) time() time.Time { return time.Unix(0, int64(j.now*1e9)) }

func (j *fakeJob) Take() *vrank.Sample {
	s := &vrank.Sample{At: j.time(), PEs: make([]vrank.PESample, 2), Ranks: make([]vrank.RankSample, len(j.pe))}
	for r := range s.Ranks {
		s.Ranks[r] = vrank.RankSample{User: j.user[r], PE: j.pe[r]}
	}
	return s
}

func (j *fakeJob) TakeTraffic() []vrank.Traffic { return nil }
func (j *fakeJob) Measure()                     {}
func (j *fakeJob) Ends() bool                   { return j.now >= j.end }
func (j *fakeJob) Finish(uint32)                { j.steps++ }

func (j *fakeJob) Order(rank, pe int) error {
	j.pe[rank] = pe
	j.moves++
	return nil
}

func (j *fakeJob) Await(d time.Duration) uint32 {
	for until := j.now + d.Seconds(); j.now < until && !j.Ends(); j.now += fakeTick {
		if len(j.asks) > 0 && j.now >= j.asks[0] {
			j.asks = j.asks[1:]
			return uint32(j.steps + 1)
		}
		for r := range j.user {
			j.user[r] += fakeTick * j.load(r, j.now)
		}
	}
	return 0
}

func (j *fakeJob) run(t *testing.T, strategy string, p Period) (steps []vrank.BalanceStep) {
	t.Helper()
	s, err := loadbalance.Find(strategy)
	if err != nil {
		t.Fatal(err)
	}
	run(j, Options{Strategy: s, Period: p,
		Report: func(s vrank.BalanceStep) { steps = append(steps, s) }}, j.time)
	return steps
}

// shares is how much of the work at a time each of the two PEs has.
func (j *fakeJob) shares(at float64) (s [2]float64) {
	for r, pe := range j.pe {
		s[pe] += j.load(r, at)
	}
	return s
}

func (j *fakeJob) expectBalanced(t *testing.T) {
	t.Helper()
	if s := j.shares(j.now); max(s[0], s[1]) > 1.05*(s[0]+s[1])/2 {
		t.Errorf("at the end the PEs have %.3f and %.3f of work", s[0], s[1])
	}
}

func slope(rank int, _ float64) float64 { return 2 * float64(rank) / 64 / 32 }

func TestAutoBalancesOnceWhatStays(t *testing.T) {
	j := newFakeJob(64, 2, slope)
	if steps := j.run(t, "GreedyRefine", Auto); len(steps) != 1 || steps[0].At < 0 || steps[0].Before < 1.4 || steps[0].After > 1.05 {
		t.Errorf("steps: %+v", steps)
	}
	j.expectBalanced(t)
}

// Ranks take turns of 10 ms, those of one PE first: short windows see few of them, and in the long run all do the same.
func TestAutoIsNotMisledByTurns(t *testing.T) {
	j := newFakeJob(64, 5, func(rank int, at float64) float64 {
		if int(at*100)%64 == rank {
			return 1
		}
		return 0
	})
	if j.run(t, "GreedyRefine", Auto); j.moves > 8 { // some, when the windows meet the turns
		t.Errorf("%d moves", j.moves)
	}
}

func TestAutoLeavesBalanceAlone(t *testing.T) {
	j := newFakeJob(64, 3, func(rank int, at float64) float64 { return (1 + 0.2*float64((rank*7+int(at*1000)*13)%11)/11) / 40 })
	if j.run(t, "GreedyRefine", Auto); j.moves > 0 {
		t.Errorf("%d moves", j.moves)
	}
}

func TestAutoFollowsASpot(t *testing.T) {
	j := newFakeJob(64, 3.9, func(rank int, at float64) float64 {
		if int(at)%2 == rank/32 {
			return 1.0 / 34
		}
		return 1.0 / 320
	})
	if steps := j.run(t, "GreedyRefine", Auto); len(steps) == 0 {
		t.Error("no steps")
	}
	j.expectBalanced(t)
}

func TestFixedPeriodActsEachTime(t *testing.T) {
	j := newFakeJob(64, 1, slope)
	if steps := j.run(t, "Rotate", Period{fixed: 100 * time.Millisecond}); len(steps) != 9 {
		t.Errorf("%d steps, want 9: %+v", len(steps), steps)
	}
}

// The first step that a program asks for has nothing to go by.
func TestCallsActOnlyWhenAsked(t *testing.T) {
	j := newFakeJob(64, 3, slope)
	j.asks = []float64{0.5, 1, 1.5}
	steps := j.run(t, "GreedyRefine", Calls)
	if j.steps != 3 || len(steps) != 2 || !steps[0].Asked || steps[0].Moves == 0 || steps[1].Moves > 0 {
		t.Errorf("%d steps are finished, these reported: %+v", j.steps, steps)
	}
	j.expectBalanced(t)
}

func TestParsePeriod(t *testing.T) {
	for text, want := range map[string]Period{"auto": Auto, "calls": Calls, "0.5": {fixed: 500 * time.Millisecond}, "200ms": {fixed: 200 * time.Millisecond}, "2": {fixed: 2 * time.Second}} {
		if p, err := ParsePeriod(text); err != nil || p != want {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1us", "often", "NaN", "inf"} {
		if p, err := ParsePeriod(text); err == nil {
			t.Errorf("%q is taken as %v", text, p)
		}
	}
}

func TestLoadOfARank(t *testing.T) {
	said := 3.0
	for _, c := range []struct {
		from, to vrank.RankSample
		want     float64
	}{
		{vrank.RankSample{User: 1}, vrank.RankSample{User: 1.5}, 0.5},
		{vrank.RankSample{User: 1}, vrank.RankSample{User: 0.25}, 0.25}, // measured anew
		{vrank.RankSample{User: 1}, vrank.RankSample{User: 1.5, Load: &said}, 3},
	} {
		if got := load(&c.from, &c.to); got != c.want {
			t.Errorf("load is %v, want %v", got, c.want)
		}
	}
}
