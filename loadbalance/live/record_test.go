package live

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"ampirun/loadbalance"
	"ampirun/loadbalance/record"
	"ampirun/vrank"
)

// chatty is a fakeJob whose ranks have memory and talk in a ring; PE 1 gets half of the core that it wants.
type chatty struct{ *fakeJob }

func (c chatty) Take() *vrank.Sample {
	s := c.fakeJob.Take()
	for p := range s.PEs {
		s.PEs[p].Thread, s.PEs[p].Idle = p, float64(p)*c.now/2
	}
	for r := range s.Ranks {
		s.Ranks[r].Memory = int64(r+1) << 20
	}
	return s
}

func (c chatty) TakeTraffic() (all []vrank.Traffic) {
	rounds := int64(math.Round(c.now * 10))
	for r := range c.pe {
		all = append(all, vrank.Traffic{From: int64(r), To: int64((r + 1) % len(c.pe)), Messages: rounds, Bytes: 100 * rounds})
	}
	return all
}

func (c chatty) schedule(thread int) Schedule {
	return Schedule{Ran: 1e9 * c.now / float64(1+thread), Waited: 1e9 * c.now * float64(thread) / 2}
}

type buffer struct {
	bytes.Buffer
	full bool // as a disk may be
}

func (b *buffer) Write(p []byte) (int, error) {
	if b.full {
		return 0, errors.New("no space left on device")
	}
	return b.Buffer.Write(p)
}
func (b *buffer) Close() error { return nil }

func recordingOf(t *testing.T, job chatty, file io.WriteCloser) *recorder {
	t.Helper()
	h := record.Header{Program: "a.out", Ranks: len(job.pe), PEs: []loadbalance.PE{{Speed: 1}, {Speed: 1}}}
	r, err := newRecorder(job, file, h, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	r.schedule = job.schedule
	return r
}

// recordedBy ends a recorder and reads what it has written.
func recordedBy(t *testing.T, r *recorder, file *buffer) *record.Reader {
	t.Helper()
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	in, err := record.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestRecording writes three steps of a job and compares what a reader gets with what the job did.
func TestRecording(t *testing.T) {
	job := chatty{newFakeJob(4, 100, func(rank int, _ float64) float64 { return float64(rank) / 8 })}
	file := new(buffer)
	r := recordingOf(t, job, file)
	r.last = takeLook(job, job.schedule)
	go r.run()
	for range 2 {
		job.Await(time.Second)
		if err := r.write(); err != nil {
			t.Fatal(err)
		}
	}
	job.pe[0] = 1
	job.Await(time.Second)
	in := recordedBy(t, r, file)
	for i := range 3 {
		s, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		expectNear(t, "the length of a step", s.Seconds, 1)
		expectNear(t, "rank 1 on a whole core", s.Ranks[1].Load, 1.0/8)
		expectNear(t, "rank 3 on half a core", s.Ranks[3].Load, 3.0/16)
		expectNear(t, "what PE 1 lost", s.Background[1], 5.0/16)
		expectNear(t, "what PE 0 lost", s.Background[0], 0)
		expectNear(t, "how long PE 1 was idle", s.Idle[1], 0.5)
		if s.Ranks[2].Memory != 3<<20 {
			t.Errorf("rank 2 has %d bytes", s.Ranks[2].Memory)
		}
		if want := int32(i / 2); s.Ranks[0].PE != want {
			t.Errorf("step %d: rank 0 is on PE %d", i, s.Ranks[0].PE)
		}
		s.Graph.Edges(func(e loadbalance.Edge) {
			if e.To != (e.From+1)%4 || e.Messages != 10 || e.Bytes != 1000 {
				t.Errorf("step %d: sent %+v", i, e)
			}
		})
		if len(s.Graph.Peer) != 4 {
			t.Errorf("step %d: %d pairs talk", i, len(s.Graph.Peer))
		}
	}
	if _, err := in.Next(); err != io.EOF {
		t.Errorf("after the last step: %v", err)
	}
}

func expectNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.01 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestRecordingToAFullDisk: the run goes on, and the reason is told at its end.
func TestRecordingToAFullDisk(t *testing.T) {
	job := chatty{newFakeJob(4, 100, func(int, float64) float64 { return 1 })}
	file := new(buffer)
	r := recordingOf(t, job, file)
	file.full = true
	r.step = time.Millisecond
	r.start()
	<-r.ended
	if err := r.finish(); err == nil {
		t.Error("nothing was told")
	}
}

func TestParseStep(t *testing.T) {
	for text, want := range map[string]time.Duration{"0.5": 500 * time.Millisecond, "20ms": 20 * time.Millisecond} {
		if got, err := ParseStep(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "auto", "calls", "0", "-1", "1us", "x"} {
		if got, err := ParseStep(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestRecordingBegins: what ranks sent before recording began is of this trace if the job is new, and is not if it goes on.
func TestRecordingBegins(t *testing.T) {
	for goesOn, want := range map[bool]int64{false: 20, true: 10} {
		job := chatty{newFakeJob(4, 100, func(int, float64) float64 { return 1 })}
		file := new(buffer)
		r := recordingOf(t, job, file)
		r.goesOn = goesOn
		job.Await(time.Second)
		r.start()
		job.Await(time.Second)
		in := recordedBy(t, r, file)
		s, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		s.Graph.Edges(func(e loadbalance.Edge) {
			if e.Messages != want {
				t.Errorf("goes on: %v: rank %d sent %d messages, want %d", goesOn, e.From, e.Messages, want)
			}
		})
	}
}
