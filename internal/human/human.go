// Package human writes quantities for people.
package human

import (
	"fmt"
	"strconv"
	"time"
)

// Bytes writes a size in the largest binary unit that leaves at least one before the point.
func Bytes(n uint64) string {
	if n < 1<<10 {
		return strconv.FormatUint(n, 10) + " B"
	}
	value, units := float64(n)/(1<<10), "KMGTPE"
	for value >= 1<<10 {
		value, units = value/(1<<10), units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, units[0])
}

// Count writes a large number with a decimal unit.
func Count(n float64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f G", n/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", n/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f k", n/1e3)
	}
	return fmt.Sprintf("%.0f", n)
}

// Time writes how long something took: in ms below a second, as h:mm:ss from a minute on.
func Time(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f us", d.Seconds()*1e6)
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Truncate(time.Second)
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}
