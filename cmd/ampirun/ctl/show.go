package ctl

import (
	"fmt"
	"text/tabwriter"
	"time"

	"ampirun/internal/human"
	"ampirun/job/control"
)

func seconds(s float64) string { return human.Time(time.Duration(s * float64(time.Second))) }

func table(p printer) *tabwriter.Writer { return tabwriter.NewWriter(p.to, 0, 0, 2, ' ', 0) }

// lookTime is how long a job may take to say how it goes: it asks its workers one after the other.
const lookTime = time.Minute

// status prints what a job says about itself.
func status(c *control.Conversation, _ []int, out printer) error {
	c.Bound(lookTime)
	s, err := look(c)
	switch {
	case err != nil:
		return err
	case out.json:
		return out.value(s)
	}
	out.status(s)
	return nil
}

// look asks a job how it goes, for which it looks at its ranks.
func look(c *control.Conversation) (s *control.Status, err error) {
	err = c.Ask(control.Request{Verb: "status"}, func(r control.Reply) { s = r.Status })
	if err == nil && s == nil {
		err = fmt.Errorf("job %d has sent no status: it was started by another version of ampirun, perhaps", c.PID())
	}
	return s, err
}

func (p printer) status(s *control.Status) {
	fmt.Fprintf(p.to, "job %d: %s, %d ranks in %d workers; %s\n", s.PID, s.Program, s.Ranks, len(s.Workers), state(s))
	if s.From != "" {
		fmt.Fprintf(p.to, "goes on from a checkpoint in %s\n", s.From)
	}
	t := table(p)
	fmt.Fprintln(t, "worker\tpid\tranks")
	for _, w := range s.Workers {
		fmt.Fprintf(t, "%d\t%d\t%s\n", w.PE, w.PID, ranksOf(&w))
	}
	t.Flush()
	if s.Problem != "" {
		fmt.Fprintf(p.to, "ranks: %s\n", s.Problem)
	} else {
		fmt.Fprintf(p.to, "ranks: %d of %d have ended; %d moves so far, %d of them by stealing\n", s.Ended, s.Ranks, s.Moves, s.Stolen)
	}
	fmt.Fprintf(p.to, "balancing: %s; stealing: %s\n", balancing(&s.Balance), map[bool]string{true: "on", false: "off"}[s.Steal])
	fmt.Fprintf(p.to, "checkpoints: %s\n", checkpoints(s.Checkpoints))
	fmt.Fprintf(p.to, "fault tolerance: %s\n", outlives(s.FT))
	if s.FT != nil {
		p.failures(s.FT.Failures)
	}
}

func state(s *control.Status) string {
	return map[string]string{"starts": "starting", "runs": "running", "recovers": "recovering", "scales": "scaling", "ends": "ending"}[s.State] + " for " + seconds(s.Running)
}

func ranksOf(w *control.WorkerStatus) string {
	switch {
	case !w.Alive:
		return "has ended"
	case w.Ranks == nil:
		return "?"
	}
	return fmt.Sprint(*w.Ranks)
}

func balancing(b *control.BalanceStatus) string {
	text := "when the program asks"
	if b.Strategy != "" {
		text = b.Strategy + ", " + b.Period
	}
	return fmt.Sprintf("%s, %d steps with %d moves", text, b.Steps, b.Moves)
}

func checkpoints(c *control.CheckpointStatus) string {
	if c == nil {
		return "none (+ckpt)"
	}
	text := c.Dir
	if c.Every > 0 {
		text += ", every " + seconds(c.Every)
	}
	if c.OnTerm {
		text += ", and before SIGTERM ends the job"
	}
	text += fmt.Sprintf("; %d made", c.Made)
	if l := c.Last; l != nil {
		text += fmt.Sprintf(", number %d %s ago: the ranks stood still for %s, safe after %s, %s written",
			l.Number, human.Time(time.Since(l.When)), seconds(l.Pause), seconds(l.Safe), human.Bytes(l.Written))
	}
	if c.Saving {
		text += "; one is being made"
	}
	return text + copiesElsewhere(c.Buddy)
}

func copiesElsewhere(b *control.BuddyStatus) string {
	if b == nil {
		return ""
	}
	text := fmt.Sprintf("; copies on %s: %d made", b.To, b.Made)
	if l := b.Last; l != nil {
		text += fmt.Sprintf(", number %d %s ago: safe after %s, %s sent", l.Number, human.Time(time.Since(l.When)), seconds(l.Safe), human.Bytes(l.Sent))
	}
	if b.Sending {
		text += "; one is being sent"
	}
	if b.Problem != "" {
		text += "; the last try failed: " + b.Problem
	}
	return text
}

func outlives(ft *control.FTStatus) string {
	if ft == nil {
		return "none (+ft)"
	}
	text := "goes on from " + ft.Mode
	if c := ft.Copy; c != nil {
		text += ", " + copies(c)
	}
	if ft.Shrink {
		text += "; workers that fail are not replaced"
	}
	return text + fmt.Sprintf("; %d of %d failures so far", len(ft.Failures), ft.MaxFailures)
}

func copies(c *control.CopyStatus) string {
	text := "copied when asked"
	if c.Every > 0 {
		text = "copied every " + seconds(c.Every)
	}
	if c.Age == nil {
		return text + "; no copy yet"
	}
	return text + fmt.Sprintf("; %d made, the last %s ago: the ranks stood still for %s", c.Made, seconds(*c.Age), seconds(c.Pause))
}

func (p printer) failures(all []control.FailureStatus) {
	for _, f := range all {
		took := "is being made good"
		if f.Took > 0 {
			took = "the ranks ran again after " + seconds(f.Took)
		}
		fmt.Fprintf(p.to, "  %s ago: %s; %s\n", human.Time(time.Since(f.When)), f.What, took)
	}
}

// ranks prints a table of all ranks.
func ranks(c *control.Conversation, _ []int, out printer) error {
	var last control.Reply
	c.Bound(lookTime)
	err := c.Ask(control.Request{Verb: "ranks"}, func(r control.Reply) { last = r })
	switch {
	case err != nil:
		return err
	case out.json:
		return out.value(last.Ranks)
	}
	t := table(out)
	fmt.Fprintln(t, "rank\tPE\tmemory\tmoves\tstate")
	for _, r := range last.Ranks {
		text := r.State
		if r.GoesTo != nil {
			text += fmt.Sprintf("; goes to PE %d", *r.GoesTo)
		}
		if r.Stays != "" {
			text += "; stays: " + r.Stays
		}
		fmt.Fprintf(t, "%d\t%d\t%s\t%d\t%s\n", r.Rank, r.PE, human.Bytes(uint64(max(r.Memory, 0))), r.Moves, text)
	}
	return t.Flush()
}
