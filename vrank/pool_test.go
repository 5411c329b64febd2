package vrank_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ampirun/vrank/internal/coretest"
)

// wantAllHome checks that every envelope which the pools have carved is in a free list or on its way to one.
func wantAllHome(t *testing.T, job *coretest.Job) {
	t.Helper()
	for class := range coretest.Classes {
		carved, free := 0, 0
		for pe := range job.PEs {
			carved += job.Carved(pe, class)
			spare := job.Spare(pe, class)
			if spare < 0 {
				t.Fatalf("class %d: the free list of PE %d is damaged", class, pe)
			}
			free += spare + job.Coming(pe, class)
		}
		if carved != free {
			t.Errorf("class %d: %d envelopes exist, %d are free", class, carved, free)
		}
	}
}

func alloc(t *testing.T, job *coretest.Job, n int) coretest.Envelope {
	t.Helper()
	e, ok := job.Alloc(n)
	if !ok {
		t.Fatalf("no envelope for %d bytes", n)
	}
	return e
}

// The class of every size holds it, and the one below would not.
func TestPoolClasses(t *testing.T) {
	job := coretest.NewJob(t, 1, 1)
	for n := range coretest.EagerMax + 1 {
		e := alloc(t, job, n)
		need := coretest.EnvelopeHeader + n
		if n <= 32 {
			need = coretest.EnvelopeHeader
		}
		if room := 128 << e.Class(); e.Class() >= coretest.Classes || room < need || (e.Class() > 0 && room/2 >= need) {
			t.Fatalf("%d bytes, with header %d, are given an envelope of %d", n, need, room)
		}
		e.Free()
	}
	wantAllHome(t, job)
}

// Envelopes lie on lines of their own and do not overlap, whatever mix of sizes is out.
func TestPoolOverlap(t *testing.T) {
	job := coretest.NewJob(t, 1, 1)
	random := rand.New(rand.NewPCG(3, 3))
	var held []coretest.Envelope
	for range 5000 {
		if len(held) > 300 {
			k := random.IntN(len(held))
			wantFilled(t, held[k])
			held[k].Free()
			held[k] = held[len(held)-1]
			held = held[:len(held)-1]
		}
		e := alloc(t, job, random.IntN(1<<random.IntN(15)+1))
		if e.Address()%64 != 0 {
			t.Fatalf("envelope at %#x", e.Address())
		}
		for j := range e.Data() {
			e.Data()[j] = byte(len(e.Data()) * 37)
		}
		held = append(held, e)
	}
	for _, e := range held {
		wantFilled(t, e)
		e.Free()
	}
	wantAllHome(t, job)
}

func wantFilled(t *testing.T, e coretest.Envelope) {
	t.Helper()
	if d := e.Data(); !bytes.Equal(d, bytes.Repeat([]byte{byte(len(d) * 37)}, len(d))) {
		t.Fatalf("an envelope of %d bytes has been overwritten", len(d))
	}
}

func allocMany(t *testing.T, job *coretest.Job, n, bytes int) (all []coretest.Envelope) {
	t.Helper()
	for range n {
		all = append(all, alloc(t, job, bytes))
	}
	return all
}

func freeAll(all []coretest.Envelope) {
	for _, e := range all {
		e.Free()
	}
}

// Messages that go one way only: the receiver adopts a few, the others come home, and the sender makes no new ones.
func TestPoolComesHome(t *testing.T) {
	const adopted = 32
	job := coretest.NewJob(t, 2, 2)
	for round := range 10 {
		job.Be(0)
		all := allocMany(t, job, 100, 4)
		job.Be(1)
		freeAll(all)
		if got := job.Spare(1, 0); got != adopted {
			t.Fatalf("round %d: PE 1 keeps %d envelopes", round, got)
		}
		if got := job.Coming(0, 0); got != 100-adopted && round == 0 || got > 100 {
			t.Fatalf("round %d: %d envelopes are on their way home", round, got)
		}
	}
	if carved := job.Carved(0, 0); carved > 100+adopted {
		t.Errorf("PE 0 made %d envelopes for 100 messages at a time", carved)
	}
	wantAllHome(t, job)
}

// Requests and replies: the envelope of the request carries the reply, so the answering PE makes none.
func TestPoolAdopts(t *testing.T) {
	job := coretest.NewJob(t, 2, 2)
	for range 1000 {
		job.Be(0)
		request := alloc(t, job, 100)
		job.Be(1)
		request.Free()
		reply := alloc(t, job, 100)
		if reply.Home() != 1 {
			t.Fatalf("the reply's envelope belongs to PE %d", reply.Home())
		}
		job.Be(0)
		reply.Free()
	}
	if zero, one := job.Carved(0, 1), job.Carved(1, 1); zero != 1 || one != 0 {
		t.Errorf("PE 0 made %d envelopes, PE 1 %d", zero, one)
	}
	wantAllHome(t, job)
}

// What comes home is sorted by class.
func TestPoolComesHomeByClass(t *testing.T) {
	job := coretest.NewJob(t, 2, 2)
	var all []coretest.Envelope
	for _, n := range []int{4, 200, 5000, 16384} {
		all = append(all, allocMany(t, job, 80, n)...)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	job.Be(1)
	freeAll(all)
	job.Be(0)
	allocMany(t, job, 1, 4)[0].Free()
	wantAllHome(t, job)
	for _, n := range []int{4, 200, 5000, 16384} {
		class := alloc(t, job, n).Class()
		if got := job.Spare(0, class); got != 80-32-1 {
			t.Errorf("%d bytes: %d envelopes are home", n, got)
		}
	}
}

// A full pool says so, and serves again once something is given back.
func TestPoolFull(t *testing.T) {
	job := coretest.NewJob(t, 1, 1)
	job.LimitPool(0, 10*128+64)
	all := allocMany(t, job, 10, 0)
	if _, ok := job.Alloc(0); ok {
		t.Fatal("an envelope beyond the end of the pool")
	}
	if _, ok := job.Alloc(100); ok {
		t.Fatal("a larger envelope beyond the end of the pool")
	}
	freeAll(all)
	freeAll(allocMany(t, job, 10, 32))
	wantAllHome(t, job)
}
