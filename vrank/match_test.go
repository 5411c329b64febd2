package vrank_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ampirun/vrank/internal/coretest"
)

// matchModel is the matching queues as the standard tells them: two lists in order, searched from their heads.
type matchModel struct {
	posted, unexpected []matchEntry
}

type matchEntry struct {
	id  int
	key coretest.Key
}

func accepts(receive, message coretest.Key) bool {
	return receive.Context == message.Context &&
		(receive.Source == coretest.AnySource || receive.Source == message.Source) &&
		(receive.Tag == coretest.AnyTag || receive.Tag == message.Tag)
}

func (m *matchModel) arrived(message coretest.Key) int {
	i := slices.IndexFunc(m.posted, func(e matchEntry) bool { return accepts(e.key, message) })
	if i < 0 {
		return -1
	}
	id := m.posted[i].id
	m.posted = slices.Delete(m.posted, i, i+1)
	return id
}

func (m *matchModel) find(receive coretest.Key) int {
	i := slices.IndexFunc(m.unexpected, func(e matchEntry) bool { return accepts(receive, e.key) })
	if i < 0 {
		return -1
	}
	return m.unexpected[i].id
}

func removeID(list []matchEntry, id int) []matchEntry {
	return slices.DeleteFunc(list, func(e matchEntry) bool { return e.id == id })
}

// matchRun drives queues and model with the same random operations.
type matchRun struct {
	t       *testing.T
	random  *rand.Rand
	queues  *coretest.Matcher
	model   matchModel
	sources int32
	tags    int32
	wild    float64 // share of receives with a wildcard
	ids     int
}

func (r *matchRun) id() int {
	r.ids++
	return r.ids
}

func (r *matchRun) message() coretest.Key {
	return coretest.Key{Context: 2 + uint32(r.random.IntN(3)), Source: r.random.Int32N(r.sources), Tag: r.random.Int32N(r.tags)}
}

func (r *matchRun) receive() coretest.Key {
	k := r.message()
	if r.random.Float64() < r.wild {
		kind := 1 + r.random.IntN(3)
		if kind&1 != 0 {
			k.Source = coretest.AnySource
		}
		if kind&2 != 0 {
			k.Tag = coretest.AnyTag
		}
	}
	return k
}

// arrive is what a message does: it takes a posted receive, or stays.
func (r *matchRun) arrive() {
	k := r.message()
	got, want := r.queues.Arrived(k), r.model.arrived(k)
	if got != want {
		r.t.Fatalf("message %+v takes receive %d, should take %d", k, got, want)
	}
	if got < 0 {
		id := r.id()
		r.queues.Keep(id, k)
		r.model.unexpected = append(r.model.unexpected, matchEntry{id, k})
	}
}

// post is what a receive does: it takes an unexpected message, or is posted.
func (r *matchRun) post() {
	k := r.receive()
	if id := r.probe(k); id >= 0 {
		r.take(id)
		return
	}
	id := r.id()
	r.queues.Post(id, k)
	r.model.posted = append(r.model.posted, matchEntry{id, k})
}

func (r *matchRun) probe(k coretest.Key) int {
	got, want := r.queues.Find(k), r.model.find(k)
	if got != want {
		r.t.Fatalf("receive %+v finds message %d, should find %d", k, got, want)
	}
	return got
}

func (r *matchRun) take(id int) {
	r.queues.Take(id)
	r.model.unexpected = removeID(r.model.unexpected, id)
}

// cancel takes back a random receive, or (a send that is cancelled) a random message.
func (r *matchRun) cancel() {
	if n := len(r.model.posted); n > 0 && r.random.IntN(2) == 0 {
		id := r.model.posted[r.random.IntN(n)].id
		r.queues.Unpost(id)
		r.model.posted = removeID(r.model.posted, id)
	} else if n := len(r.model.unexpected); n > 0 {
		r.take(r.model.unexpected[r.random.IntN(n)].id)
	}
}

func (r *matchRun) compareCounts() {
	posted, unexpected, _ := r.queues.Counts()
	if posted != len(r.model.posted) || unexpected != len(r.model.unexpected) {
		r.t.Fatalf("%d posted and %d unexpected, should be %d and %d", posted, unexpected, len(r.model.posted), len(r.model.unexpected))
	}
}

// steps does n operations; arrivals and posts have the given weights of 100, the rest are probes and cancels.
func (r *matchRun) steps(n, arrivals, posts int) {
	for range n {
		switch p := r.random.IntN(100); {
		case p < arrivals:
			r.arrive()
		case p < arrivals+posts:
			r.post()
		case p%2 == 0:
			r.probe(r.receive())
		default:
			r.cancel()
		}
		r.compareCounts()
	}
}

// empty meets all that is left with arrivals and wildcard receives, in order.
func (r *matchRun) empty() {
	for len(r.model.unexpected) > 0 {
		id := r.probe(coretest.Key{Context: r.model.unexpected[0].key.Context, Source: coretest.AnySource, Tag: coretest.AnyTag})
		r.take(id)
	}
	for len(r.model.posted) > 0 {
		k := r.model.posted[r.random.IntN(len(r.model.posted))].key
		k.Source, k.Tag = max(k.Source, 0), max(k.Tag, 0)
		if got, want := r.queues.Arrived(k), r.model.arrived(k); got != want {
			r.t.Fatalf("message %+v takes receive %d, should take %d", k, got, want)
		}
	}
	r.compareCounts()
}

func newMatchRun(t *testing.T, seed uint64, sources, tags int32, wild float64) *matchRun {
	job := coretest.NewJob(t, 1, 1)
	return &matchRun{t: t, random: rand.New(rand.NewPCG(seed, 1)), queues: job.Matcher(0), sources: sources, tags: tags, wild: wild}
}

// Few keys: queues stay short and most operations meet something.
func TestMatchShort(t *testing.T) {
	for seed := range uint64(20) {
		r := newMatchRun(t, seed, 3, 3, 0.3)
		r.steps(2000, 40, 40)
		r.empty()
	}
}

// Thousands pending on either side, so that the tables grow with entries in them, and shrink to nothing.
func TestMatchLong(t *testing.T) {
	for _, wild := range []float64{0, 0.02, 0.5} {
		r := newMatchRun(t, 7, 400, 50, wild)
		r.steps(4000, 90, 2)
		_, unexpected, grown := r.queues.Counts()
		if unexpected < 2000 || grown < 512 {
			t.Fatalf("wild %v: only %d unexpected messages in %d buckets: the test does not test growth", wild, unexpected, grown)
		}
		r.steps(1000, 45, 45)
		r.empty()
		r.steps(4000, 2, 90)
		if posted, _, _ := r.queues.Counts(); posted < 1500 {
			t.Fatalf("wild %v: only %d posted receives", wild, posted)
		}
		r.steps(1000, 45, 45)
		r.empty()
	}
}

// Between a receive with a wildcard and one without, the one that was posted first gets the message.
func TestMatchWildcardOrder(t *testing.T) {
	exact := coretest.Key{Context: 2, Source: 1, Tag: 5}
	anySource := coretest.Key{Context: 2, Source: coretest.AnySource, Tag: 5}
	anyTag := coretest.Key{Context: 2, Source: 1, Tag: coretest.AnyTag}
	for _, order := range [][]coretest.Key{{exact, anySource, anyTag}, {anyTag, exact, anySource}, {anySource, anyTag, exact}} {
		q := coretest.NewJob(t, 1, 1).Matcher(0)
		for i, k := range order {
			q.Post(i, k)
		}
		for i := range order {
			if got := q.Arrived(exact); got != i {
				t.Errorf("%+v: message %d takes receive %d", order, i, got)
			}
		}
		if got := q.Arrived(exact); got != -1 {
			t.Errorf("%+v: a message takes receive %d out of an empty queue", order, got)
		}
	}
}

// The top of a hash that mixes context, source and tag: equal sums must not be equal keys.
func TestMatchKeysApart(t *testing.T) {
	q := coretest.NewJob(t, 1, 1).Matcher(0)
	keys := []coretest.Key{{Context: 2, Source: 1, Tag: 0}, {Context: 2, Source: 0, Tag: 1 << 16}, {Context: 3, Source: 0, Tag: 0}, {Context: 2, Source: 1 << 16, Tag: 0}}
	for i, k := range keys {
		q.Keep(i, k)
	}
	for i, k := range keys {
		if got := q.Find(k); got != i {
			t.Errorf("%+v finds message %d", k, got)
		}
	}
}
