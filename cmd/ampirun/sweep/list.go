package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxPoints catches typing errors before they become weeks.
const MaxPoints = 10_000

// ParseList reads rising numbers from 1 to most, as in "2,4,8". A "..." stands for those between: what comes before tells the step, as
// in 2,4,8,...,256 (each twice the last) or 8,16,24,...,64 (each 8 more).
func ParseList(text string, most int) (list []int, err error) {
	words := strings.Split(text, ",")
	for i, word := range words {
		word = strings.TrimSpace(word)
		if word == "..." {
			if i+1 == len(words) {
				return nil, fmt.Errorf("nothing ends the \"...\": write where, as in 2,4,8,...,256")
			}
			continue
		}
		n, err := strconv.Atoi(word)
		switch {
		case err != nil || n < 1 || n > most:
			return nil, fmt.Errorf("%q is not a number from 1 to %d", word, most)
		case len(list) > 0 && n <= list[len(list)-1]:
			return nil, fmt.Errorf("%d does not rise after %d", n, list[len(list)-1])
		case i > 0 && strings.TrimSpace(words[i-1]) == "...":
			if list, err = fill(list, n); err != nil {
				return nil, err
			}
		default:
			list = append(list, n)
		}
		if len(list) > MaxPoints {
			return nil, fmt.Errorf("more than %d numbers", MaxPoints)
		}
	}
	return list, nil
}

// step is how a list goes on after b, which came after a.
type step struct {
	a, b   int
	factor bool // by the same factor, else by the same difference
}

// next is what comes after n; 0 when that is no whole number.
func (s step) next(n int) int {
	switch {
	case !s.factor:
		return n + s.b - s.a
	case n > MaxValue/s.b || n*s.b%s.a != 0:
		return 0
	}
	return n * s.b / s.a
}

// MaxValue is the largest number that a list can hold.
const MaxValue = 1 << 30

// meets tells whether the list comes to a number.
func (s step) meets(end int) bool {
	n := s.b
	for n != 0 && n < end {
		n = s.next(n)
	}
	return n == end
}

// fill continues a list up to end. The last three numbers tell by which step; two do if only one kind of step meets the end.
func fill(list []int, end int) ([]int, error) {
	s, err := stepOf(list, end)
	if err != nil {
		return nil, err
	}
	for n := s.b; n != end; {
		n = s.next(n)
		if n == 0 || n > end {
			return nil, fmt.Errorf("...,%d: the steps from %d to %d do not meet %d", end, s.a, s.b, end)
		}
		if list = append(list, n); len(list) > MaxPoints {
			return nil, fmt.Errorf("more than %d numbers", MaxPoints)
		}
	}
	return list, nil
}

func stepOf(list []int, end int) (step, error) {
	n := len(list)
	if n < 2 {
		return step{}, fmt.Errorf("...,%d: write at least two numbers before it, better three, as in 2,4,8,...,256", end)
	}
	equal, factor := step{a: list[n-2], b: list[n-1]}, step{list[n-2], list[n-1], true}
	if n == 2 {
		switch e, f := equal.meets(end), factor.meets(end); {
		case e && f && equal.next(equal.b) != factor.next(factor.b):
			return step{}, fmt.Errorf("...,%d: %d may be followed by %d or by %d; write which", end, equal.b, equal.next(equal.b), factor.next(factor.b))
		case f:
			return factor, nil
		}
		return equal, nil
	}
	switch {
	case equal.next(list[n-3]) == list[n-2]:
		return equal, nil
	case factor.next(list[n-3]) == list[n-2]:
		return factor, nil
	}
	return step{}, fmt.Errorf("...,%d: from %d to %d to %d is neither the same difference nor the same factor", end, list[n-3], list[n-2], list[n-1])
}
