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
	State                      // the sender's own time, in Peers[0]
	Offer                      // will you take Token? Peers[0] is the sender
	Accept                     // yes; the rank is yours no more
	Refuse                     // no; Peers[0] is the sender
)

// Message goes from one agent to another.
type Message struct {
	From, To int32
	Kind     MessageKind
	Hops     uint8 // Gossip: how often it was passed on
	Token    Token
	Sums     Sums
	Peers    []Peer
}

// Sums is what agents add up over all PEs to know the level.
type Sums struct {
	Work, Speed float64
}

// RunAgents lets agents step round by round, until all are done and no message is under way, or for at most so many
// rounds. Agent i has PE i. What each receives is ordered by sender, so that the outcome does not depend on threads.
func RunAgents(ctx context.Context, agents []Agent, rounds int) error {
	inbox := &mail{start: make([]int32, len(agents)+1)}
	for range rounds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		sent, done := stepAll(agents, inbox)
		if done && len(sent) == 0 {
			return nil
		}
		inbox.sort(sent, len(agents))
	}
	return nil
}

// mail is the messages of one round, by receiver.
type mail struct {
	start    []int32
	messages []Message
}

// sort puts messages into compressed rows; those to one receiver keep their order.
func (b *mail) sort(sent []Message, agents int) {
	b.start = make([]int32, agents+1)
	b.messages = slices.Grow(b.messages[:0], len(sent))[:len(sent)]
	for i := range sent {
		b.start[sent[i].To+1]++
	}
	for i := range agents {
		b.start[i+1] += b.start[i]
	}
	next := slices.Clone(b.start)
	for i := range sent {
		b.messages[next[sent[i].To]] = sent[i]
		next[sent[i].To]++
	}
}

func (b *mail) of(agent int) []Message { return b.messages[b.start[agent]:b.start[agent+1]] }

// stepAll steps each agent once, and gives what they sent in the order of senders.
func stepAll(agents []Agent, inbox *mail) (sent []Message, done bool) {
	chunks := runtime.GOMAXPROCS(0)
	sentBy, busy := make([][]Message, chunks), make([]bool, chunks)
	inParallel(chunks, func(c int) {
		send := func(m Message) { sentBy[c] = append(sentBy[c], m) }
		for i := c * len(agents) / chunks; i < (c+1)*len(agents)/chunks; i++ {
			if !agents[i].Step(inbox.of(i), send) {
				busy[c] = true
			}
		}
	})
	return slices.Concat(sentBy...), !slices.Contains(busy, true)
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
