package loadbalance

import (
	"context"
	"runtime"
	"slices"
)

// Agent is one PE's part of a strategy that no one sees all of: it knows its own ranks and what it was sent, nothing
// else. The runtime may run agents on their PEs, or RunAgents on one machine; an agent is used by one goroutine at a time.
type Agent interface {
	// Step takes the messages that arrived since the last step and sends others; they arrive before the receiver's
	// next step. It tells whether the agent is done, as far as it knows: then it only answers messages.
	Step(in []Message, send func(Message)) (done bool)
	// Ranks lists the ranks it is responsible for.
	Ranks() []Token
}

// Token stands for a rank that an agent has or offers.
type Token struct {
	Rank int32
	Load float64
}

// Peer is what an agent knows of another: the time its PE takes, and its speed, at some moment in the past.
type Peer struct {
	PE          int32
	Time, Speed float64
}

// MessageKind tells what a Message is for.
type MessageKind uint8

// The kinds of messages.
const (
	SumUp   MessageKind = iota // Sums of a subtree, to its parent
	SumDown                    // Sums of all, to children
	Gossip                     // Peers that have room
	State                      // the sender's own time, in Sender
	Offer                      // will you take Token?
	Accept                     // yes; the rank is yours no more
	Refuse                     // no
)

// Message goes from one agent to another.
type Message struct {
	From, To int32
	Kind     MessageKind
	Hops     uint8 // Gossip: how often it was passed on
	Token    Token
	Sums     Sums
	Sender   Peer // of State, Offer, Accept and Refuse
	Peers    []Peer
}

// Sums is what agents add up over all PEs to know the level.
type Sums struct {
	Work, Speed float64
}

// RunAgents lets agents step round by round, until all are done and no message is under way, or for at most so many
// rounds. Agent i has PE i. What each receives is ordered by sender, so that the outcome does not depend on threads.
func RunAgents(ctx context.Context, agents []Agent, rounds int) error {
	post := newPost(len(agents))
	for range rounds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if done := post.stepAll(agents); done && post.isEmpty() {
			return nil
		}
		post.deliver()
	}
	return nil
}

// post carries messages from one round to the next. Its memory is used again in each: that of a round of Diffusion on many PEs is
// larger than what agents hold.
type post struct {
	sent  [][]Message // by worker thread, each in the order of senders
	busy  []bool
	start []int32 // of each receiver in inbox, and the end
	next  []int32
	inbox []Message
}

func newPost(agents int) *post {
	chunks := runtime.GOMAXPROCS(0)
	return &post{sent: make([][]Message, chunks), busy: make([]bool, chunks), start: make([]int32, agents+1), next: make([]int32, agents)}
}

// stepAll steps each agent once with what was delivered to it, and tells whether all are done.
func (b *post) stepAll(agents []Agent) (done bool) {
	chunks := len(b.sent)
	inParallel(chunks, func(c int) {
		sent, busy := b.sent[c][:0], false
		send := func(m Message) { sent = append(sent, m) }
		for i := c * len(agents) / chunks; i < (c+1)*len(agents)/chunks; i++ {
			if !agents[i].Step(b.inbox[b.start[i]:b.start[i+1]], send) {
				busy = true
			}
		}
		b.sent[c], b.busy[c] = sent, busy
	})
	return !slices.Contains(b.busy, true)
}

func (b *post) isEmpty() bool {
	return !slices.ContainsFunc(b.sent, func(s []Message) bool { return len(s) > 0 })
}

// deliver sorts what was sent by receiver; messages to one receiver keep the order of their senders.
func (b *post) deliver() {
	clear(b.start)
	total := 0
	for _, sent := range b.sent {
		total += len(sent)
		for i := range sent {
			b.start[sent[i].To+1]++
		}
	}
	for i := range b.next {
		b.next[i] = b.start[i]
		b.start[i+1] += b.start[i]
	}
	b.inbox = slices.Grow(b.inbox[:0], total)[:total]
	for _, sent := range b.sent {
		for i := range sent {
			to := sent[i].To
			b.inbox[b.next[to]] = sent[i]
			b.next[to]++
		}
	}
}

// movesOf is what the agents ended up with, against where ranks were.
func (m *Measurements) movesOf(agents []Agent) []Move {
	mapping := m.Mapping()
	for pe, a := range agents {
		for _, t := range a.Ranks() {
			mapping[t.Rank] = int32(pe)
		}
	}
	return m.movesTo(mapping)
}
