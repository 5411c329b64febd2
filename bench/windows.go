package main

// windows are the rows about one-sided communication: of one rank, with others idle, and of all ranks at a time.
func windows() []*experiment {
	return []*experiment{windowSmall(), windowLarge(), windowOfAll()}
}

func windowSmall() *experiment {
	row := func(key, title string, aim float64) *figure {
		return &figure{name: "window_" + key + "_8B", unit: "us", value: of(key), title: title, aim: aim, beat: true}
	}
	return &experiment{name: "window_8B", program: "window", args: []string{"8", "20000", "20"}, pes: 2, ranks: 2, rounds: 6,
		foreign: []string{"8", "2000", "5"}, collect: printed,
		figures: []*figure{
			row("put", "put 8 B + flush, ranks in two workers", 0.027),
			row("get", "get 8 B + flush", 0.027),
			row("lock_put", "lock, put 8 B, unlock", 0.07),
			row("lock_get", "lock, get 8 B, unlock", 0.07),
			row("fetch", "fetch_and_op 8 B + flush", 0.049),
			row("swap", "compare_and_swap 8 B + flush", 0.049),
			row("accumulate", "accumulate 8 B + flush", 0.056),
			{name: "window_face_per_loop", unit: "ratio", value: ratio("strided", "loop"), aim: 1.2,
				title: "put of a face of 64^3 doubles, in loops by hand"},
		}}
}

func windowLarge() *experiment {
	return &experiment{name: "window_1MiB", program: "window", args: []string{"1048576", "20", "20"}, pes: 2, ranks: 2, rounds: 6,
		foreign: []string{"1048576", "20", "5"}, collect: printed,
		figures: []*figure{
			{name: "window_put_1MiB", unit: "us", value: of("put")},
			{name: "window_get_1MiB", unit: "us", value: of("get")},
			{name: "window_accumulate_1MiB", unit: "us", value: of("accumulate"), title: "accumulate 1 MiB of doubles + flush", beat: true},
			{name: "window_put_1MiB_per_memcpy", unit: "ratio", value: ratio("put", "memcpy"), aim: 1.05,
				title: "put 1 MiB + flush, two workers, in memcpys of 1 MiB"},
			{name: "window_get_1MiB_per_memcpy", unit: "ratio", value: ratio("get", "memcpy"), aim: 1.05, title: "get 1 MiB + flush, in memcpys"},
		}}
}

func windowOfAll() *experiment {
	return &experiment{name: "window_256_ranks", program: "window_all", args: []string{"1000", "5"}, pes: 2, ranks: 256, rounds: 6, collect: printed,
		figures: []*figure{
			{name: "window_counter_256_ranks", unit: "us", value: of("counter"), aim: 0.2, title: "256 ranks add to one counter, 1,000 times each: an addition"},
			{name: "window_fence_256_ranks", unit: "us", value: of("fence")},
			{name: "window_fence_per_barrier", unit: "ratio", value: ratio("fence", "barrier"), aim: 1.3, title: "fence of 256 ranks on 2 PEs, in barriers"},
		}}
}
