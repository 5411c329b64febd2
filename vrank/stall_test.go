package vrank

import (
	"testing"
	"time"
)

func TestWhatCountsAsWork(t *testing.T) {
	before := peLook{switches: 5, thread: 100, others: 10, bytes: 1000}
	for _, c := range []struct {
		what  string
		now   peLook
		freed bool // nothing was saved meanwhile
		want  bool
	}{
		{"asleep", peLook{switches: 5, idle: true, thread: 100, others: 10, bytes: 1000}, true, false},
		{"computes", peLook{switches: 5, thread: 300, others: 10, bytes: 1000}, true, true},
		{"looks at a variable", peLook{switches: 5, spins: true, thread: 300, others: 10, bytes: 1000}, true, false},
		{"computes, and others in turn", peLook{switches: 700, thread: 300, others: 10, bytes: 1000}, true, true},
		{"sleeps in the kernel", peLook{switches: 5, thread: 100, others: 10, bytes: 1000}, true, false},
		{"looks again and again", peLook{switches: 90000, thread: 300, others: 10, bytes: 1000}, true, false},
		{"reads", peLook{switches: 90000, thread: 300, others: 10, bytes: 1001}, true, true},
		{"reads to be saved", peLook{switches: 90000, thread: 300, others: 10, bytes: 1001}, false, false},
		{"threads compute", peLook{switches: 90000, thread: 101, others: 300, bytes: 1000}, true, true},
		{"other threads look around", peLook{switches: 90000, thread: 101, others: 12, bytes: 1000}, true, false},
		{"times as they are read", peLook{switches: 90000, thread: 101, others: 9, bytes: 1000}, true, false},
	} {
		if got := c.now.worked(&before, 5*time.Second, c.freed); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

func TestProcessorTimeIsRead(t *testing.T) {
	until := processorTime("/proc/self/stat") + 2
	for processorTime("/proc/self/stat") < until { // which itself takes some
	}
	if bytesMoved("/proc/self/io") == 0 {
		t.Skip("the kernel does not account input and output of tasks")
	}
}

func TestWhatIsASpin(t *testing.T) {
	var next uint64
	among := func(states uint64) func() (uint64, bool) {
		return func() (uint64, bool) { next++; return next % states, true }
	}
	for _, c := range []struct {
		what   string
		sample func() (uint64, bool)
		want   bool
	}{
		{"three instructions", among(3), true},
		{"a loop with calls", among(40), true},
		{"a loop too long to tell", among(1000), false},
		{"a computation", among(1 << 62), false},
		{"a system call", func() (uint64, bool) { return 0, false }, false},
	} {
		var s spinWatch
		for range 2 * spinStates / spinSamples { // until it knows the loop
			s.look(c.sample)
		}
		for range 2 * stallLooks {
			if got := s.look(c.sample); got != c.want {
				t.Fatalf("%s: %v", c.what, got)
			}
		}
	}
}
