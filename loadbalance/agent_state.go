package loadbalance

import (
	"cmp"
	"math/bits"
	"slices"
)

// agentState is what agents have in common: ranks, the time they take, and the rules of giving and taking.
type agentState struct {
	me     Peer
	pes    int
	tokens []Token // that can move, by rising load
	level  float64
	limit  float64
	age    int // steps since all agents know the level; below 0 before
	sums   Sums
	heard  int // children whose sums arrived

	begun, ready bool // the sums were begun; the level is known
	tolerance    float64
	given        []Token // offered, and not answered
}

// newAgentState is the state of one PE; the time of pinned ranks counts, but only the others are listed.
func newAgentState(m *Measurements, pe int32, ranks []int32, time, tolerance float64) agentState {
	h := agentState{me: Peer{pe, time, m.PEs[pe].Speed}, pes: len(m.PEs), tolerance: tolerance}
	for _, r := range ranks {
		h.tokens = append(h.tokens, Token{r, m.Ranks[r].Load})
	}
	slices.SortFunc(h.tokens, byLoad)
	h.sums = Sums{Work: time * h.me.Speed, Speed: h.me.Speed}
	return h
}

// states makes the state of all PEs as it was measured.
func (m *Measurements) states(tolerance float64) []agentState {
	p := m.present()
	start, ranks := p.byPE()
	all := make([]agentState, len(m.PEs))
	for pe := range all {
		all[pe] = newAgentState(m, int32(pe), ranks[start[pe]:start[pe+1]], p.time[pe], tolerance)
	}
	return all
}

func byLoad(a, b Token) int { return cmp.Or(cmp.Compare(a.Load, b.Load), cmp.Compare(a.Rank, b.Rank)) }

// Ranks lists what it has. An offer that was not answered is still its own.
func (h *agentState) Ranks() []Token { return append(slices.Clone(h.tokens), h.given...) }

// step handles the messages that any agent understands, and counts the age.
func (h *agentState) step(in []Message, send func(Message)) {
	if !h.begun && h.children() == 0 { // sums go up a binary tree of PEs, and the total comes down again
		h.sumUp(send)
	}
	h.begun = true
	for i := range in {
		h.take(&in[i], send)
	}
	if h.ready {
		h.age++
	}
}

func (h *agentState) children() int {
	return max(0, min(2, h.pes-1-2*int(h.me.PE)))
}

func (h *agentState) sumUp(send func(Message)) {
	if h.me.PE == 0 {
		h.sumDown(h.sums, send)
		return
	}
	send(Message{From: h.me.PE, To: (h.me.PE - 1) / 2, Kind: SumUp, Sums: h.sums})
}

func (h *agentState) sumDown(total Sums, send func(Message)) {
	h.level = total.Work / total.Speed
	h.limit = h.level * h.tolerance
	h.ready = true
	h.age = bits.Len(uint(h.me.PE+1)) - bits.Len(uint(h.pes)) - 1 // those further down will know it later
	for c := range h.children() {
		send(Message{From: h.me.PE, To: 2*h.me.PE + 1 + int32(c), Kind: SumDown, Sums: total})
	}
}

func (h *agentState) take(in *Message, send func(Message)) {
	switch in.Kind {
	case SumUp:
		h.sums.Work += in.Sums.Work
		h.sums.Speed += in.Sums.Speed
		if h.heard++; h.heard == h.children() {
			h.sumUp(send)
		}
	case SumDown:
		h.sumDown(in.Sums, send)
	case Offer:
		h.answer(in, send)
	case Accept:
		h.forget(in.Token.Rank)
	case Refuse:
		h.keep(h.forget(in.Token.Rank))
	}
}

// answer takes an offered rank if this PE then ends by the limit, or at least sooner than the sender would have.
func (h *agentState) answer(in *Message, send func(Message)) {
	kind := Refuse
	if after := h.atMost() + in.Token.Load/h.me.Speed; after <= h.limit || after < in.Sender.Time {
		kind = Accept
		h.keep(in.Token)
	}
	send(Message{From: h.me.PE, To: in.From, Kind: kind, Token: in.Token, Sender: h.me})
}

// atMost is its time if all that it offered is refused.
func (h *agentState) atMost() float64 {
	time := h.me.Time
	for _, t := range h.given {
		time += t.Load / h.me.Speed
	}
	return time
}

// offer gives a rank to another PE, if that accepts. What it counts as its own time goes down at once.
func (h *agentState) offer(i int, to int32, send func(Message)) {
	t := h.tokens[i]
	send(Message{From: h.me.PE, To: to, Kind: Offer, Token: t, Sender: h.me})
	h.tokens = slices.Delete(h.tokens, i, i+1)
	h.given = append(h.given, t)
	h.me.Time -= t.Load / h.me.Speed
}

// keep makes a rank its own.
func (h *agentState) keep(t Token) {
	i, _ := slices.BinarySearchFunc(h.tokens, t, byLoad)
	h.tokens = slices.Insert(h.tokens, i, t)
	h.me.Time += t.Load / h.me.Speed
}

// forget ends the wait for an answer.
func (h *agentState) forget(rank int32) Token {
	i := slices.IndexFunc(h.given, func(t Token) bool { return t.Rank == rank })
	t := h.given[i]
	h.given = slices.Delete(h.given, i, i+1)
	return t
}

// upTo is the index of the largest rank of at most that load, or -1.
func (h *agentState) upTo(load float64) int {
	i, _ := slices.BinarySearchFunc(h.tokens, load, func(t Token, load float64) int {
		if t.Load <= load {
			return -1
		}
		return 1
	})
	return i - 1
}
