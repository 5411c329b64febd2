package loadbalance_test

import (
	"fmt"
	"testing"

	"github.com/dolthub/swiss"

	"ampirun/loadbalance/synth"
)

// BenchmarkTrafficMap adds the messages of a stencil up by sender and receiver, as measuring does: once with Go's map
// (itself a Swiss table since Go 1.24), once with the one of dolthub/swiss.
func BenchmarkTrafficMap(b *testing.B) {
	type sum struct{ messages, bytes int64 }
	for _, side := range []int{10, 40} {
		edges := synth.Stencil3D(side, side, side).Graph()
		b.Run(fmt.Sprintf("go/%d", len(edges)), func(b *testing.B) {
			for b.Loop() {
				m := make(map[uint64]sum, 64)
				for range 4 {
					for _, e := range edges {
						key := uint64(e.From)<<32 | uint64(e.To)
						s := m[key]
						m[key] = sum{s.messages + e.Messages, s.bytes + e.Bytes}
					}
				}
			}
		})
		b.Run(fmt.Sprintf("swiss/%d", len(edges)), func(b *testing.B) {
			for b.Loop() {
				m := swiss.NewMap[uint64, sum](64)
				for range 4 {
					for _, e := range edges {
						key := uint64(e.From)<<32 | uint64(e.To)
						s, _ := m.Get(key)
						m.Put(key, sum{s.messages + e.Messages, s.bytes + e.Bytes})
					}
				}
			}
		})
	}
}
