package vrank_test

import (
	"fmt"
	"testing"

	"ampirun/vrank/internal/coretest"
)

// A push to an empty inbox puts the rank on its PE's wake list, once, and the PE's next poll takes all, in order.
func TestInboxWakesOnce(t *testing.T) {
	job := coretest.NewJob(t, 2, 2)
	const messages = 100
	for tag := range messages {
		job.Push(1, 0, tag)
	}
	if n := job.OnWakeList(1, 1); n != 1 || job.OnWakeList(0, 1) != 0 {
		t.Fatalf("the rank is %d times on its PE's wake list", n)
	}
	if job.Poll(0) {
		t.Error("PE 0 sees news that are not its own")
	}
	if job.Inbox(1) != messages || !job.Poll(1) || job.Inbox(1) != 0 {
		t.Fatalf("%d messages are left in the inbox", job.Inbox(1))
	}
	wantTags(t, job, 1, messages)
	if job.Poll(1) {
		t.Error("there is news after all have been taken")
	}
}

func wantTags(t *testing.T, job *coretest.Job, rank, n int) {
	t.Helper()
	for want := range n {
		if _, tag, ok := job.Take(rank); !ok || tag != want {
			t.Fatalf("message %d came (%v), not %d", tag, ok, want)
		}
	}
	if _, tag, ok := job.Take(rank); ok {
		t.Fatalf("message %d came after the last", tag)
	}
}

// A rank that has moved while it was on the wake list goes on to that of its new PE with what it has.
func TestInboxFollowsMove(t *testing.T) {
	job := coretest.NewJob(t, 3, 3)
	job.Be(0)
	job.Push(1, 0, 0)
	job.Move(1, 2)
	job.Push(1, 0, 1)
	job.Poll(1)
	if _, _, ok := job.Take(1); ok || job.OnWakeList(1, 1) != 0 {
		t.Fatal("the old PE took the message")
	}
	if n := job.OnWakeList(2, 1); n != 1 {
		t.Fatalf("the rank is %d times on the wake list of its new PE", n)
	}
	job.Poll(2)
	wantTags(t, job, 1, 2)
	job.Be(0)
	job.Push(1, 0, 0)
	if n := job.OnWakeList(2, 1); n != 1 {
		t.Errorf("after the move a push leaves the rank %d times on the list", n)
	}
}

// The watched inbox is found without the wake list; what lies in it when the PE looks away goes on the list.
func TestInboxWatched(t *testing.T) {
	job := coretest.NewJob(t, 2, 4)
	job.Be(1)
	job.Watch(2)
	job.Be(0)
	job.Push(2, 0, 0)
	job.Push(3, 0, 0)
	if job.OnWakeList(1, 2) != 0 || job.OnWakeList(1, 3) != 1 {
		t.Fatal("the wake list should hold the rank that is not watched")
	}
	if !job.Poll(1) {
		t.Fatal("no news")
	}
	wantTags(t, job, 2, 1)
	wantTags(t, job, 3, 1)

	job.Be(0)
	job.Push(2, 0, 0)
	job.Be(1)
	job.Watch(3)
	if job.OnWakeList(1, 2) != 1 {
		t.Fatal("a message to the rank that was watched is forgotten")
	}
	job.Poll(1)
	wantTags(t, job, 2, 1)
}

// A PE that watches a rank which has moved away stops that, and the message goes to the new owner.
func TestInboxWatchedMoves(t *testing.T) {
	job := coretest.NewJob(t, 2, 4)
	job.Be(1)
	job.Watch(2)
	job.Move(2, 0)
	job.Be(1)
	job.Push(2, 3, 0)
	if n := job.OnWakeList(0, 2); n != 1 {
		t.Fatalf("the rank is %d times on the wake list of its new PE", n)
	}
	job.Poll(1)
	if job.Inbox(2) != 1 {
		t.Fatal("the old PE took the message")
	}
	job.Poll(0)
	wantTags(t, job, 2, 1)
}

// Processes send one another messages of all lengths: none is lost, damaged or overtaken, and all envelopes are accounted
// for at the end.
func TestStorm(t *testing.T) {
	for _, c := range []struct {
		pes, ranks, each int
		most             int64
	}{
		{1, 4, 60, 60000},
		{2, 2, 600, 20000},
		{2, 6, 60, 100000},
		{3, 7, 30, 40000},
		{4, 4, 150, 16384},
	} {
		t.Run(fmt.Sprintf("p%d vp%d", c.pes, c.ranks), func(t *testing.T) {
			job := coretest.NewJob(t, c.pes, c.ranks)
			for seed := range uint64(3) {
				if err := job.Storm(c.each, c.most, seed); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				wantAllHome(t, job)
			}
		})
	}
}

// Work posted to a PE that keeps falling asleep is done, in each poster's order.
func TestPostedWork(t *testing.T) {
	for _, pes := range []int{2, 4} {
		t.Run(fmt.Sprintf("p%d", pes), func(t *testing.T) {
			job := coretest.NewJob(t, pes, pes)
			if err := job.PostStorm(5000); err != nil {
				t.Fatal(err)
			}
		})
	}
}
