package vrank

// stats is what this worker measured, read after its ranks have ended.
func (w *worker) stats() *Stats {
	switches, idle, busy := peCounters()
	s := &Stats{Switches: switches, Idle: float64(idle) / ticksPerSecond(), Busy: float64(busy) / ticksPerSecond(), Heap: heapReport(), Placing: w.placing}
	s.Stolen = stolen()
	if w.copier != nil {
		s.Copied = w.copier.copied
	}
	for _, r := range w.ranks() {
		rs := r.stats()
		rs.Memory = w.memoryOf(r)
		s.Ranks = append(s.Ranks, rs)
	}
	return s
}

func (r *rank) stats() RankStats {
	c := &r.c.counters
	return RankStats{
		Rank: r.number(), User: float64(c.user_ticks) / ticksPerSecond(), Switches: uint64(r.c.switches),
		Sent: uint64(c.sent), Received: uint64(c.received),
		SentBytes: uint64(c.sent_bytes), ReceivedBytes: uint64(c.received_bytes), Moves: uint64(c.moves), Pinned: r.pinned(),
	}
}

// memoryOf is what exists of a rank's slice, in bytes.
func (w *worker) memoryOf(r *rank) (sum uint64) {
	s := w.region.Slice(r.number())
	extents, err := w.region.Extents(s.Lo, s.Hi)
	if err != nil {
		return 0
	}
	for _, e := range extents {
		sum += e.Len()
	}
	return sum
}
