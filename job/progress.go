package job

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/internal/human"
	"ampirun/vrank"
)

// How often the line is made anew: on a terminal it is redrawn, elsewhere each is a line of its own.
const (
	progressRedraw = 250 * time.Millisecond
	progressLines  = 10 * time.Second
)

// progress shows how a job goes, on standard error. It may be nil.
type progress struct {
	out      *merger
	terminal *os.File      // nil: standard error is none
	began    time.Time     // the job
	first    *vrank.Sample // when it began, or other workers took it over: nothing had been done
	last     *vrank.Sample // at the last line
	pause    time.Duration // between lines, at least
}

func newProgress(out *merger, opt Options) *progress {
	p := &progress{out: out, pause: progressLines}
	if isTerminal(opt.Stderr) {
		p.terminal, p.pause = opt.Stderr, progressRedraw
	}
	return p
}

// renew notes that what ranks have done so far is not known any more.
func (p *progress) renew() {
	if p != nil {
		p.last = nil
	}
}

// look shows a new line if it is time for one.
func (p *progress) look(job *vrank.Observer) {
	if p == nil {
		return
	}
	if p.last == nil {
		now := job.Take()
		ago := job.TickTime(job.Ticks() - job.Began())
		p.first = &vrank.Sample{At: now.At.Add(-ago), PEs: make([]vrank.PESample, len(now.PEs)), Ranks: make([]vrank.RankSample, len(now.Ranks))}
		p.last = p.first
		if p.began.IsZero() {
			p.began = p.first.At
		}
	}
	if began := time.Now(); began.Sub(p.last.At) >= p.pause {
		now := job.Take()
		p.show(p.last, now)
		p.last = now
		p.pause = max(p.pause, 50*time.Since(began)) // with a million ranks
	}
}

func (p *progress) show(from, to *vrank.Sample) {
	line := "ampirun: " + progressLine(from, to, to.At.Sub(p.began))
	if p.terminal == nil {
		p.out.say(line)
		return
	}
	p.out.showStatus(p.terminal, fit(line, p.terminal))
}

// end takes the line away. Where there is no terminal, a last one is about all that the workers have done that are there.
func (p *progress) end(job *vrank.Observer, started bool) {
	switch {
	case p == nil:
	case p.terminal != nil:
		p.out.hideStatus()
	case started && p.last != nil:
		p.show(p.first, job.Take())
	}
}

// fit cuts a line so that it does not wrap.
func fit(line string, terminal *os.File) string {
	size, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ)
	if err == nil && size.Col > 1 && len(line) >= int(size.Col) {
		return line[:size.Col-1]
	}
	return line
}

// progressLine says what happened between two samples, after so long in all.
func progressLine(from, to *vrank.Sample, elapsed time.Duration) string {
	seconds := max(to.At.Sub(from.At).Seconds(), 1e-6)
	busy := 0.0
	for p := range to.PEs {
		busy += 1 - min(1, max(0, to.PEs[p].Idle-from.PEs[p].Idle)/seconds)
	}
	var sent, moves uint64
	left := 0
	loads := make([]float64, len(to.PEs))
	for i := range to.Ranks {
		was, is := &from.Ranks[i], &to.Ranks[i]
		sent += is.Sent - was.Sent
		moves += is.Moves
		if !is.Ended {
			left++
		}
		if is.PE >= 0 && is.PE < len(loads) {
			loads[is.PE] += max(0, is.User-was.User)
		}
	}
	return fmt.Sprintf("%s, %.1f of %d PEs busy, imbalance %.2f, %d moves, %s messages/s, %d of %d ranks", human.Time(elapsed), busy, len(to.PEs),
		imbalance(loads), moves, human.Count(float64(sent)/seconds), left, len(to.Ranks))
}

// imbalance is the largest load against the mean; 1 where there is none.
func imbalance(loads []float64) float64 {
	most, sum := 0.0, 0.0
	for _, l := range loads {
		most, sum = max(most, l), sum+l
	}
	if sum == 0 {
		return 1
	}
	return most * float64(len(loads)) / sum
}
