package vrank

// Survey is what can be seen of all ranks of the job from one worker, while they run.
type Survey struct {
	Ranks   []RankState
	Stolen  []uint64 // by PE: ranks that it took from others
	Problem string   // why there are no ranks
}

// RankState is what one rank does at the moment.
type RankState struct {
	Rank   int    `json:"rank"`
	PE     int    `json:"pe"`     // that has it, or is about to
	State  string `json:"state"`  // "running", "ready", "waits in MPI_Recv for rank 1, tag 5, of MPI_COMM_WORLD", "ended", ...
	Memory int64  `json:"memory"` // bytes that it has allocated, its stack, and the data of its images, about
	Moves  uint64 `json:"moves"`
	Stays  string `json:"stays,omitempty"` // why it cannot move to another worker
	Ended  bool   `json:"ended"`
}

// TakeSurvey looks at all ranks of the job. Any goroutine of any worker, at any time.
func TakeSurvey() *Survey {
	w := running
	if w == nil || !w.placed.Load() {
		return &Survey{Problem: "the ranks are not there yet"}
	}
	s := &Survey{Stolen: stolenByPE()}
	arrived := collectiveWaits(w.cfg.Ranks)
	for id, seen := range NewSampler(w.cfg.PEs, w.cfg.Ranks).Take().Ranks {
		r := rankAt(id)
		state := RankState{Rank: id, PE: seen.PE, Memory: seen.Memory, Moves: seen.Moves, Ended: seen.Ended, State: w.stateOf(r, arrived)}
		if seen.Pinned && !seen.Ended {
			state.Stays = r.staysFor()
		}
		s.Ranks = append(s.Ranks, state)
	}
	return s
}
