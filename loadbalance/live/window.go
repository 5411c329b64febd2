package live

import (
	"fmt"
	"strconv"
	"time"
)

// Period is how often the strategy is asked.
type Period struct {
	auto  bool
	fixed time.Duration // 0 with auto unset: only when the program asks
}

// The periods that have names.
var (
	Auto  = Period{auto: true}
	Calls = Period{}
)

// leastPeriod is the shortest period that is taken: a step must be short against it.
const leastPeriod = time.Millisecond

// ParsePeriod reads "auto", "calls", seconds ("0.5") or a duration ("200ms").
func ParsePeriod(text string) (Period, error) {
	switch text {
	case "auto":
		return Auto, nil
	case "calls":
		return Calls, nil
	}
	d, err := time.ParseDuration(text)
	if seconds, notNumber := strconv.ParseFloat(text, 64); notNumber == nil && seconds < 1e9 {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil {
		return Period{}, fmt.Errorf("not a period; write seconds (0.5), a duration (200ms), auto or calls")
	}
	if d < leastPeriod {
		return Period{}, fmt.Errorf("too short: at least %v", leastPeriod)
	}
	return Period{fixed: d}, nil
}

func (p Period) isTimed() bool { return p.auto || p.fixed > 0 }

// Bounds of half a window under Auto, and what it is at first.
const (
	leastHalf = 25 * time.Millisecond
	mostHalf  = 400 * time.Millisecond
)

// lookShare bounds the part of the time that goes into looking.
const lookShare = 500

// calmWindows is after how many windows without anything to do shorter ones are tried.
const calmWindows = 8

// window is what the next step will be based on. With a fixed period it is one period. Under Auto it has two halves, and is as long
// as it takes for the first to foretell the second.
type window struct {
	Period
	half          time.Duration
	least         time.Duration
	from, mid, to *look
	calm          int
}

func newWindow(p Period) *window { return &window{Period: p, half: leastHalf, least: leastHalf} }

// wait is how long to wait for the next sample.
func (w *window) wait() time.Duration {
	switch {
	case w.auto:
		return w.half
	case w.fixed > 0:
		return w.fixed
	}
	return awaitTime
}

// took notes how long a look took: many ranks are looked at less often.
func (w *window) took(d time.Duration) {
	w.least = min(max(leastHalf, lookShare*d), mostHalf)
	w.half = max(w.half, w.least)
}

// add takes a sample. It tells whether there is a window now to act on.
func (w *window) add(s *look) bool {
	if w.auto {
		w.from, w.mid, w.to = w.mid, w.to, s
	} else {
		w.from, w.to = w.to, s
	}
	return w.from != nil
}

// slide notes that nothing was to be done.
func (w *window) slide() {
	if w.calm++; w.calm < calmWindows {
		return
	}
	if w.calm = 0; w.half > w.least {
		w.shrink()
	}
}

// shrink begins anew with shorter windows.
func (w *window) shrink() {
	w.half = max(w.half/2, w.least)
	w.restart()
}

// grow makes a half of what was a window: a longer one may foretell better, and moves that win little may be worth their cost over it.
func (w *window) grow() {
	if w.calm = 0; w.half < mostHalf {
		w.mid = w.from
		w.half *= 2
	}
}

// restart begins anew with the last sample: what was seen before ranks moved tells little about afterwards.
func (w *window) restart() { w.from, w.mid = nil, nil }
