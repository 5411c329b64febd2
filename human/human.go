// Package human writes quantities for people.
package human

import (
	"fmt"
	"strconv"
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
