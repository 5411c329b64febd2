package loadbalance

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Strategy decides on moves. Balance may be called from any goroutine, also by several at once; it does not change its
// input. It fails only with the context's error, or an error of Measurements.Validate.
type Strategy interface {
	Info() Info
	Balance(ctx context.Context, m *Measurements, o Options) ([]Move, error)
}

// Info describes a strategy for people.
type Info struct {
	Name       string
	Aliases    []string // its names in Charm++, and others
	Summary    string
	Complexity string // with n ranks, P PEs, E entries of the communication graph
	Reference  string
	Blind      bool // it does not look at loads: it may make things worse
	Traffic    bool // it looks at who talks to whom
}

// Options steers strategies. The zero value is right for ordinary use.
type Options struct {
	Seed      uint64  // of everything random
	Tolerance float64 // a PE above Tolerance times the level is overloaded; 0 means DefaultTolerance
	Group     int     // Hierarchical: PEs of a group; 0 means whole nodes, about the square root of all PEs
	Note      func(string)
}

// DefaultTolerance is how far above the level a PE may be without being relieved.
const DefaultTolerance = 1.03

func (o Options) tolerance() float64 {
	if o.Tolerance == 0 {
		return DefaultTolerance
	}
	return o.Tolerance
}

func (o Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// Validate finds an option that no strategy could work with.
func (o Options) Validate() error {
	if o.Tolerance != 0 && !(o.Tolerance >= 1 && isFinite(o.Tolerance)) {
		return fmt.Errorf("tolerance is %v; it is 1 or larger", o.Tolerance)
	}
	if o.Group < 0 {
		return fmt.Errorf("group is %d PEs", o.Group)
	}
	return nil
}

// strategy is how the ones of this package are made: a description and a function that need not check its input.
type strategy struct {
	info    Info
	balance func(ctx context.Context, m *Measurements, o Options) ([]Move, error)
}

func (s *strategy) Info() Info { return s.info }

func (s *strategy) Balance(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return s.balance(ctx, m, o)
}

// registry holds all strategies in the order in which help lists them.
var registry = []*strategy{
	&greedy, &greedyRefine, &refine, &refineSwap, &greedyComm, &recBisect, &metis, &scotch,
	&hierarchical, &distributed, &diffusion, &steal, &rotate, &randCent, &dummy,
}

// All lists the strategies.
func All() []Strategy {
	all := make([]Strategy, len(registry))
	for i, s := range registry {
		all[i] = s
	}
	return all
}

// Find finds a strategy by its name or an alias; case, "-" and "_" do not matter.
func Find(name string) (Strategy, error) {
	for _, s := range registry {
		if slices.ContainsFunc(append([]string{s.info.Name}, s.info.Aliases...), func(n string) bool { return plain(n) == plain(name) }) {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no strategy is called %q; there are: %s", name, strings.Join(Names(), ", "))
}

// Names lists the strategies' names without aliases.
func Names() (names []string) {
	for _, s := range registry {
		names = append(names, s.info.Name)
	}
	return names
}

func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}
