package job

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"ampirun/job/control"
)

func (c *copier) succeed(o *offer, sent uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.copied = append(c.copied, copied{o.Number, now, now.Sub(o.began), sent})
	c.problem = ""
}

// fail notes why a checkpoint is not on the other node (0: why no link was made), and says it unless it was said last.
func (c *copier) fail(number uint64, err error) {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	what := ""
	if number > 0 {
		what = fmt.Sprintf("no copy of checkpoint %d: ", number)
	}
	c.mu.Lock()
	if isNew := withoutDigits(text) != withoutDigits(c.problem); isNew && c.ctx.Err() == nil {
		c.lines = append(c.lines, fmt.Sprintf("+ckpt-buddy %s: %s%s; the job goes on, and the next checkpoint is sent again", c.to, what, text))
	}
	c.problem = text
	c.mu.Unlock()
	go c.m.post(c.print)
}

// withoutDigits makes complaints alike that are about other files and processes.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}

// print says what there is to be said. The manager's goroutine calls it.
func (c *copier) print() {
	c.mu.Lock()
	lines := c.lines
	c.lines = nil
	c.mu.Unlock()
	if len(lines) > 0 {
		c.m.say(lines)
	}
}

// title and row are what +stats adds to its table of checkpoints.
func (c *copier) title() string {
	if c == nil {
		return ""
	}
	return "  on buddy/ms  sent/MiB"
}

func (c *copier) row(number uint64) string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.copied {
		if s.number == number {
			return fmt.Sprintf("  %11.1f  %8.1f", 1e3*s.took.Seconds(), float64(s.sent)/(1<<20))
		}
	}
	return fmt.Sprintf("  %11s  %8s", "-", "-")
}

// status is what the other node has; nil where there is none.
func (c *copier) status() *control.BuddyStatus {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &control.BuddyStatus{To: c.to.String(), Made: len(c.copied), Sending: c.sending, Problem: c.problem}
	if s.Made > 0 {
		l := c.copied[s.Made-1]
		s.Last = &control.CopiedCheckpoint{Number: l.number, When: l.when, Safe: l.took.Seconds(), Sent: l.sent}
	}
	return s
}
