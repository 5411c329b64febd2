package vrank

import (
	"math/rand/v2"
	"testing"

	"ampirun/isomalloc"
)

// TestEachPart compares what is visited with a list of all numbers, one by one.
func TestEachPart(t *testing.T) {
	const far = 100
	for range 2000 {
		lists := [2][]isomalloc.Range{randomRanges(far), randomRanges(far)}
		var want, got [far][2]bool
		for i, list := range lists {
			for _, r := range list {
				for at := r.Lo; at < r.Hi; at++ {
					want[at][i] = true
				}
			}
		}
		end := uintptr(0)
		err := eachPart(lists[0], lists[1], func(part isomalloc.Range, inA, inB bool) error {
			if part.Lo < end || part.Len() == 0 || !inA && !inB {
				t.Fatalf("%v: part %v after %d, %v %v", lists, part, end, inA, inB)
			}
			for at := part.Lo; at < part.Hi; at++ {
				got[at] = [2]bool{inA, inB}
			}
			end = part.Hi
			return nil
		})
		if err != nil || got != want {
			t.Fatalf("%v: %v, %v", lists, got, err)
		}
	}
}

func randomRanges(far uintptr) (list []isomalloc.Range) {
	for at := rand.UintN(20); at < uint(far); at += rand.UintN(20) {
		r := isomalloc.Range{Lo: uintptr(at), Hi: min(far, uintptr(at+1+rand.UintN(20)))}
		list = append(list, r)
		at = uint(r.Hi)
	}
	return list
}
