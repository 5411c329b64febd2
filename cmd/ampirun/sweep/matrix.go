package sweep

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"ampirun/loadbalance"
)

// None is the point without load balancing.
const None = "none"

// Point is what is measured: so many ranks, balanced so.
type Point struct {
	Ranks   int
	Balance string // a strategy's name, or None
}

func (p Point) String() string { return fmt.Sprintf("+vp %d, %s", p.Ranks, p.Balance) }

// options are those of ampirun that make the point.
func (p Point) options() []string {
	options := []string{"+vp", fmt.Sprint(p.Ranks)}
	if p.Balance != None {
		options = append(options, "+lb", p.Balance)
	}
	return options
}

// ParseStrategies reads names of strategies, and none.
func ParseStrategies(text string) (names []string, err error) {
	seen := map[string]bool{}
	for word := range strings.SplitSeq(text, ",") {
		name := strings.TrimSpace(word)
		if !strings.EqualFold(name, None) {
			s, err := loadbalance.Find(name)
			if err != nil {
				return nil, err
			}
			name = s.Info().Name
		} else {
			name = None
		}
		if seen[name] {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		seen[name] = true
		names = append(names, name)
	}
	return names, nil
}

// points is the matrix: strategies by numbers of ranks.
func points(ranks []int, strategies []string) (all []Point) {
	for _, s := range strategies {
		for _, n := range ranks {
			all = append(all, Point{n, s})
		}
	}
	return all
}

// round is the order of all points in one repetition: another one in each, the same in every sweep. So what drifts on the machine meets
// all points alike.
func round(all []Point, repeat int) []Point {
	order := make([]Point, len(all))
	for to, from := range rand.New(rand.NewPCG(uint64(repeat), 0)).Perm(len(all)) {
		order[to] = all[from]
	}
	return order
}
