package job

import (
	"fmt"
	"os"
)

// console is where the output of a job goes, the manager's own lines included.
type console struct {
	out       *merger
	outputLog *outputLog
	stdout    *os.File
	stderr    *os.File
	box       *mailbox
}

func newConsole(opt Options, box *mailbox) *console {
	c := &console{stdout: opt.Stdout, stderr: opt.Stderr, outputLog: newOutputLog(opt.Ranks, nil), box: box}
	c.out = newMerger(newPrinter(opt.Stdout, opt.Stderr, box.fail), opt.Label)
	return c
}

// say prints lines of our own on standard error, behind what ranks have written. Only the manager's goroutine calls it.
func (c *console) say(lines []string) {
	c.out.endLine(streamErr)
	for _, line := range lines {
		fmt.Fprintf(c.stderr, "ampirun: %s\n", line)
	}
}

// sayLater does that from any goroutine.
func (c *console) sayLater(lines []string) {
	if len(lines) > 0 {
		c.box.post(func() { c.say(lines) })
	}
}

// pump moves output of workers to the console.
func (c *console) pump() pump {
	if isTerminal(c.stdout) {
		return pump{out: c.out, outputLog: c.outputLog, idle: idleTime}
	}
	return pump{out: c.out, outputLog: c.outputLog}
}
