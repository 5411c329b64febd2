package vrank

import (
	"fmt"
	"runtime"
	"slices"
	stdstrings "strings"
	"testing"

	"golang.org/x/sys/unix"
)

func eachShape(f func(cfg *Config)) {
	for _, pes := range []int{1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 255, 256} {
		for _, ranks := range []int{1, 2, 3, 5, 7, 8, 9, 16, 17, 63, 64, 100, 255, 256, 257, 1000, 4096, 65537} {
			f(&Config{PEs: pes, Ranks: ranks})
		}
	}
}

// Every rank has one home, neighbours stay together, and no worker has two ranks more than another.
func TestHomes(t *testing.T) {
	eachShape(func(cfg *Config) {
		w := &worker{cfg: cfg}
		owned := make([]int, cfg.PEs)
		last := 0
		for id := range cfg.Ranks {
			pe := w.home(id)
			if pe < last || pe >= cfg.PEs {
				t.Fatalf("+p %d +vp %d: rank %d is at home in %d, the one before in %d", cfg.PEs, cfg.Ranks, id, pe, last)
			}
			owned[pe]++
			last = pe
		}
		if least, most := slices.Min(owned), slices.Max(owned); most-least > 1 {
			t.Errorf("+p %d +vp %d: workers have between %d and %d ranks", cfg.PEs, cfg.Ranks, least, most)
		}
	})
}

func TestFirstRank(t *testing.T) {
	eachShape(func(cfg *Config) {
		w := &worker{cfg: cfg}
		first := map[int]int{}
		for id := cfg.Ranks - 1; id >= 0; id-- {
			first[w.home(id)] = id
		}
		for pe, want := range first {
			if got := cfg.firstRank(pe); got != want {
				t.Fatalf("+p %d +vp %d: the first rank of worker %d is said to be %d, is %d", cfg.PEs, cfg.Ranks, pe, got, want)
			}
		}
	})
}

func lookup(env []string, name string) (values []string) {
	for _, e := range env {
		if v, ok := stdstrings.CutPrefix(e, name+"="); ok {
			values = append(values, v)
		}
	}
	return values
}

func TestEnvironment(t *testing.T) {
	cfg := &Config{PEs: 3, Ranks: 8, Env: []string{"HOME=/home/me", "EMPTY=", "AMPI=x", "PMI_RANK=99"}}
	w := &worker{cfg: cfg}
	for id := range cfg.Ranks {
		env := w.environment(id)
		if theirs := env[len(env)-3:]; !slices.Equal(theirs, cfg.Env[:3]) {
			t.Errorf("rank %d: the job's variables are %q", id, theirs)
		}
		for name, want := range map[string]int{
			"OMPI_COMM_WORLD_RANK": id, "OMPI_COMM_WORLD_SIZE": 8,
			"OMPI_COMM_WORLD_LOCAL_RANK": id, "OMPI_COMM_WORLD_LOCAL_SIZE": 8,
			"PMI_RANK": id, "PMI_SIZE": 8, "AMPI_RANK": id, "AMPI_SIZE": 8,
			"AMPI_PE": []int{0, 0, 0, 1, 1, 1, 2, 2}[id], "AMPI_PE_FIRST_RANK": []int{0, 0, 0, 3, 3, 3, 6, 6}[id],
		} {
			if got := lookup(env, name); !slices.Equal(got, []string{fmt.Sprint(want)}) {
				t.Errorf("rank %d: %s is %q, should be %d once", id, name, got, want)
			}
		}
	}
}

// Ranks of one worker get lists of their own: an append to one must not be seen in another.
func TestEnvironmentIsNotShared(t *testing.T) {
	base := append(make([]string, 0, 64), "A=1")
	w := &worker{cfg: &Config{PEs: 1, Ranks: 2, Env: base}}
	zero, one := w.environment(0), w.environment(1)
	if got := lookup(zero, "AMPI_RANK"); !slices.Equal(got, []string{"0"}) {
		t.Errorf("after rank 1's environment was made, rank 0's says %q", got)
	}
	last := len(zero) - 1
	zero[last] = "A=2"
	if one[last] != "A=1" || base[0] != "A=1" {
		t.Error("a change to one rank's environment shows in another's")
	}
}

func TestPinThread(t *testing.T) {
	done := make(chan error)
	go func() { // this thread stays bound, so it is given up with its goroutine
		runtime.LockOSThread()
		done <- pinAndLook()
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// pinAndLook binds to each core in turn, one round and one more: numbers beyond the cores begin again.
func pinAndLook() error {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return err
	}
	seen := map[unix.CPUSet]int{}
	for n := range allowed.Count() + 1 {
		if err := unix.SchedSetaffinity(0, &allowed); err != nil {
			return err
		}
		if err := pinThread(n); err != nil {
			return err
		}
		var now unix.CPUSet
		if err := unix.SchedGetaffinity(0, &now); err != nil {
			return err
		}
		if now.Count() != 1 {
			return fmt.Errorf("worker %d is bound to %d cores", n, now.Count())
		}
		seen[now]++
	}
	if len(seen) != allowed.Count() {
		return fmt.Errorf("workers use %d of %d cores", len(seen), allowed.Count())
	}
	return nil
}
