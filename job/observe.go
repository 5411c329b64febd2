package job

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/internal/refusal"
	"ampirun/internal/safefile"
	"ampirun/vrank"
)

// observePeriod is how often the memory of the workers is looked at.
const observePeriod = 100 * time.Millisecond

// observer looks at the ranks of a job through the memory that its workers share, from a goroutine of its own, until end. Methods may be
// called on nil, which does nothing.
type observer struct {
	job      *vrank.Observer
	started  bool
	timeline *timelineFile // nil: none
	progress *progress     // nil: none
	over     chan verdict
	ended    chan struct{}

	mu    sync.Mutex
	steps []vrank.BalanceStep // that have not been looked at

	looking sync.Mutex // held while it looks
	paused  bool       // it does not, since the job's memory is being changed
}

// observe begins to look at the job that is about to be launched.
func (m *manager) observe(placed []int32) error {
	layout := m.setup.region.Config()
	fd, err := unix.FcntlInt(uintptr(m.setup.region.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("+trace, +progress: %w", err)
	}
	job, err := vrank.Observe(fd, layout, m.opt.Workers)
	if err != nil {
		return fmt.Errorf("+trace, +progress: %w", err)
	}
	if r := m.opt.Restart; r != nil {
		job.ForgetPast()
		placed = r.places(m.opt.Workers)
	}
	o := &observer{job: job, over: make(chan verdict), ended: make(chan struct{})}
	if m.traceFile != nil {
		c := m.setup.config(0, layout)
		c.Mapping = placed
		o.timeline = newTimelineFile(m.traceFile, m.opt, &c, job)
	}
	if m.opt.Progress {
		o.progress = newProgress(m.out, m.opt)
	}
	m.observer = o
	go o.run()
	return nil
}

// balanced notes a step of load balancing.
func (o *observer) balanced(s vrank.BalanceStep) {
	if o == nil {
		return
	}
	o.mu.Lock()
	o.steps = append(o.steps, s)
	o.mu.Unlock()
}

// pause has it look no more; when it comes back it does not.
func (o *observer) pause() {
	if o == nil {
		return
	}
	o.looking.Lock()
	defer o.looking.Unlock()
	o.paused = true
}

// resume has it look again, at so many workers.
func (o *observer) resume(pes int) {
	if o == nil {
		return
	}
	o.looking.Lock()
	defer o.looking.Unlock()
	if o.paused {
		o.paused, o.started = false, false
		o.job.Renew(pes)
		o.progress.renew()
	}
}

// end looks for the last time, when the workers have ended.
func (o *observer) end(v verdict) {
	if o == nil {
		return
	}
	o.over <- v
	<-o.ended
}

func (o *observer) run() {
	defer close(o.ended)
	ticker := time.NewTicker(observePeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			o.look()
		case v := <-o.over:
			o.look()
			o.timeline.end(v, o.started)
			o.progress.end(o.job, o.started)
			o.job.Close()
			return
		}
	}
}

func (o *observer) look() {
	o.looking.Lock()
	defer o.looking.Unlock()
	if o.paused {
		return
	}
	if !o.started {
		if o.started = o.job.Started(); !o.started {
			return
		}
	}
	o.mu.Lock()
	steps := o.steps
	o.steps = nil
	o.mu.Unlock()
	o.timeline.look(steps)
	o.progress.look(o.job)
}

// createTrace makes the file of a timeline; nil where none is wanted.
func createTrace(name string) (*os.File, error) {
	if name == "" {
		return nil, nil
	}
	file, err := safefile.Create(name)
	if err != nil {
		return nil, refusal.New(refusal.CodeUsage, "+trace: %v", err)
	}
	return file, nil
}
