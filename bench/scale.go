package main

import "fmt"

// scale is what ranks cost before they do anything: time, memory, mappings.
func scale() []*experiment {
	list := []*experiment{hello{16384, "", 4.0, 3}.experiment()}
	for _, l := range []struct {
		program, name, language string
		ranks                   int
		aim                     float64
	}{
		{"start_c", "c", "C", 1024, 125}, {"start_cxx", "cxx", "C++", 1024, 250}, {"start_f", "fortran", "Fortran", 1024, 250},
	} {
		name := "start_" + l.name + "_rank"
		list = append(list, &experiment{name: name, program: l.program, pes: 1, ranks: l.ranks, rounds: 6, collect: printed,
			figures: []*figure{{name: name, unit: "us", value: of("start"), aim: l.aim,
				title: fmt.Sprintf("start of a %s rank, up to the first barrier, %d ranks (CPU time)", l.language, l.ranks)}}})
	}
	return append(list, taken("hello_c", "start_c", 1, 1024, 3), taken("hello_cxx", "start_cxx", 1, 1024, 3),
		taken("hello_c_16384", "start_c", 2, 16384, 1), taken("table_256", "table", 2, 256, 3))
}

// taken is what a rank of a program takes of memory and of the kernel's tables.
func taken(name, program string, pes, ranks, rounds int) *experiment {
	return &experiment{name: "taken_" + name, program: program, args: []string{fmt.Sprint(pes)}, pes: pes, ranks: ranks, rounds: rounds, collect: printed,
		figures: []*figure{
			{name: "taken_" + name + ".memory", unit: "KiB", value: of("memory")},
			{name: "taken_" + name + ".page_tables", unit: "KiB", value: of("tables")},
			{name: "taken_" + name + ".mappings", unit: "count", value: of("mappings"), aim: 65530.0 / 8192,
				title: fmt.Sprintf("memory mappings of a rank, %s, %d ranks in a worker", program, ranks/pes)},
		}}
}
