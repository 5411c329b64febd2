package timeline

// Run adds a run, or a time without one. Those of a PE come in their order.
func (w *Writer) Run(r Run) {
	track := trackOfPE(r.PE)
	switch r.Rank {
	case Idle:
		w.begin(typeBegin, track, nameIdle)
	case Many:
		w.begin(typeBegin, track, nameMany)
		w.addUint("runs", uint64(r.Runs))
		w.addUint("busy_ns", uint64(r.Busy))
	default:
		w.beginAs(typeBegin, track, w.nameOfRank(r.Rank))
		w.event.uint(eventCorrelation, uint64(r.Rank)+1)
		if r.Then != "" {
			w.addOften("then", r.Then)
		}
	}
	w.end(r.From)
	w.beginAs(typeEnd, track, 0)
	w.end(r.To)
}

// Message adds one end of a message.
func (w *Writer) Message(m Message) {
	if m.Received {
		w.begin(typeInstant, trackOfPE(m.PE)+1, nameReceive)
		w.event.fixed(eventFlowEnd, m.Flow)
	} else {
		w.begin(typeInstant, trackOfPE(m.PE)+1, nameSend)
		w.event.fixed(eventFlow, m.Flow)
		w.addUint("to", uint64(m.To))
	}
	w.addUint("rank", uint64(m.Rank))
	w.addUint("bytes", uint64(m.Bytes))
	w.end(m.At)
}

// Move adds one end of a move.
func (w *Writer) Move(m Move) {
	flow := 1<<63 | uint64(m.Rank)<<32 | uint64(uint32(m.Number))
	if m.Arrived {
		w.begin(typeInstant, trackOfPE(m.PE)+2, nameArrive)
		w.event.fixed(eventFlowEnd, flow)
	} else {
		w.begin(typeInstant, trackOfPE(m.PE)+2, nameLeave)
		w.event.fixed(eventFlow, flow)
		w.addUint("to_pe", uint64(m.To))
	}
	w.addUint("rank", uint64(m.Rank))
	w.addUint("move", uint64(m.Number))
	w.end(m.At)
}

// Step adds a step of load balancing.
func (w *Writer) Step(s Step) {
	w.begin(typeInstant, trackBalancing, nameStep)
	w.addText("strategy", s.Strategy)
	w.addDouble("before", s.Before)
	w.addDouble("after", s.After)
	w.addDouble("window_s", s.Window)
	w.addUint("moves", uint64(s.Moves))
	if s.Asked {
		w.addText("asked_by", "AMPI_Migrate")
	}
	w.end(s.At)
	for i, value := range []float64{s.Before, s.After} {
		w.beginAs(typeCounter, trackImbalance, 0)
		w.event.double(eventCounter, value)
		w.end(s.At + int64(i)*1000)
	}
}

// Totals adds what each rank did in all; at is when the job ended.
func (w *Writer) Totals(at int64, ranks []RankTotal) {
	w.begin(typeInstant, trackRoot, nameTotals)
	w.addUints("user_us", len(ranks), func(i int) uint64 { return uint64(ranks[i].User.Microseconds()) })
	w.addUints("sent", len(ranks), func(i int) uint64 { return ranks[i].Sent })
	w.addUints("moves", len(ranks), func(i int) uint64 { return ranks[i].Moves })
	w.end(at)
}

// Traffic adds what one block of ranks sent.
func (w *Writer) Traffic(at int64, t Traffic) {
	w.begin(typeInstant, trackRoot, nameTraffic)
	w.addUint("from", uint64(t.From))
	w.addUints("to", len(t.To), func(i int) uint64 { return uint64(t.To[i]) })
	w.addUints("messages", len(t.Messages), func(i int) uint64 { return t.Messages[i] })
	w.addUints("bytes", len(t.Bytes), func(i int) uint64 { return t.Bytes[i] })
	w.end(at)
}

// End adds how the job ended.
func (w *Writer) End(e End) {
	w.begin(typeInstant, trackRoot, nameEnd)
	w.addDouble("elapsed_s", e.Elapsed.Seconds())
	w.addUint("exit_code", uint64(e.ExitCode))
	if e.Reason != "" {
		w.addText("reason", e.Reason)
	}
	w.addDouble("busy_s", e.Busy)
	w.addUint("messages_not_shown", e.Hidden)
	w.addUint("moves_not_shown", e.Lost)
	w.addUint("block", uint64(e.BlockSize))
	w.end(e.Elapsed.Nanoseconds())
}
