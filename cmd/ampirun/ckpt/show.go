package ckpt

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ampirun/checkpoint"
	"ampirun/internal/human"
)

var showCommand = cli.Command{
	Name: "show", Usage: "show one checkpoint, the newest or another", ArgsUsage: "DIR [GENERATION]", Flags: []cli.Flag{jsonFlag},
	Action: func(c *cli.Context) error {
		t, err := look(c)
		if err != nil {
			return err
		}
		g, err := t.newest()
		if err != nil {
			return err
		}
		job, err := g.Job()
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return printJSON(c.App.Writer, shown{g.Number, g.Time(), g.PageSize, g.Counts, g.Extents, g.Packs, job})
		}
		w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
		showJob(w, g, job)
		showMemory(w, g)
		showImages(w, job)
		showRanks(w, job)
		return w.Flush()
	},
}

// shown is a checkpoint in JSON.
type shown struct {
	Generation uint64              `json:"generation"`
	Time       time.Time           `json:"time"`
	PageSize   uint64              `json:"page_size"`
	Counts     checkpoint.Counts   `json:"counts"`
	Extents    []checkpoint.Extent `json:"extents"`
	Packs      []checkpoint.Pack   `json:"packs"`
	Job        *checkpoint.Job     `json:"job"`
}

func showJob(w *tabwriter.Writer, g *checkpoint.Generation, j *checkpoint.Job) {
	fmt.Fprintf(w, "checkpoint\t%d, made %s by ampirun %s\n", g.Number, g.Time().Format(time.DateTime), j.Version)
	fmt.Fprintf(w, "program\t%s\n", strings.Join(append([]string{j.Program}, j.Args...), " "))
	fmt.Fprintf(w, "directory\t%s\n", j.Dir)
	fmt.Fprintf(w, "ranks\t%d on %d PEs\n", j.Ranks, j.PEs)
	fmt.Fprintf(w, "region\t%s at %#x, slices of %s, pages of %s\n", human.Bytes(j.RegionSize), j.Base, human.Bytes(j.SliceSize), human.Bytes(g.PageSize))
	s := j.System
	fmt.Fprintf(w, "system\t%s, %s, %s, %s, %s\n", s.Host, s.Machine, s.Kernel, s.Libc, s.CPU)
}

func showMemory(w *tabwriter.Writer, g *checkpoint.Generation) {
	c := g.Counts
	bytes := func(pages int) string { return human.Bytes(uint64(pages) * g.PageSize) }
	fmt.Fprintf(w, "memory\t%s in %d extents: %s zero, %s like other pages, %s stored before, %s new\n", bytes(c.Pages), len(g.Extents),
		bytes(c.Zero), bytes(c.Same), bytes(c.Kept), bytes(c.Written))
	fmt.Fprintf(w, "files\t%s written, %s shared with older checkpoints\n", human.Bytes(c.Bytes), human.Bytes(c.Shared))
	for _, p := range g.Packs {
		fmt.Fprintf(w, "\t%s: %s, %d of %d pages in use\n", p.Name, human.Bytes(p.Size), p.Live, p.Pages)
	}
}

func showImages(w *tabwriter.Writer, j *checkpoint.Job) {
	for _, i := range j.Images {
		note := ""
		if i.Embedded {
			note = ", embedded"
		}
		if i.BuildID != "" {
			note += ", build id " + i.BuildID
		}
		fmt.Fprintf(w, "image\t%s: %s%s\n", i.Path, human.Bytes(uint64(i.Size)), note)
	}
}

// showRanks says what the ranks have outside of their memory.
func showRanks(w *tabwriter.Writer, j *checkpoint.Job) {
	files := 0
	for i := range j.PerRank {
		files += len(j.PerRank[i].Files)
	}
	fmt.Fprintf(w, "open files\t%d\n", files)
}
