package main

import "fmt"

// move is rows about a rank that goes between two workers, with so much heap.
type move struct {
	way   string // of +migrate
	mib   int
	moves string // in each batch
}

func moves() (list []*experiment) {
	for _, m := range []move{{"share", 1, "100"}, {"share", 100, "20"}, {"copy", 1, "20"}, {"copy", 100, "1"}} {
		list = append(list, m.experiment())
	}
	return list
}

func (m move) experiment() *experiment {
	name := fmt.Sprintf("move_%s_%dMB", m.way, m.mib)
	e := &experiment{name: name, program: "move", args: []string{fmt.Sprint(m.mib), m.moves, "6"}, pes: 2, ranks: 2, rounds: 4,
		extra: []string{"+migrate", m.way}, collect: printed}
	until := &figure{name: name, unit: "us", value: of("move")}
	e.figures = []*figure{until, {name: name + ".touch", unit: "us", value: of("touch")}}
	if m.way == "share" {
		until.title, until.aim = fmt.Sprintf("move within a node, %d MB of heap, until the rank runs there", m.mib), 30
		until.ampi = map[int]string{1: "2.6 ms", 100: "110 ms"}[m.mib]
		return e
	}
	cold := &figure{name: name + "_speed_of_memcpy", unit: "ratio", value: ratio("cold", "move"), atLeast: true}
	if m.mib == 100 {
		cold.title, cold.aim = "move by copy, 100 MB of heap, bandwidth against memcpy into new memory", 0.8
	}
	e.figures = append(e.figures, cold,
		&figure{name: name + ".bandwidth", unit: "GB/s", value: bandwidth("move", m.mib), atLeast: true},
		&figure{name: name + "_speed_of_warm_memcpy", unit: "ratio", value: ratio("warm", "move"), atLeast: true})
	return e
}

// bandwidth is what so many MiB in the time of one key come to; least is of its minimum.
func bandwidth(key string, mib int) func(samples, string) (float64, float64, bool) {
	return func(s samples, im string) (median, least float64, ok bool) {
		v := s[im][key]
		if len(v) == 0 {
			return 0, 0, false
		}
		bytes := float64(mib) * (1 << 20)
		return bytes / v.Median() / 1e3, bytes / v.Min() / 1e3, true
	}
}
