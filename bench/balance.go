package main

// balancePeriod is the shortest window of `+lb-period auto`, in seconds: what a balancer that knows nothing beforehand needs to see.
const balancePeriod = 0.05

// balancing is all about moving ranks by themselves: what it costs, and how near it comes to work that is shared evenly.
func balancing() []*experiment {
	list := []*experiment{stealing()}
	for _, what := range []string{"slope", "spot"} {
		list = append(list,
			imbalance(what, "lb", "with +lb", "+lb", "GreedyRefine"),
			imbalance(what, "lb_steal", "with +lb and +steal", "+lb", "GreedyRefine", "+steal"),
			withMigrate(imbalance(what, "migrate", "that calls AMPI_Migrate", "+lb", "GreedyRefine", "+lb-period", "calls")))
	}
	return append(list, costOf("balancing", "+lb", "GreedyRefine"), costOf("stealing", "+steal"), costOf("measuring", "+stats"))
}

// stealing tells how long it takes from a PE with nothing to run until a rank runs there that another PE had ready.
func stealing() *experiment {
	return &experiment{name: "steal", program: "steal", args: []string{"1000", "200"}, pes: 2, ranks: 3, rounds: 6, extra: []string{"+steal"}, collect: printed,
		figures: []*figure{
			{name: "steal", unit: "us", value: of("steal"), title: "steal of a ready rank from a worker that computes", aim: 10},
			{name: "steal.p90", unit: "us", value: percentile("steal", 90)},
			{name: "steal_woken", unit: "us", value: of("woken")},
			{name: "steal_woken.p90", unit: "us", value: percentile("woken", 90)},
			{name: "steal_missed", unit: "ratio", value: mean("missed")},
		}}
}

// imbalance is uneven work of 64 ranks on two PEs, in terms of the same work shared evenly in the same run.
func imbalance(what, name, how string, extra ...string) *experiment {
	name = "imbalance_" + what + "_" + name
	title := map[string]string{"slope": "rank r works in proportion to r, ", "spot": "a hot spot moves, "}[what]
	return &experiment{name: name, program: "imbalance", args: []string{what, "1000", "100"}, pes: 2, ranks: 64, rounds: 6, extra: extra, collect: printed,
		figures: []*figure{{name: name, unit: "ratio", value: overIdeal(balancePeriod), aim: 1.05,
			title: title + how + ": time less one period, in terms of even work"}}}
}

// withMigrate has the program ask for the steps, after every 10 iterations. AMPI can do the same.
func withMigrate(e *experiment) *experiment {
	e.args = append(e.args, "10")
	e.ampi = []string{"+balancer", "GreedyRefineLB"}
	e.figures[0].beat, e.figures[0].ampi = true, "needs AMPI_Migrate"
	return e
}

// costOf compares iterations of even work with and without a feature that has nothing to do there.
func costOf(feature string, extra ...string) *experiment {
	return &experiment{name: "cost_" + feature, program: "imbalance", args: []string{"even", "10", "50"}, pes: 2, ranks: 64, rounds: 24, extra: extra, collect: printed,
		variants: []variant{{"without", nil}},
		figures: []*figure{
			{name: "even_" + feature, unit: "us", value: of("even")},
			{name: "cost_" + feature, unit: "ratio", value: against("even", "without"), aim: 1.01,
				title: "balanced program, 64 ranks on 2 PEs: time with " + feature + ", in terms of that without"},
		}}
}
