package main

import (
	"fmt"
	"strings"
)

// deadlocks has ranks follow a random schedule of messages: all of them come through, however late some are; or one is missing, and the job is
// ended with a word of it.
func deadlocks(c *trial) {
	kind := []string{"live", "dead"}[c.between(0, 1)]
	ranks, workers := c.between(2, 32), c.between(1, 4)
	p := c.start(nil, "+p", fmt.Sprint(workers), "+vp", fmt.Sprint(ranks), c.top+"/schedule", kind, fmt.Sprint(c.between(10, 2000)), fmt.Sprint(c.seed))
	p.end()
	said := strings.Contains(p.err.String(), "deadlock: every rank waits for ever")
	switch {
	case kind == "live" && (p.code() != 0 || p.out.String() != "PASS schedule\n" || said):
		p.fail("all messages come, so it has to end well")
	case kind == "dead" && (p.code() == 0 || !said):
		p.fail("a message is missing, so it has to be ended as a deadlock")
	}
	c.count(kind+" schedules", 1)
}
