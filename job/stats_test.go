package job

import "testing"

func TestRankList(t *testing.T) {
	for want, ranks := range map[string][]int{
		"": nil, "3": {3}, "0-1": {0, 1}, "0-3,7": {0, 1, 2, 3, 7}, "1,3,5-6": {1, 3, 5, 6},
	} {
		if got := rankList(ranks); got != want {
			t.Errorf("%v: %q, want %q", ranks, got, want)
		}
	}
}
