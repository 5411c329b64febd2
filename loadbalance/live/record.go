package live

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ampirun/internal/safefile"
	"ampirun/loadbalance"
	"ampirun/loadbalance/record"
	"ampirun/vrank"
)

// DefaultStep is how long a step of a recorded run is unless the user says otherwise.
const DefaultStep = 100 * time.Millisecond

// recordShare bounds the part of the time that goes into recording: jobs that take long to look at have longer steps.
const recordShare = 200

// ParseStep reads the length of a step: seconds or a duration, as ParsePeriod has them.
func ParseStep(text string) (time.Duration, error) {
	p, err := ParsePeriod(text)
	if err != nil || p.fixed == 0 {
		return 0, fmt.Errorf("not a length of a step; write seconds (0.5) or a duration (200ms), %v at least", leastPeriod)
	}
	return p.fixed, nil
}

// observed is what recording needs of a Job.
type observed interface {
	Take() *vrank.Sample
	TakeTraffic() []vrank.Traffic
}

// recorder writes what a job does, step by step. It is a goroutine of worker 0 from start to finish.
type recorder struct {
	job      observed
	schedule func(thread int) Schedule
	file     io.WriteCloser
	out      *record.Writer
	step     time.Duration
	goesOn   bool // ranks have sent something before this job began, which is not of this trace

	last   *look
	sent   sums
	end    chan struct{} // closed to ask for the last step
	ended  chan struct{} // closed after it
	failed error
}

// newRecorder begins a trace in a file.
func newRecorder(job observed, file io.WriteCloser, h record.Header, step time.Duration) (*recorder, error) {
	out, err := record.NewWriter(file, h)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &recorder{job: job, file: file, out: out, step: step, sent: sums{}, end: make(chan struct{}), ended: make(chan struct{})}, nil
}

// openRecorder records this process's job as its configuration says.
func openRecorder(cfg *vrank.Config) (*recorder, error) {
	step, err := ParseStep(cfg.RecordStep)
	if err != nil {
		return nil, err
	}
	file, err := safefile.Create(cfg.Record) // before ranks run: what is open then is out of their reach
	if err != nil {
		return nil, err
	}
	h := record.Header{Program: strings.ToValidUTF8(cfg.Args[0], "?"), Ranks: cfg.Ranks, PEs: make([]loadbalance.PE, cfg.PEs)}
	for p := range h.PEs {
		h.PEs[p].Speed = 1
	}
	r, err := newRecorder(vrank.NewSampler(cfg.PEs, cfg.Ranks), file, h, step)
	if err == nil {
		r.schedule, r.goesOn = ReadSchedule, cfg.Restart != nil
	}
	return r, err
}

// start begins to measure. Ranks of other workers may have begun already: what those of a new job have sent counts all the same.
func (r *recorder) start() {
	r.last = takeLook(r.job, r.schedule)
	if r.goesOn {
		r.sent = sumUp(r.job.TakeTraffic())
	}
	go r.run()
}

// run writes steps until it is asked to end. After a failure it does nothing more: a run does not end for its trace.
func (r *recorder) run() {
	defer close(r.ended)
	for wait := r.step; ; {
		select {
		case <-r.end:
			r.failed = errors.Join(r.write(), r.out.Close(), r.file.Close())
			return
		case <-time.After(wait):
		}
		began := time.Now()
		if r.failed = r.write(); r.failed != nil {
			r.file.Close()
			return
		}
		wait = max(r.step, recordShare*time.Since(began))
	}
}

// finish writes the last step. The job's memory is still there.
func (r *recorder) finish() error {
	if r.last == nil {
		return errors.Join(r.out.Close(), r.file.Close()) // the ranks never began
	}
	close(r.end)
	<-r.ended
	return r.failed
}

// write writes what happened since the last step.
func (r *recorder) write() error {
	now := takeLook(r.job, r.schedule)
	sent := sumUp(r.job.TakeTraffic())
	s := recordedStep(r.last, now)
	s.Graph = sent.since(r.sent, len(s.Ranks))
	r.last, r.sent = now, sent
	return r.out.Write(s)
}

// recordedStep is what was measured between two looks. The time in a rank's code, as far as its PE had a core, is its load; the
// rest of it is the PE's background. What the program says of its loads does not count: a trace has what was measured.
func recordedStep(from, to *look) *record.Step {
	s := &record.Step{Seconds: to.At.Sub(from.At).Seconds(), Ranks: make([]loadbalance.Rank, len(to.Ranks)),
		Idle: make([]float64, len(to.PEs)), Background: make([]float64, len(to.PEs))}
	speeds := make([]float64, len(to.PEs))
	for p := range to.PEs {
		speeds[p] = share(from.schedules[p], to.schedules[p])
		s.Idle[p] = max(0, to.PEs[p].Idle-from.PEs[p].Idle)
	}
	for i := range to.Ranks {
		r := &to.Ranks[i]
		user := userTime(&from.Ranks[i], r)
		s.Ranks[i] = loadbalance.Rank{Load: user * speeds[r.PE], PE: int32(r.PE), Memory: r.Memory, Pinned: r.Pinned}
		s.Background[r.PE] += user * (1 - speeds[r.PE])
	}
	return s
}
