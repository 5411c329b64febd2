package ckpt

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ampirun/checkpoint"
	"ampirun/internal/human"
)

// entry is a line of ckpt ls.
type entry struct {
	Generation uint64    `json:"generation"`
	Time       time.Time `json:"time"`
	Program    string    `json:"program"`
	Ranks      int       `json:"ranks"`
	PEs        int       `json:"pes"`
	Memory     uint64    `json:"memory"` // bytes of the pages that existed
	Zero       uint64    `json:"zero"`   // bytes of them that are zero
	Written    uint64    `json:"written"`
	Shared     uint64    `json:"shared"` // bytes of packs that older generations wrote
	Damage     string    `json:"damage,omitempty"`
}

var lsCommand = cli.Command{
	Name: "ls", Usage: "list the checkpoints in a directory", ArgsUsage: "DIR", Flags: []cli.Flag{jsonFlag},
	Action: func(c *cli.Context) error {
		t, err := look(c)
		if err != nil {
			return err
		}
		if t.named {
			return errors.New("name a directory alone (ampirun ckpt show is for one checkpoint)")
		}
		var entries []entry
		for _, n := range t.numbers {
			entries = append(entries, t.entry(n))
		}
		if c.Bool("json") {
			return printJSON(c.App.Writer, entries)
		}
		w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "checkpoint\tmade\tranks\tPEs\tmemory\twritten\tshared\tprogram")
		for i := range entries {
			entries[i].print(w)
		}
		return w.Flush()
	},
}

// entry looks at the metadata of a generation; damage there is a part of the answer.
func (t *target) entry(number uint64) entry {
	g, err := t.store.Generation(number)
	if err != nil {
		return entry{Generation: number, Damage: err.Error()}
	}
	page := g.PageSize
	e := entry{Generation: number, Time: g.Time(), Memory: uint64(g.Counts.Pages) * page, Zero: uint64(g.Counts.Zero) * page,
		Written: g.Counts.Bytes, Shared: g.Counts.Shared}
	job, err := g.Job()
	if err != nil {
		e.Damage = err.Error()
		return e
	}
	e.Program, e.Ranks, e.PEs = job.Program, job.Ranks, job.PEs
	return e
}

func (e *entry) print(w *tabwriter.Writer) {
	if e.Damage != "" {
		fmt.Fprintf(w, "%d\tdamaged: %s\n", e.Generation, e.Damage)
		return
	}
	fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%s\t%s\t%s\t%s\n", e.Generation, e.Time.Format(time.DateTime), e.Ranks, e.PEs,
		human.Bytes(e.Memory), human.Bytes(e.Written), human.Bytes(e.Shared), e.Program)
}

var verifyCommand = cli.Command{
	Name: "verify", Usage: "read checkpoints, all or some, and compare the checksums", ArgsUsage: "DIR [GENERATION...]",
	Flags: []cli.Flag{jsonFlag},
	Action: func(c *cli.Context) error {
		t, err := look(c)
		if err != nil {
			return err
		}
		var results []result
		bad := 0
		for _, n := range t.numbers {
			r := t.verify(n)
			if results = append(results, r); r.Damage != "" {
				bad++
			}
			if !c.Bool("json") {
				r.print(c)
			}
		}
		if c.Bool("json") {
			if err := printJSON(c.App.Writer, results); err != nil {
				return err
			}
		}
		if bad > 0 {
			return fmt.Errorf("%w: %d of %d checkpoints in %s", ErrDamaged, bad, len(results), t.store.Dir())
		}
		return nil
	},
}

// result is what ckpt verify found.
type result struct {
	Generation uint64  `json:"generation"`
	Read       uint64  `json:"read"` // bytes
	Seconds    float64 `json:"seconds"`
	Damage     string  `json:"damage,omitempty"`
}

func (t *target) verify(number uint64) (r result) {
	began := time.Now()
	r.Generation = number
	g, err := t.store.Generation(number)
	if err == nil {
		r.Read = g.Counts.Bytes + g.Counts.Shared
		err = g.Verify()
	}
	if err != nil {
		r.Damage = err.Error()
	}
	r.Seconds = time.Since(began).Seconds()
	return r
}

func (r *result) print(c *cli.Context) {
	if r.Damage != "" {
		fmt.Fprintf(c.App.Writer, "checkpoint %d: %s\n", r.Generation, r.Damage)
		return
	}
	fmt.Fprintf(c.App.Writer, "checkpoint %d: good, %s in %.2f s\n", r.Generation, human.Bytes(r.Read), r.Seconds)
}

var rmCommand = cli.Command{
	Name: "rm", Usage: "remove checkpoints; the others keep what they share with them", ArgsUsage: "DIR GENERATION...",
	Action: func(c *cli.Context) error {
		dir, numbers, err := parse(c)
		if err != nil {
			return err
		}
		if len(numbers) == 0 {
			return errors.New("name the checkpoints to remove (ampirun ckpt ls lists them)")
		}
		if _, err := checkpoint.View(dir); err != nil { // Open would make it
			return err
		}
		s, err := checkpoint.Open(dir, checkpoint.Options{Owner: "ampirun ckpt rm"})
		if err != nil {
			return err
		}
		defer s.Close()
		for _, n := range numbers {
			if err := s.Remove(n); err != nil {
				return err
			}
		}
		return nil
	},
}
