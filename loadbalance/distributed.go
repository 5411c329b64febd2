package loadbalance

import (
	"context"
	"math/bits"
	"math/rand/v2"
)

var distributed = strategy{
	info: Info{
		Name: "Distributed", Aliases: []string{"DistributedLB", "Grapevine", "GrapevineLB", "gossip"},
		Summary:    "PEs with room gossip; overloaded ones offer ranks to those they heard of; no one knows more than a few others",
		Complexity: "O(log P) rounds; O(n/P) time and O(1) memory on each PE besides its own ranks",
		Reference:  "H. Menon, L. V. Kale, A Distributed Dynamic Load Balancer for Iterative Applications, SC 2013",
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		agents := NewGossipers(m, o)
		if err := RunAgents(ctx, agents, maxRounds(len(m.PEs))); err != nil {
			return nil, err
		}
		return m.movesOf(agents), nil
	},
}

// What bounds a gossiping agent.
const (
	gossipKnown   = 32 // PEs an agent remembers
	gossipTold    = 8  // PEs that one message tells of
	gossipFanout  = 2  // messages sent when an agent has news
	gossipOffers  = 6  // rounds of offers after a round of gossip
	gossipBurst   = 8  // offers in one round
	gossipRepeats = 4  // gossip and offers, all again
)

// gossiper is the agent of the strategy Distributed.
type gossiper struct {
	agentState
	random *rand.Rand
	peers  []Peer // who had room when they were heard of
	hops   uint8  // of gossip that was not passed on yet, plus 1
}

// NewGossipers makes the agents of the strategy Distributed, one for each PE.
func NewGossipers(m *Measurements, o Options) []Agent {
	states := m.states(o.tolerance())
	agents := make([]Agent, len(states))
	for pe := range states {
		agents[pe] = &gossiper{agentState: states[pe], random: newRand(o.Seed, uint64(pe)<<8|2)}
	}
	return agents
}

// spread is how many rounds gossip is passed on: enough for everyone to be reached by someone.
func (g *gossiper) spread() int { return bits.Len(uint(g.pes)) + 2 }

// Step implements Agent.
func (g *gossiper) Step(in []Message, send func(Message)) (done bool) {
	for i := range in {
		g.listen(&in[i])
	}
	g.step(in, send)
	cycle := g.spread() + 2*gossipOffers
	if !g.ready || g.age < 0 {
		return false
	}
	if g.age >= gossipRepeats*cycle {
		return true
	}
	switch phase := g.age % cycle; {
	case phase == 0:
		g.peers, g.hops = g.peers[:0], 0
		if g.me.Time < g.level {
			g.tell(0, send)
		}
	case phase < g.spread():
		if g.hops > 0 && int(g.hops) < g.spread() {
			g.tell(g.hops, send)
		}
		g.hops = 0
	case (phase-g.spread())%2 == 0: // answers arrive in the round between
		g.offerSome(send)
	}
	return false
}

// listen learns from a message who has room.
func (g *gossiper) listen(m *Message) {
	switch m.Kind {
	case Gossip:
		for _, p := range m.Peers {
			g.learn(p)
		}
		g.hops = max(g.hops, m.Hops+1)
	case Offer, Accept, Refuse:
		g.learn(m.Sender)
	}
}

// learn remembers a PE with room, in place of a random other one if it remembers enough.
func (g *gossiper) learn(p Peer) {
	for i := range g.peers {
		if g.peers[i].PE == p.PE {
			g.peers[i] = p
			return
		}
	}
	switch {
	case p.Time >= g.level || p.PE == g.me.PE:
	case len(g.peers) < gossipKnown:
		g.peers = append(g.peers, p)
	default:
		g.peers[g.random.IntN(gossipKnown)] = p
	}
}

// tell sends some of what it knows, and itself if it has room, to PEs chosen at random.
func (g *gossiper) tell(hops uint8, send func(Message)) {
	var told []Peer
	if g.me.Time < g.level {
		told = append(told, g.me)
	}
	if n := len(g.peers); n > 0 {
		first := g.random.IntN(n)
		for i := range min(n, gossipTold) {
			told = append(told, g.peers[(first+i)%n])
		}
	}
	for range gossipFanout {
		if to := int32(g.random.IntN(g.pes)); to != g.me.PE {
			send(Message{From: g.me.PE, To: to, Kind: Gossip, Hops: hops, Peers: told})
		}
	}
}

// offerSome offers ranks while this PE would take longer than the limit with those that stay.
func (g *gossiper) offerSome(send func(Message)) {
	for range gossipBurst {
		if g.me.Time <= g.limit || len(g.tokens) == 0 {
			return
		}
		p := g.target()
		if p == nil {
			return
		}
		i := g.upTo(min((g.me.Time-g.level)*g.me.Speed, (g.limit-p.Time)*p.Speed))
		i = max(i, 0) // all are too large for that: the smallest, if it helps
		after := p.Time + g.tokens[i].Load/p.Speed
		if after > g.limit && after >= g.me.Time {
			p.Time = g.limit // no use asking again in this round
			continue
		}
		p.Time = after
		g.offer(i, p.PE, send)
	}
}

// target chooses among the PEs it knows, those with more room more often.
func (g *gossiper) target() *Peer {
	room := 0.0
	for _, p := range g.peers {
		room += max(0, g.limit-p.Time) * p.Speed
	}
	at := g.random.Float64() * room
	for i := range g.peers {
		p := &g.peers[i]
		if at -= max(0, g.limit-p.Time) * p.Speed; at < 0 {
			return p
		}
	}
	return nil
}

// maxRounds is more rounds than any agent of this package needs; a bound in case one never gets done.
func maxRounds(pes int) int { return 100 * (bits.Len(uint(pes)) + 4) }
