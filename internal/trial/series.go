package trial

import "slices"

// Series is what repetitions of one measurement gave.
type Series []float64

// Median is the middle value, or the mean of the two in the middle. It panics on none.
func (s Series) Median() float64 {
	c := slices.Clone(s)
	slices.Sort(c)
	if n := len(c); n%2 == 0 {
		return (c[n/2-1] + c[n/2]) / 2
	}
	return c[len(c)/2]
}

// Min is the smallest value. It panics on none.
func (s Series) Min() float64 { return slices.Min(s) }

// Max is the largest value. It panics on none.
func (s Series) Max() float64 { return slices.Max(s) }
