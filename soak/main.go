// Soak attacks ampirun at random for as long as it is told: kills workers and managers, moves ranks all the time, spoils programs and
// checkpoints, and has ranks wait for each other. What comes out has to be right, or has to be refused in words; nothing may be left behind.
// make soak SOAK_TIME=10m SOAK_SEED=1 runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
)

// options are those of the command line.
type options struct {
	time    time.Duration
	seed    uint64 // of the first case; those after it have the numbers that follow
	only    string
	cases   int
	jobs    int
	ampirun string // path
	keep    bool
}

func main() {
	var o options
	flag.DurationVar(&o.time, "time", 10*time.Minute, "how long cases are begun")
	flag.Uint64Var(&o.seed, "seed", 0, "of the first case, which is all that is random in it; 0: by the clock")
	flag.StringVar(&o.only, "only", "", "attacks, as a regular expression")
	flag.IntVar(&o.cases, "cases", 0, "so many cases, however long they take; 0: as time says")
	flag.IntVar(&o.jobs, "jobs", max(1, runtime.NumCPU()/2), "cases at a time")
	flag.StringVar(&o.ampirun, "ampirun", "bin/ampirun", "what is attacked, with ampicc beside it")
	flag.BoolVar(&o.keep, "keep", false, "keep the directories of cases that fail")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	only, err := regexp.Compile("^(" + o.only + ")$")
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if o.seed == 0 {
		o.seed = uint64(time.Now().UnixNano()) % 1e9
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &soak{ctx: ctx, options: o, began: time.Now(), totals: map[string]*total{}}
	for _, a := range attacks {
		if o.only == "" || only.MatchString(a.name) {
			s.attacks = append(s.attacks, a)
		}
	}
	if len(s.attacks) == 0 {
		return fmt.Errorf("-only %s: there are %s", o.only, names())
	}
	if s.top, err = os.MkdirTemp("", "ampirun-soak-"); err != nil {
		return err
	}
	defer s.clean()
	if err := s.build(); err != nil {
		return err
	}
	fmt.Printf("soak: seed %d, %v, %d at a time on %d processors: %s\n", o.seed, o.time, o.jobs, runtime.NumCPU(), names(s.attacks...))
	s.all()
	return s.report()
}

func names(list ...attack) string {
	if list == nil {
		list = attacks
	}
	var all []string
	for _, a := range list {
		all = append(all, a.name)
	}
	return strings.Join(all, ", ")
}

// attack is one way to do harm. A case of it is all that its seed says, but for the moments at which things happen.
type attack struct {
	name string
	what string
	run  func(c *trial)
}

var attacks = []attack{
	{"workers", "workers are killed; the job goes on by +ft and ends with the right result", killWorkers},
	{"manager", "ampirun is killed; +restart goes on, with any +p, and ends with the right result", killManager},
	{"shuffle", "ranks move all the time; the result is right", shuffle},
	{"elf", "programs that are spoiled are run or examined", spoilProgram},
	{"checkpoints", "checkpoints that are spoiled are restarted", spoilCheckpoints},
	{"deadlock", "ranks wait for what comes late, or for what never comes", deadlocks},
}

// soak is one run.
type soak struct {
	options
	ctx     context.Context
	attacks []attack
	top     string // directory
	began   time.Time

	mu       sync.Mutex
	next     uint64
	totals   map[string]*total
	failures int
	kept     bool
}

// total is what came of an attack.
type total struct {
	cases, failed int
	took          time.Duration
	counts        map[string]int // what was done, by name
}

// build makes the programs that are run.
func (s *soak) build() error {
	path, err := filepath.Abs(s.ampirun)
	if err != nil {
		return err
	}
	s.ampirun = path
	for _, name := range []string{"rounds", "schedule"} {
		out, err := s.command(filepath.Dir(path)+"/ampicc", "-O1", "-o", s.top+"/"+name, sources+"/"+name+".c").CombinedOutput()
		if err != nil {
			return fmt.Errorf("compile %s: %w\n%s(make soak builds what is needed)", name, err, out)
		}
	}
	return nil
}

// sources is where the programs are, from where go run is called.
const sources = "soak/testdata"

// all runs cases until the time is over.
func (s *soak) all() {
	var jobs sync.WaitGroup
	for range s.jobs {
		jobs.Go(func() {
			for c := s.take(); c != nil; c = s.take() {
				c.all()
			}
		})
	}
	jobs.Wait()
}

// take begins the next case; nil: there is none.
func (s *soak) take() *trial {
	s.mu.Lock()
	defer s.mu.Unlock()
	isOver := time.Since(s.began) >= s.time
	if s.cases > 0 {
		isOver = s.next >= uint64(s.cases)
	}
	if isOver || s.ctx.Err() != nil {
		return nil
	}
	a := s.attacks[s.next%uint64(len(s.attacks))]
	c := newTrial(s, a, s.seed+s.next)
	s.next++
	return c
}

// took adds a case up, and says what failed.
func (s *soak) took(c *trial) {
	if s.ctx.Err() != nil && c.failed != "" {
		return // it was ended
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.totals[c.attack.name]
	if t == nil {
		t = &total{counts: map[string]int{}}
		s.totals[c.attack.name] = t
	}
	t.cases++
	t.took += time.Since(c.began)
	for name, n := range c.counts {
		t.counts[name] += n
	}
	if c.failed == "" {
		return
	}
	t.failed++
	s.failures++
	s.kept = s.kept || s.keep
	fmt.Printf("FAILED %s, after %.0f s\n%s\nagain: make soak SOAK_ONLY=%s SOAK_CASES=1 SOAK_SEED=%d\n", c.attack.name, time.Since(s.began).Seconds(), c.failed, c.attack.name, c.seed)
	if s.keep {
		fmt.Printf("its files: %s\n", c.dir)
	}
}

// clean removes all that was made.
func (s *soak) clean() {
	if !s.kept {
		os.RemoveAll(s.top)
	}
}

// report prints what was done.
func (s *soak) report() error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "attack\tcases\tfailed\tseconds\twhat was done\n")
	for _, a := range s.attacks {
		if t := s.totals[a.name]; t != nil {
			fmt.Fprintf(w, "%s\t%d\t%d\t%.0f\t%s\n", a.name, t.cases, t.failed, t.took.Seconds(), listed(t.counts))
		}
	}
	w.Flush()
	fmt.Printf("soak: seed %d, %d cases in %.0f s, %d failed\n", s.seed, s.next, time.Since(s.began).Seconds(), s.failures)
	switch {
	case s.ctx.Err() != nil:
		return errors.New("ended by a signal")
	case s.failures > 0:
		return fmt.Errorf("%d cases failed", s.failures)
	}
	return nil
}
