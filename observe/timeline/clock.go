package timeline

import "sort"

// Clock turns the ticks of a counter whose frequency is not exactly known into nanoseconds, from times at which both were read. Between
// two of them it runs evenly, so what came earlier by the counter does so in nanoseconds.
type Clock struct {
	ticks []uint64
	times []int64
}

// Add adds a reading, later than those before it.
func (c *Clock) Add(ticks uint64, nanoseconds int64) {
	if n := len(c.ticks); n > 0 && (ticks <= c.ticks[n-1] || nanoseconds <= c.times[n-1]) {
		return
	}
	c.ticks, c.times = append(c.ticks, ticks), append(c.times, nanoseconds)
}

// At is the time of a tick. There must be two readings.
func (c *Clock) At(tick uint64) int64 {
	i := sort.Search(len(c.ticks), func(i int) bool { return c.ticks[i] > tick })
	i = min(max(i, 1), len(c.ticks)-1)
	t0, t1, n0, n1 := c.ticks[i-1], c.ticks[i], c.times[i-1], c.times[i]
	return n0 + int64(float64(int64(tick-t0))*float64(n1-n0)/float64(t1-t0))
}
