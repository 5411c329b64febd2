package job

import (
	"fmt"
	"io"
	"runtime"
	"syscall"
	"time"

	"ampirun/checkpoint/plan"
)

// Before there is a checkpoint its cost is not known. The first one is made as if it cost guessedCost, and firstCheckpoint after the begin at
// the latest: programs have their memory by then, and what is lost until then is little.
const (
	guessedCost     = 100 * time.Millisecond
	firstCheckpoint = time.Minute
)

// leastCost is what a checkpoint is taken to cost at least: figures below it are chance.
const leastCost = 100 * time.Microsecond

// pace says when a job is saved next: as often as it was told, or as is best for what its checkpoints cost.
type pace struct {
	every   time.Duration // as it was told; 0: it was not
	mtbf    time.Duration // of all nodes together; 0: not known, so the job is saved only when it is told
	workers int

	cost    time.Duration // what a checkpoint takes away from the program; 0: there has been none
	since   time.Time     // the program goes on since then, after the last one
	pause   time.Duration // that the last one took
	writing time.Duration // processor time of this process when it began to write that
}

func newPace(how Checkpoints, workers int) *pace {
	return &pace{every: how.Every, mtbf: how.MTBF, workers: workers}
}

// paused notes that memory has been copied, for which the program stood still so long, and is about to be written.
func (p *pace) paused(seconds float64) {
	p.pause = time.Duration(seconds * float64(time.Second))
	p.since, p.writing = time.Now(), processorTime()
}

// written notes that what was copied is safe: now it is known what the checkpoint has cost. The one before counts as much as all others
// together, since costs change with what the program does.
func (p *pace) written() {
	cost := p.pause + delay(processorTime()-p.writing, time.Since(p.since), p.workers, runtime.NumCPU())
	if p.cost > 0 {
		cost = (cost + p.cost) / 2
	}
	p.cost = max(cost, leastCost)
}

// delay is by how much writing has held the program up: the processor time that cores without a worker could not give to it, divided among
// the workers on the others.
func delay(used, took time.Duration, workers, cores int) time.Duration {
	busy := min(workers, cores)
	idle := time.Duration(cores-busy) * took
	return max(used-idle, 0) / time.Duration(busy)
}

// interval is how long the program computes between two checkpoints; 0: for ever.
func (p *pace) interval() time.Duration {
	switch {
	case p.every > 0 || p.mtbf == 0:
		return p.every
	case p.cost == 0:
		return min(plan.Interval(guessedCost, p.mtbf), firstCheckpoint)
	}
	return plan.Interval(p.cost, p.mtbf)
}

// next is how long it is until the next checkpoint, when the last one is over; 0: there is none unless somebody asks. While it was
// written the program went on, which counts for the best interval, and not for one that was told.
func (p *pace) next() time.Duration {
	rest := p.interval()
	if p.every == 0 && rest > 0 && !p.since.IsZero() {
		rest = max(rest-time.Since(p.since), time.Millisecond)
		p.since = time.Time{}
	}
	return rest
}

// print tells what was chosen.
func (p *pace) print(out io.Writer) {
	if p.mtbf > 0 && p.cost > 0 {
		fmt.Fprintf(out, "interval %s: a checkpoint costs %s, MTBF %s\n",
			plan.FormatDuration(p.interval()), plan.FormatDuration(p.cost), plan.FormatDuration(p.mtbf))
	}
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
