package vrank_test

import (
	"fmt"
	"testing"

	"ampirun/vrank/internal/coretest"
)

// A PE that leaves at the end of a job, and those that come to rest because the job is to be saved just then, never wait for each other: either all
// come to rest, or nobody does.
func TestFreezeAtTheEnd(t *testing.T) {
	const pes = 3
	for told := range pes + 1 { // so many, when one of the PEs wants to leave
		for leaver := range pes {
			t.Run(fmt.Sprintf("PE %d of %d, %d told", leaver, pes, told), func(t *testing.T) { freezeAtTheEnd(t, pes, told, leaver) })
		}
	}
}

func freezeAtTheEnd(t *testing.T, pes, told, leaver int) {
	job := coretest.NewJob(t, pes, pes)
	if !job.AskFreeze() {
		t.Fatal("a freeze is under way in a new job")
	}
	for pe := range told {
		job.Poll(pe)
	}
	allRest := told == pes
	if job.Forgo(leaver) == allRest {
		t.Errorf("it may leave: %v", !allRest)
	}
	for pe := range pes {
		if pe != leaver {
			job.Poll(pe)
		}
	}
	for pe := range pes {
		if job.MayRest(pe) != allRest || job.Forgo(pe) == allRest {
			t.Errorf("then PE %d may come to rest: %v; leave: %v", pe, job.MayRest(pe), job.Forgo(pe))
		}
	}
}
