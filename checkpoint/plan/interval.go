// Package plan says how often to make checkpoints, and what is left of a machine that fails now and then.
//
// Failures come at random, with a mean time M between them for all nodes together. A checkpoint costs the program d, starting again
// after a failure costs R, and what was computed since the last checkpoint is lost.
//
// Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", Communications of the ACM 17(9),
// 1974, pages 530-531. J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
// Generation Computer Systems 22(3), 2006, pages 303-312.
package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Young is Young's interval between the end of a checkpoint and the begin of the next: sqrt(2 d M).
func Young(cost, mtbf time.Duration) time.Duration {
	return seconds(math.Sqrt(2 * cost.Seconds() * mtbf.Seconds()))
}

// Daly is Daly's interval, equation 37: sqrt(2 d M) (1 + sqrt(d/2M)/3 + (d/2M)/9) - d for d < 2 M, else M.
func Daly(cost, mtbf time.Duration) time.Duration {
	d, m := cost.Seconds(), mtbf.Seconds()
	if d >= 2*m {
		return mtbf
	}
	x := d / (2 * m)
	return seconds(math.Sqrt(2*d*m)*(1+math.Sqrt(x)/3+x/9) - d)
}

// Interval is how long a job is to compute between checkpoints: Daly's. cost is what a checkpoint takes away from the program, mtbf is
// the mean time between failures of all of the job's nodes; both are positive.
func Interval(cost, mtbf time.Duration) time.Duration {
	if cost <= 0 || mtbf <= 0 {
		panic(fmt.Sprintf("BUG: an interval for a cost of %v and an MTBF of %v", cost, mtbf))
	}
	return Daly(cost, mtbf)
}

// Efficiency is the share of the time in which something lasting is computed, by Daly's equation 20 for failures whose times are
// exponentially distributed: t / (M exp(R/M) (exp((t+d)/M) - 1)).
func Efficiency(interval, cost, restart, mtbf time.Duration) float64 {
	t, d, r, m := interval.Seconds(), cost.Seconds(), restart.Seconds(), mtbf.Seconds()
	return t / (m * math.Exp(r/m) * math.Expm1((t+d)/m))
}

// seconds is a duration; what is too long for one becomes the longest.
func seconds(s float64) time.Duration {
	if ns := s * 1e9; ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}

// units of time, longer names before those that they end with.
var units = []struct {
	name   string
	length time.Duration
}{
	{"us", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour},
	{"d", 24 * time.Hour}, {"y", 365 * 24 * time.Hour},
}

// ParseDuration reads a time such as 0.4s, 90m, 30d or 5y: a number with us, ms, s, m (minutes), h, d or y (365 days).
func ParseDuration(text string) (time.Duration, error) {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			continue
		}
		if v *= u.length.Seconds(); !(v >= 0 && v*1e9 < math.MaxInt64) {
			return 0, fmt.Errorf("%q is not a time from 0 to 292y", text)
		}
		return seconds(v), nil
	}
	return 0, fmt.Errorf("%q is not a time: write a number and us, ms, s, m, h, d or y, as in 0.4s or 5y", text)
}

// FormatDuration writes a time with three digits and the largest unit of which it has one.
func FormatDuration(d time.Duration) string {
	for i := len(units) - 1; i > 0; i-- {
		if u := units[i]; d >= u.length {
			return strconv.FormatFloat(d.Seconds()/u.length.Seconds(), 'g', 3, 64) + u.name
		}
	}
	return fmt.Sprintf("%gus", float64(d.Nanoseconds())/1e3)
}
