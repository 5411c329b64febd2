package job

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ampirun/checkpoint"
	"ampirun/internal/memfd"
	"ampirun/internal/refusal"
)

// copies are files from a checkpoint, for paths where they are not any more. They are memory of this process, so nothing is left of
// them whatever its end; workers and gdb open them under their names in /proc.
type copies struct {
	names map[string]string // by path
	files []*os.File
}

// add copies the embedded file that an image has.
func (c *copies) add(g *checkpoint.Generation, image *checkpoint.Image) error {
	f, err := memfd.Create(filepath.Base(image.Path), unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("copy the embedded %s: %w", image.Path, err)
	}
	c.files = append(c.files, f)
	if err := g.CopyImage(image, f); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE); err != nil {
		return fmt.Errorf("copy the embedded %s: seal: %w", image.Path, err)
	}
	if c.names == nil {
		c.names = map[string]string{}
	}
	c.names[image.Path] = fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd())
	return nil
}

func (c *copies) close() {
	for _, f := range c.files {
		f.Close()
	}
}

// namedCopies says where files are read that are not what they were at their paths.
func (r *Restart) namedCopies() map[string]string {
	if r == nil {
		return nil
	}
	return r.copies.names
}

// identify tells what file a path is: one that was copied is what it was when the job was saved first.
func (r *Restart) identify(path string) (checkpoint.Image, error) {
	if name := r.namedCopies()[path]; name != "" {
		i := slices.IndexFunc(r.job.Images, func(i checkpoint.Image) bool { return i.Path == path })
		image := r.job.Images[i]
		image.Source, image.Embedded = name, false
		return image, nil
	}
	return checkpoint.Identify(path)
}

// checkFiles refuses to go on with other files than those that the memory of the job belongs to. Where the checkpoint has those of the
// program, they are copied.
func (r *Restart) checkFiles() error {
	own, err := identifyOwn()
	if err != nil {
		return err
	}
	programs := r.programFiles()
	for i := range r.job.Images {
		image := &r.job.Images[i]
		isProgram := slices.Contains(programs, image.Path)
		if (image.Host || !isProgram) && !slices.ContainsFunc(own, func(o checkpoint.Image) bool { return o.IsSame(image) }) {
			return r.refuseHost(image)
		}
		if !isProgram {
			continue
		}
		if err := r.checkFile(image); err != nil {
			return refusal.New(refusal.CodeUsage, "+restart %s: %v", r.Dir, err)
		}
	}
	return nil
}

// checkFile copies a file of the program if it is not what it was.
func (r *Restart) checkFile(image *checkpoint.Image) error {
	if r.copies.names[image.Path] != "" {
		return nil // copied before
	}
	err := image.Check(image.Path)
	switch {
	case err == nil:
		return nil
	case image.Embedded:
		return r.copies.add(r.Generation, image)
	}
	return fmt.Errorf("%w (the checkpoint has no copy of it: +ckpt-embed makes one)", err)
}

// programFiles are the files that ranks have code from.
func (r *Restart) programFiles() []string {
	files := append([]string{r.job.Program}, r.was.Loaded...)
	for _, l := range r.was.Libraries {
		files = append(files, l.Path)
	}
	return files
}
