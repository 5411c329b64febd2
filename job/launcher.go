package job

import (
	"fmt"
	"os"
	"slices"
	"syscall"

	"ampirun/checkpoint"
	"ampirun/internal/refusal"
)

// Ranks hold addresses in the ampirun that runs them, and in its C library: a job goes on with the same ones, or not at all.

// beItsLauncher makes this process the ampirun that the job was saved by, if the checkpoint has that and it is another one.
func (r *Restart) beItsLauncher() error {
	if r.job == nil {
		return nil
	}
	i := slices.IndexFunc(r.job.Images, func(i checkpoint.Image) bool { return i.Path == r.job.Launcher && i.Host })
	if i < 0 || !r.job.Images[i].Embedded || r.job.Images[i].Resembles(ownProgram) {
		return nil
	}
	file, err := r.Generation.OpenImage(&r.job.Images[i])
	if err != nil {
		return err
	}
	defer file.Close()
	if isOwnProgram(file) {
		return r.Generation.Damaged(fmt.Errorf("it says something else of its ampirun than that is: %s", r.job.Images[i].Describe()))
	}
	fmt.Fprintf(os.Stderr, "ampirun: +restart %s: this is another ampirun than the job was saved by: goes on with that one (%s), from the checkpoint\n", r.Dir, r.job.Version)
	if err := syscall.Exec(fmt.Sprintf("/proc/self/fd/%d", file.Fd()), os.Args, os.Environ()); err != nil {
		return fmt.Errorf("run %s, the ampirun that the job was saved by: %w", file.Name(), err)
	}
	return nil
}

// isOwnProgram tells whether this process runs that file: it would become itself again, for ever.
func isOwnProgram(file *os.File) bool {
	own, err := os.Stat(ownProgram)
	other, err2 := file.Stat()
	return err == nil && err2 == nil && os.SameFile(own, other)
}

// refuseHost says what this ampirun has another version of.
func (r *Restart) refuseHost(image *checkpoint.Image) error {
	if image.Path == r.job.Launcher {
		return refusal.New(refusal.CodeUsage, "+restart %s: the job was saved by another ampirun (%s: version %s, %s), and the checkpoint has no copy of it (+ckpt-embed makes one): restart it with that ampirun",
			r.Dir, image.Path, r.job.Version, image.Describe())
	}
	return refusal.New(refusal.CodeUsage, "+restart %s: ampirun runs with another %s here than where the job was saved (%s): ranks hold addresses in it, so restart the job on a system that has that one",
		r.Dir, image.Path, image.Describe())
}

// named gives files of this process the paths that they had when the job was saved first: it may run from a checkpoint.
func (r *Restart) named(own []checkpoint.Image) []checkpoint.Image {
	if r == nil {
		return own
	}
	for i := range own {
		for j := range r.job.Images {
			if was := &r.job.Images[j]; was.Host && own[i].IsSame(was) {
				own[i].Path = was.Path
			}
		}
	}
	return own
}
