package loadbalance_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"ampirun/loadbalance"
	"ampirun/loadbalance/synth"
)

// TestGossipersMemoryDoesNotGrow compares what an agent of Distributed holds after a run on few PEs and on many.
func TestGossipersMemoryDoesNotGrow(t *testing.T) {
	few, many := gossiperBytes(t, 1024), gossiperBytes(t, 8192)
	t.Logf("%.0f bytes on each of 1024 PEs, %.0f on each of 8192", few, many)
	if many > 1.1*few || many > 4096 {
		t.Errorf("an agent holds %.0f bytes among 1024 PEs and %.0f among 8192", few, many)
	}
}

// gossiperBytes is the heap of an agent and its four ranks.
func gossiperBytes(t *testing.T, pes int) float64 {
	m := synth.Random(4*pes, 1).Measurements(0, synth.PEs(pes, 64))
	before := heap()
	agents := loadbalance.NewGossipers(m, loadbalance.Options{})
	if err := loadbalance.RunAgents(context.Background(), agents, 1000); err != nil {
		t.Fatal(err)
	}
	bytes := float64(heap()-before) / float64(len(agents))
	runtime.KeepAlive(agents)
	return bytes
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// postman delivers messages late, each by a number of rounds of its own, as a network would.
type postman struct {
	agents []loadbalance.Agent
	due    map[int][]loadbalance.Message
}

func (p *postman) run(rounds int, delay func(i int) int) {
	p.due = map[int][]loadbalance.Message{}
	sent := 0
	for round := range rounds {
		inbox := make([][]loadbalance.Message, len(p.agents))
		for _, m := range p.due[round] {
			inbox[m.To] = append(inbox[m.To], m)
		}
		delete(p.due, round)
		for i, a := range p.agents {
			a.Step(inbox[i], func(m loadbalance.Message) {
				at := round + 1 + delay(sent)
				sent++
				p.due[at] = append(p.due[at], m)
			})
		}
	}
}

// TestAgentsSurviveALateNetwork: no rank is lost, doubled or pushed where it makes things worse when messages are late
// and overtake each other; what was offered and not answered stays with who offered it until the answer is there.
func TestAgentsSurviveALateNetwork(t *testing.T) {
	make := map[string]func(*loadbalance.Measurements, loadbalance.Options) []loadbalance.Agent{
		"gossip": loadbalance.NewGossipers, "diffusion": loadbalance.NewDiffusers,
	}
	for name, agents := range make {
		for late := range 7 {
			t.Run(fmt.Sprintf("%s/late%d", name, late), func(t *testing.T) {
				m := synth.HotSpot(600, 10).Measurements(0, synth.PEs(37, 4))
				p := &postman{agents: agents(m, loadbalance.Options{Seed: 3})}
				p.run(2000, func(i int) int { return i * 7919 % (late + 1) })
				checkAgents(t, m, p.agents)
			})
		}
	}
}

func checkAgents(t *testing.T, m *loadbalance.Measurements, agents []loadbalance.Agent) {
	mapping := slices.Repeat([]int32{-1}, len(m.Ranks))
	for pe, a := range agents {
		for _, token := range a.Ranks() {
			if mapping[token.Rank] != -1 {
				t.Errorf("rank %d is on PEs %d and %d", token.Rank, mapping[token.Rank], pe)
			}
			mapping[token.Rank] = int32(pe)
		}
	}
	if slices.Contains(mapping, -1) {
		t.Fatalf("rank %d is nowhere", slices.Index(mapping, -1))
	}
	before, after := m.Evaluate(m.Mapping()), m.Evaluate(mapping)
	t.Logf("imbalance %.3f, was %.3f", after.Imbalance, before.Imbalance)
	if after.Makespan > before.Makespan*(1+1e-9) {
		t.Errorf("the makespan was %v and is %v", before.Makespan, after.Makespan)
	}
}
