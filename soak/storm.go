package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// rounds is a run of testdata/rounds.c.
type rounds struct {
	ranks, count int
	pause        time.Duration // in each
	seed         uint64
}

// someRounds takes some seconds.
func (c *trial) someRounds() rounds {
	return rounds{ranks: c.between(2, 24), count: c.between(100, 300), pause: time.Duration(c.between(0, 8)) * time.Millisecond, seed: c.seed}
}

// command is the program with its arguments.
func (r rounds) command(c *trial) []string {
	return []string{c.top + "/rounds", fmt.Sprint(r.count), fmt.Sprint(r.pause.Microseconds()), fmt.Sprint(r.seed)}
}

// result is the last line of a run that nobody disturbs.
func (r rounds) result(c *trial) string {
	r.pause = 0
	p := c.start(nil, append([]string{"+p", "1", "+vp", fmt.Sprint(r.ranks)}, r.command(c)...)...)
	p.end()
	line := lastLine(p.out.String())
	if p.code() != 0 || !strings.HasPrefix(line, "PASS rounds ") {
		p.fail("the undisturbed run fails")
	}
	return line
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// expect compares the end of a run with what it has to be.
func (p *process) expect(result string) {
	if p.code() != 0 || lastLine(p.out.String()) != result {
		p.fail("it has to end with %q and code 0", result)
	}
}

// killWorkers kills random workers of a job that goes on from memory or from the disk.
func killWorkers(c *trial) {
	r := c.someRounds()
	result := r.result(c)
	args := []string{"+p", fmt.Sprint(c.between(1, 4)), "+vp", fmt.Sprint(r.ranks), "+ft-max-failures", "100000", "+ckpt-every", "0.05"}
	switch c.between(0, 2) {
	case 0:
		args = append(args, "+ft", "memory")
	case 1:
		args = append(args, "+ft", "disk", "+ckpt", c.dir+"/saves")
	case 2:
		args = append(args, "+ft", "memory", "+ckpt", c.dir+"/saves", "+ft-shrink")
	}
	p := c.start(nil, append(args, r.command(c)...)...)
	for most := c.between(1, 12); most > 0 && !p.isOver(); most-- {
		c.pause(400 * time.Millisecond)
		c.count("kills of workers", c.killWorker(p))
	}
	p.end()
	p.expect(result)
}

// killWorker kills a random worker; 0: there is none.
func (c *trial) killWorker(p *process) int {
	pids := p.workers()
	if len(pids) == 0 || p.isOver() || syscall.Kill(pids[c.random.IntN(len(pids))], syscall.SIGKILL) != nil {
		return 0
	}
	return 1
}

// killManager kills ampirun itself, and has the job go on from its checkpoints with any number of workers, until it ends.
func killManager(c *trial) {
	r := c.someRounds()
	result := r.result(c)
	args := []string{"+p", fmt.Sprint(c.between(1, 4)), "+vp", fmt.Sprint(r.ranks), "+ckpt", c.dir + "/saves", "+ckpt-every", "0.05"}
	args = append(args, r.command(c)...)
	for kills := c.between(1, 6); ; kills-- {
		p := c.start(nil, args...)
		if kills > 0 {
			c.waitFor(p, func() bool { return c.hasCheckpoint() })
			c.pause(time.Second)
		}
		if kills == 0 || p.isOver() {
			p.end()
			p.expect(result)
			return
		}
		p.kill()
		p.expectNoBug()
		c.count("kills of ampirun", 1)
		args = []string{"+restart", c.dir + "/saves", "+p", fmt.Sprint(c.between(1, 4))}
	}
}

func (c *trial) hasCheckpoint() bool {
	found, _ := filepath.Glob(c.dir + "/saves/[0-9]*[0-9]/manifest")
	return len(found) > 0
}

// waitFor waits until something holds, or the process is over.
func (c *trial) waitFor(p *process, holds func() bool) {
	for until := time.Now().Add(patience); !holds() && !p.isOver(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			p.kill()
			p.fail("nothing happens")
		}
	}
}

// shuffle moves random ranks to random workers all the time.
func shuffle(c *trial) {
	r := c.someRounds()
	r.count, r.pause = c.between(300, 1000), 0
	result := r.result(c)
	args := []string{"+p", fmt.Sprint(c.between(2, 5)), "+vp", fmt.Sprint(r.ranks), "+stats"}
	if c.between(0, 3) == 0 {
		args = append(args, "+migrate", "copy")
	}
	period := fmt.Sprintf("AMPI_SHUFFLE=%dus", c.between(2, 100))
	p := c.start([]string{period}, append(args, r.command(c)...)...)
	p.end()
	if p.code() != 0 || !strings.Contains(p.out.String(), result+"\n") {
		p.fail("it has to say %q and to end with code 0", result)
	}
	c.count("moves", movesIn(p.err.String()+p.out.String()))
}

// movesIn adds up how often ranks have moved, by the table of +stats.
func movesIn(text string) (sum int) {
	_, table, _ := strings.Cut(text, "moves\n")
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			break
		}
		n, _ := strconv.Atoi(fields[len(fields)-1])
		sum += n
	}
	return sum
}
