package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// figure is one printed quantity, and its row in the table of aims when it has one.
type figure struct {
	name, unit string
	value      func(s samples, implementation string) (median, least float64, ok bool)
	title      string  // row of the table; "" keeps it out
	ampi       string  // what AMPI takes, in words
	aim        float64 // at most this
	atLeast    bool    // at least this, instead
	beat       bool    // and better than every other implementation in the same run
}

// print writes the figure for every implementation that has it: of the medians, then of the minima under name.min.
func (f *figure) print(w io.Writer, s samples) {
	for _, im := range slices.Sorted(maps.Keys(s)) {
		median, least, ok := f.value(s, im)
		if !ok {
			continue
		}
		name := suffixed(f.name, im)
		fmt.Fprintf(w, "%s %.4g %s\n", name, median, f.unit)
		fmt.Fprintf(w, "%s.min %.4g %s\n", name, least, f.unit)
	}
}

// of is the value of one key.
func of(key string) func(samples, string) (float64, float64, bool) {
	return func(s samples, im string) (median, least float64, ok bool) {
		v := s[im][key]
		if len(v) == 0 {
			return 0, 0, false
		}
		return v.Median(), v.Min(), true
	}
}

// ratio is what one key takes in terms of another one of the same runs; least compares the minima of both.
func ratio(key, unit string) func(samples, string) (float64, float64, bool) {
	return func(s samples, im string) (median, least float64, ok bool) {
		v, u := s[im][key], s[im][unit]
		if len(v) == 0 || len(u) == 0 {
			return 0, 0, false
		}
		return v.Median() / u.Median(), v.Min() / u.Min(), true
	}
}

// speed is how fast a kernel is compared with the native program: 1 is as fast.
func speed(key string) func(samples, string) (float64, float64, bool) {
	return func(s samples, im string) (median, least float64, ok bool) {
		v, n := s[im][key], s["native"][key]
		if im == "native" || len(v) == 0 || len(n) == 0 {
			return 0, 0, false
		}
		return n.Median() / v.Median(), n.Min() / v.Min(), true
	}
}

// percentile is the value of one key that so many of a hundred are not above; the least is the minimum.
func percentile(key string, percent int) func(samples, string) (float64, float64, bool) {
	return func(s samples, im string) (value, least float64, ok bool) {
		v := slices.Sorted(slices.Values(s[im][key]))
		if len(v) == 0 {
			return 0, 0, false
		}
		return v[(len(v)-1)*percent/100], v[0], true
	}
}

// mean is the mean of one key.
func mean(key string) func(samples, string) (float64, float64, bool) {
	return func(s samples, im string) (value, least float64, ok bool) {
		v := s[im][key]
		if len(v) == 0 {
			return 0, 0, false
		}
		for _, x := range v {
			value += x / float64(len(v))
		}
		return value, v.Min(), true
	}
}

// against is one key in terms of the same key of another implementation; least compares the minima.
func against(key, other string) func(samples, string) (float64, float64, bool) {
	return func(s samples, im string) (median, least float64, ok bool) {
		v, u := s[im][key], s[other][key]
		if im == other || len(v) == 0 || len(u) == 0 {
			return 0, 0, false
		}
		return v.Median() / u.Median(), v.Min() / u.Min(), true
	}
}

// overIdeal is the time of each run, less a period, in terms of what it would ideally take, which the run has measured too.
func overIdeal(period float64) func(samples, string) (float64, float64, bool) {
	return func(s samples, im string) (median, least float64, ok bool) {
		seconds, ideal := s[im]["seconds"], s[im]["ideal"]
		if len(seconds) == 0 || len(seconds) != len(ideal) {
			return 0, 0, false
		}
		var v series
		for i := range seconds {
			v = append(v, (seconds[i]-period)/ideal[i])
		}
		return v.Median(), v.Min(), true
	}
}
