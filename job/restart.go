package job

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"ampirun/checkpoint"
	"ampirun/isomalloc"
	"ampirun/vrank"
)

// Restart is a checkpoint that a job goes on from.
type Restart struct {
	Dir        string
	Generation *checkpoint.Generation
	job        *checkpoint.Job
	was        portrait
	files      [][]vrank.File // by rank
	region     *isomalloc.Region
}

// OpenRestart reads the newest checkpoint in a directory.
func OpenRestart(dir string) (*Restart, error) {
	store, err := checkpoint.View(dir)
	if err != nil {
		return nil, refuse(CodeUsage, "+restart %s: %v", dir, reason(err))
	}
	g, err := store.Latest()
	if err != nil {
		return nil, refuse(CodeUsage, "+restart %v", err)
	}
	r := &Restart{Dir: dir, Generation: g}
	if r.job, err = g.Job(); err == nil {
		err = r.read()
	}
	if err != nil {
		return nil, refuse(CodeUsage, "+restart %s: %v", dir, err)
	}
	return r, nil
}

// reason leaves the operation and the path out of a file error.
func reason(err error) error {
	if e := errors.Unwrap(err); e != nil {
		return e
	}
	return err
}

func (r *Restart) read() error {
	if err := decode(r.job.Opaque[portraitKey], &r.was); err != nil {
		return fmt.Errorf("checkpoint %d: %w", r.Generation.Number, err)
	}
	r.files = make([][]vrank.File, r.job.Ranks)
	for i := range r.job.PerRank {
		if data := r.job.PerRank[i].Opaque[portraitKey]; len(data) > 0 {
			if err := decode(data, &r.files[i]); err != nil {
				return fmt.Errorf("checkpoint %d: files of rank %d: %w", r.Generation.Number, i, err)
			}
		}
	}
	return nil
}

// Adopt fills in what options of a job that goes on were when it was saved: all but those of the run itself, such as Workers. Workers is
// that of the saved job if it is 0, Checkpoints too if there are none.
func (r *Restart) Adopt(o *Options) {
	o.Restart = r
	o.Program, o.Args, o.Env, o.Dir = r.job.Program, r.job.Args[1:], r.job.Env, r.job.Dir
	o.Ranks, o.Stack, o.Method, o.Slice = r.job.Ranks, r.was.Stack, r.was.Method, 0
	if o.Workers == 0 {
		o.Workers = r.job.PEs
	}
	o.Workers = min(o.Workers, o.Ranks)
	if o.Balance == "" {
		o.Balance, o.Period = r.was.Balance, r.was.Period
	}
	o.Steal = o.Steal || r.was.Steal
	o.Checkpoints = r.saves(o.Checkpoints)
}

// saves is how the job is saved from now on: as it was, but for what is said anew.
func (r *Restart) saves(said *Checkpoints) *Checkpoints {
	c := r.was.Saves
	c.Dir = r.Dir
	if said == nil {
		return &c
	}
	if said.Dir != "" {
		c.Dir = said.Dir
	}
	if said.Every != 0 {
		c.Every = said.Every
	}
	if said.Keep != 0 {
		c.Keep = said.Keep
	}
	c.OnTerm, c.Embed = c.OnTerm || said.OnTerm, c.Embed || said.Embed
	return &c
}

// checkFiles refuses to go on with other files than those that the memory of the job belongs to.
func (r *Restart) checkFiles() error {
	own, err := ownFiles()
	if err != nil {
		return err
	}
	for i := range r.job.Images {
		image := &r.job.Images[i]
		switch {
		case slices.Contains(r.programFiles(), image.Path):
			if err := image.Check(image.Path); err != nil {
				return refuse(CodeUsage, "+restart %s: %v", r.Dir, err)
			}
		case !isSameAsOne(image, own):
			return refuse(CodeUsage, "+restart %s: the checkpoint was made by an ampirun with %s, of which this one has another version: restart it with that ampirun, on a system with that C library",
				r.Dir, image.Path)
		}
	}
	return nil
}

// programFiles are the files that ranks have code from.
func (r *Restart) programFiles() []string {
	files := []string{r.job.Program}
	for _, l := range r.was.Libraries {
		files = append(files, l.Path)
	}
	return files
}

func isSameAsOne(image *checkpoint.Image, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return image.Check(p) == nil })
}

// begin makes the region and reads its memory, while workers come up; done is called from another goroutine.
func (r *Restart) begin(done func(error)) error {
	region, err := isomalloc.Create(r.was.Layout)
	if err != nil {
		return fmt.Errorf("create the region of %d ranks: %w", r.job.Ranks, err)
	}
	r.region = region
	go func() {
		err := r.checkFiles()
		if err == nil {
			err = r.Generation.Restore(region)
		}
		done(err)
	}()
	return nil
}

// layout is where the region has to lie. Addresses of the program are in its memory, so it is the same place, or none.
func (r *Restart) layout(workers []*worker) (isomalloc.Config, error) {
	c := r.was.Layout
	for _, w := range workers {
		fits := func(free isomalloc.Range) bool { return free.Lo <= c.Base && c.Base+uintptr(c.Size()) <= free.Hi }
		if !slices.ContainsFunc(w.hello.Free, fits) {
			return c, refuse(CodeUsage, "+restart %s: the memory of the job lay at %#x to %#x, and worker %d has something else there: addresses are chosen at random, so try again",
				r.Dir, c.Base, c.Base+uintptr(c.Size()), w.pe)
		}
	}
	return c, nil
}

// revive is what workers need to know; nil for a job that begins.
func (r *Restart) revive() *vrank.Revive {
	if r == nil {
		return nil
	}
	return &vrank.Revive{Files: r.files}
}

// close gives the region back, if it was not handed on.
func (r *Restart) close() {
	if r != nil && r.region != nil {
		r.region.Close()
	}
}

// checkDir refuses to go on where the job cannot work any more.
func (r *Restart) checkDir() error {
	if _, err := os.Stat(r.job.Dir); err != nil {
		return refuse(CodeUsage, "+restart %s: the job worked in %s: %v", r.Dir, r.job.Dir, reason(err))
	}
	return nil
}
