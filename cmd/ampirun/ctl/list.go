package ctl

import (
	"fmt"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"ampirun/job/control"
)

// listTime is how long a job may take to say its name.
const listTime = 2 * time.Second

var lsCommand = cli.Command{
	Name: "ls", Usage: "list the running jobs of this user; ampirun ctl alone does, too", ArgsUsage: " ",
	Flags: []cli.Flag{jsonFlag},
	Action: func(c *cli.Context) error {
		if c.Args().Len() > 0 {
			return fmt.Errorf("%s: takes no arguments", c.Args().First())
		}
		pids, err := control.Jobs()
		if err != nil {
			return err
		}
		out := printer{c.App.Writer, c.Bool("json")}
		if out.json {
			return out.value(describe(pids, lookClosely))
		}
		return out.list(describe(pids, describeOne))
	},
}

// entry is a line of the list.
type entry struct {
	*control.Status
	Silent bool `json:"silent,omitempty"` // it does not answer: it is suspended, perhaps
}

// describe asks all jobs; those that are over by now, or somebody else's, are left out.
func describe(pids []int, ask func(pid int) *control.Status) []entry {
	all := make([]*control.Status, len(pids))
	var wg sync.WaitGroup
	for i, pid := range pids {
		wg.Go(func() { all[i] = ask(pid) })
	}
	wg.Wait()
	list := []entry{}
	for _, s := range all {
		if s != nil {
			list = append(list, entry{s, s.State == ""})
		}
	}
	return list
}

// describeOne asks a job who it is.
func describeOne(pid int) *control.Status {
	c, err := control.Contact(pid)
	if err != nil {
		return nil
	}
	defer c.Close()
	if !c.IsOwn() { // root may ask all
		return nil
	}
	return c.Name(listTime)
}

// lookClosely also asks how many ranks each worker has, of a job that answers in time.
func lookClosely(pid int) *control.Status {
	s := describeOne(pid)
	if s == nil || s.State == "" {
		return s
	}
	c, err := control.Contact(pid)
	if err != nil {
		return nil
	}
	defer c.Close()
	c.Bound(listTime)
	if seen, err := look(c); err == nil {
		return seen
	}
	return s
}

func (p printer) list(all []entry) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(p.to, "no job of this user is running")
		return err
	}
	t := table(p)
	fmt.Fprintln(t, "job\tprogram\tranks\tworkers\trunning for")
	for _, e := range all {
		if e.Silent {
			fmt.Fprintf(t, "%d\t(does not answer)\n", e.PID)
			continue
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%s\n", e.PID, e.Program, e.Ranks, len(e.Workers), seconds(e.Running))
	}
	return t.Flush()
}
