package main

import "fmt"

// experiments are all that is measured, in the order of the table.
func experiments() []*experiment {
	list := []*experiment{smallOnePE(), smallTwoPEs(), large(), remoteCall(1, "cpu"), remoteCall(2, "wall"), yield(2, 2000), yield(1024, 10)}
	list = append(list, collectives()...)
	list = append(list, overlap("neighbours", "1_per_pe", 2), overlap("neighbours", "8_per_pe", 16), overlap("blocking", "1_per_pe", 2),
		overlap("background", "1_per_pe", 2), overlap("background", "8_per_pe", 16))
	list = append(list, background("barrier", 256, "20"), background("allreduce", 256, "20"), background("barrier", 1024, "5"),
		background("allreduce", 1024, "5"), background("alltoall", 256, "5"))
	list = append(list, neighbourhood(8, "8B", "100"), neighbourhood(8192, "8KiB", "20"))
	list = append(list, windows()...)
	for _, h := range []hello{{256, "0.14 s", 0.10, 9}, {1024, "0.57 s", 0.25, 6}, {4096, "", 1.0, 3}} {
		list = append(list, h.experiment())
	}
	list = append(list, moves()...)
	list = append(list, scale()...)
	for _, s := range startings() {
		list = append(list, s.experiment())
	}
	list = append(list, manyProcesses(), memory(), compute(), packing(), restarting())
	list = append(list, saving()...)
	list = append(list, recovering(), scaling())
	return append(list, balancing()...)
}

func smallOnePE() *experiment {
	return &experiment{name: "p2p_8B_one_pe", program: "latency", args: []string{"8", "2000", "40", "cpu"}, pes: 1, ranks: 2, rounds: 6,
		collect: printed,
		figures: []*figure{{name: "p2p_8B_one_pe", unit: "us", value: of("oneway"),
			title: "8 B one-way, two ranks on one PE (CPU time)", ampi: "0.21 us", aim: 0.08}}}
}

func smallTwoPEs() *experiment {
	return &experiment{name: "p2p_8B_two_pes", program: "latency", args: []string{"8", "1000", "60", "wall"}, pes: 2, ranks: 2, rounds: 9,
		foreign: []string{"8", "1000", "60", "wall"}, collect: printed,
		figures: []*figure{{name: "p2p_8B_two_pes", unit: "us", value: of("oneway"),
			title: "8 B one-way, ranks in two workers", ampi: "7.3 us", aim: 0.25, beat: true}}}
}

func large() *experiment {
	return &experiment{name: "p2p_1MiB_two_pes", program: "latency", args: []string{"1048576", "5", "40", "wall"}, pes: 2, ranks: 2,
		rounds: 9, foreign: []string{"1048576", "5", "40", "wall"}, collect: printed,
		figures: []*figure{
			{name: "p2p_1MiB_two_pes", unit: "us", value: of("oneway")},
			{name: "memcpy_1MiB", unit: "us", value: of("memcpy")},
			{name: "p2p_1MiB_per_memcpy", unit: "ratio", value: ratio("oneway", "memcpy"),
				title: "1 MiB one-way, two workers, in memcpys of 1 MiB", ampi: "140 us", aim: 1.2},
		}}
}

// remoteCall compares a call of another rank's function, which sends its argument of 8 bytes back, with a ping-pong of as many bytes.
func remoteCall(pes int, clock string) *experiment {
	name := fmt.Sprintf("rpc_8B_%d_pes", pes)
	return &experiment{name: name, program: "rpc", args: []string{"8", "1000", "40", clock}, pes: pes, ranks: 2, rounds: 6, collect: printed,
		figures: []*figure{
			{name: name, unit: "us", value: of("rpc")},
			{name: name + "_per_pingpong", unit: "ratio", value: ratio("rpc", "pingpong"), aim: 1.3,
				title: fmt.Sprintf("remote call with 8 B and an answer of 8 B, 2 ranks in %d workers, in ping-pongs", pes)},
		}}
}

func yield(ranks, yields int) *experiment {
	aim := 0.05
	if ranks > 2 {
		aim = 0.10
	}
	name := fmt.Sprintf("switch_%d_ranks", ranks)
	return &experiment{name: name, program: "yield", args: []string{fmt.Sprint(yields), "40"}, pes: 1, ranks: ranks, rounds: 6, collect: printed,
		figures: []*figure{{name: name, unit: "us", value: of("switch"),
			title: fmt.Sprintf("context switch among %d ranks on a PE (CPU time)", ranks), ampi: "0.17 us", aim: aim}}}
}

// collective is one row about a collective call on 2 PEs; other MPIs get a process for each rank where that is bearable.
type collective struct {
	operation  string
	shape      string // of the data, in the figure's name
	ranks      int
	iterations string
	ampi       string
	aim        float64
	foreign    []string
}

func collectives() (list []*experiment) {
	for _, c := range []collective{
		{"allreduce", "8B_", 256, "30", "131 us", 25, nil},
		{"barrier", "", 1024, "10", "603 us", 120, nil},
		{"alltoall", "8B_", 256, "4", "112 ms", 4000, nil},
		{"barrier", "", 16, "200", "21 us", 5, []string{"barrier", "1", "3"}},
	} {
		list = append(list, c.experiment())
	}
	return list
}

func (c collective) experiment() *experiment {
	name := fmt.Sprintf("%s_%s%d_ranks", c.operation, c.shape, c.ranks)
	return &experiment{name: name, program: "collective", args: []string{c.operation, c.iterations, "30"}, pes: 2, ranks: c.ranks,
		rounds: 6, foreign: c.foreign, collect: printed,
		figures: []*figure{{name: name, unit: "us", value: of("call"),
			title: fmt.Sprintf("%s, %d ranks on 2 PEs", c.operation, c.ranks), ampi: c.ampi, aim: c.aim}}}
}

// overlap tells how near the steps of ranks with uneven work come to the computation alone. Others have a process for each PE.
func overlap(way, shape string, ranks int) *experiment {
	name := "overlap_" + way + "_" + shape
	e := &experiment{name: name, program: "overlap", args: []string{way, "20", "60"}, pes: 2, ranks: ranks, rounds: 6, collect: printed,
		figures: []*figure{{name: name, unit: "ratio", value: ratio("alone", "step"), atLeast: true}}}
	if ranks == e.pes {
		e.foreign = e.args
	}
	return e
}

// background compares a collective call of 8 bytes in the background, waited for at once, with the blocking one.
func background(operation string, ranks int, iterations string) *experiment {
	name := fmt.Sprintf("background_%s_8B_%d_ranks", operation, ranks)
	return &experiment{name: name, program: "background", args: []string{operation, "8", iterations, "20"}, pes: 2, ranks: ranks, rounds: 4,
		collect: printed,
		figures: []*figure{
			{name: name, unit: "us", value: of("nonblocking")},
			{name: name + ".persistent", unit: "us", value: of("persistent")},
			{name: name + "_per_blocking", unit: "ratio", value: ratio("nonblocking", "blocking")},
		}}
}

// neighbourhood compares the exchange with the neighbours in a grid with the same by hand, and with other MPIs.
func neighbourhood(bytes int, size, iterations string) *experiment {
	name := "neighbor_" + size + "_16_ranks"
	return &experiment{name: name, program: "neighbor", args: []string{fmt.Sprint(bytes), iterations, "30"}, pes: 2, ranks: 16, rounds: 6,
		foreign: []string{fmt.Sprint(bytes), "5", "5"}, collect: printed,
		figures: []*figure{
			{name: name, unit: "us", value: of("neighbor"), title: fmt.Sprintf("neighbor_alltoall %s, 16 ranks on 2 PEs", size)},
			{name: name + ".by_hand", unit: "us", value: of("byhand")},
			{name: name + "_per_by_hand", unit: "ratio", value: ratio("neighbor", "byhand"), aim: 1.1,
				title: fmt.Sprintf("neighbor_alltoall %s, in exchanges by Isend and Irecv", size)},
		}}
}

// hello is a row about launching a program that does next to nothing.
type hello struct {
	ranks  int
	ampi   string
	aim    float64
	rounds int
}

func (h hello) experiment() *experiment {
	name := fmt.Sprintf("hello_%d_ranks", h.ranks)
	return &experiment{name: name, program: "hello", pes: 2, ranks: h.ranks, rounds: h.rounds, collect: launched,
		figures: []*figure{
			{name: name, unit: "s", value: of("wall"), title: fmt.Sprintf("hello world, %d C ranks, launch to exit", h.ranks), ampi: h.ampi, aim: h.aim},
			{name: name + ".cpu", unit: "s", value: of("cpu")},
		}}
}

// manyProcesses compares launches where the others can follow.
func manyProcesses() *experiment {
	return &experiment{name: "hello_16_ranks", program: "hello", pes: 2, ranks: 16, rounds: 6, foreign: []string{}, collect: launched,
		figures: []*figure{
			{name: "hello_16_ranks", unit: "s", value: of("wall")},
			{name: "hello_16_ranks.cpu", unit: "s", value: of("cpu")},
		}}
}

func memory() *experiment {
	return &experiment{name: "memory_hello_rank", program: "hello", pes: 2, ranks: 256, rounds: 3, extra: []string{"+stats"}, collect: remembered,
		figures: []*figure{{name: "memory_hello_rank", unit: "KiB", value: of("memory"),
			title: "memory per hello-world C rank", aim: 128}}}
}

func compute() *experiment {
	e := &experiment{name: "compute", program: "compute", args: []string{"4"}, pes: 1, ranks: 1, rounds: 9, native: true, collect: printed}
	for _, kernel := range []string{"stencil", "triad", "malloc"} {
		e.figures = append(e.figures,
			&figure{name: "compute_" + kernel, unit: "us", value: of(kernel)},
			&figure{name: "compute_" + kernel + "_speed", unit: "ratio", value: speed(kernel), atLeast: true, aim: 0.97,
				title: fmt.Sprintf("compute inside a rank, %s, speed against native (CPU time)", kernel)})
	}
	return e
}

// packing compares MPI_Pack and MPI_Unpack with loops by hand in the same program.
func packing() *experiment {
	e := &experiment{name: "packing", program: "pack", args: []string{"5", "100"}, pes: 1, ranks: 1, rounds: 6, foreign: []string{"5", "100"},
		collect: printed}
	for _, shape := range []struct{ key, title string }{
		{"vector_1_of_2", "vector of doubles, every 2nd"}, {"vector_1_of_16", "vector of doubles, every 16th"},
		{"vector_2_of_16", "vector, blocks of 2 doubles"}, {"vector_4_of_16", "vector, blocks of 4 doubles"},
		{"vector_8_of_16", "vector, blocks of 8 doubles"}, {"indexed_block_1", "indexed block, random doubles"},
		{"indexed_block_4", "indexed block, random blocks of 4"}, {"indexed_1_to_7", "indexed, random blocks of 1 to 7"},
		{"struct", "array of structs with gaps"}, {"face_x", "3-D subarray, face across the slowest dimension"},
		{"face_y", "3-D subarray, face across the middle dimension"}, {"face_z", "3-D subarray, face across the fastest dimension"},
		{"face_z_thick", "the same, two elements thick"},
	} {
		for _, way := range []string{"pack", "unpack"} {
			key := way + "_" + shape.key
			e.figures = append(e.figures, &figure{name: key + "_per_loop", unit: "ratio", value: ratio("type_"+key, "hand_"+key),
				title: fmt.Sprintf("%s: %s, in loops by hand", way, shape.title), aim: 1.25})
		}
	}
	return e
}
