package loadbalance

import "context"

// These look at no measurement: for tests of moving itself, and as what others are compared with.

var dummy = strategy{
	info: Info{
		Name: "Dummy", Aliases: []string{"DummyLB", "none", "null", "NullLB"},
		Summary:    "moves nothing; measures what balancing itself costs",
		Complexity: "O(1)",
		Reference:  "DummyLB of Charm++",
		Blind:      true,
	},
	balance: func(context.Context, *Measurements, Options) ([]Move, error) { return nil, nil },
}

var rotate = strategy{
	info: Info{
		Name: "Rotate", Aliases: []string{"RotateLB"},
		Summary:    "moves every rank to the next PE; tests moving",
		Complexity: "O(n)",
		Reference:  "RotateLB of Charm++",
		Blind:      true,
	},
	balance: func(_ context.Context, m *Measurements, _ Options) ([]Move, error) {
		mapping := m.Mapping()
		for _, r := range m.movable() {
			mapping[r] = (mapping[r] + 1) % int32(len(m.PEs))
		}
		return m.movesTo(mapping), nil
	},
}

var randCent = strategy{
	info: Info{
		Name: "RandCent", Aliases: []string{"RandCentLB", "Random"},
		Summary:    "moves every rank to a PE chosen at random; tests moving",
		Complexity: "O(n)",
		Reference:  "RandCentLB of Charm++",
		Blind:      true,
	},
	balance: func(_ context.Context, m *Measurements, o Options) ([]Move, error) {
		mapping, random := m.Mapping(), newRand(o.Seed, 1)
		for _, r := range m.movable() {
			mapping[r] = int32(random.IntN(len(m.PEs)))
		}
		return m.movesTo(mapping), nil
	},
}
