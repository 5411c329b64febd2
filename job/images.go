package job

import (
	"os"
	"slices"
	"strings"

	"ampirun/checkpoint"
)

// identify names the files on whose bytes the memory of the job depends: the program with its libraries, those that ranks have opened,
// and ampirun with the C library that it runs with, since ranks wait inside of it. What it has found out it keeps.
func (k *checkpointer) identify(job *checkpoint.Job) error {
	opened := job.Images
	job.Images = nil
	if k.host == nil {
		own, err := identifyOwn()
		if err != nil {
			return err
		}
		k.host = k.m.opt.Restart.named(own)
		k.images = map[string]checkpoint.Image{}
	}
	paths := []string{k.m.program}
	for _, l := range k.m.setup.libraries {
		paths = append(paths, l.Path)
	}
	for _, i := range opened {
		paths = append(paths, i.Path)
	}
	for _, path := range paths {
		if err := k.addImage(job, path); err != nil {
			return err
		}
	}
	for _, image := range k.host {
		if i := slices.IndexFunc(job.Images, func(i checkpoint.Image) bool { return i.Path == image.Path }); i >= 0 {
			job.Images[i].Host = true
			continue
		}
		job.Images = append(job.Images, image)
	}
	job.Launcher = k.host[0].Path
	return nil
}

func (k *checkpointer) addImage(job *checkpoint.Job, path string) (err error) {
	if slices.ContainsFunc(job.Images, func(i checkpoint.Image) bool { return i.Path == path }) {
		return nil
	}
	image, ok := k.images[path]
	if !ok {
		if image, err = k.m.opt.Restart.identify(path); err != nil {
			return err
		}
		k.images[path] = image
	}
	job.Images = append(job.Images, image)
	return nil
}

// ownProgram is the file of this process's program, whatever has become of its path.
const ownProgram = "/proc/self/exe"

// identifyOwn names the files that this process has code from, its program first: workers have the same.
func identifyOwn() (images []checkpoint.Image, err error) {
	program, err := os.Readlink(ownProgram)
	if err != nil {
		return nil, err
	}
	paths, err := ownLibraries(program)
	if err != nil {
		return nil, err
	}
	for i, path := range append([]string{ownProgram}, paths...) {
		image, err := checkpoint.Identify(path)
		if err != nil {
			return nil, err
		}
		image.Host, image.Source = true, path
		if i == 0 {
			image.Path = program
		}
		images = append(images, image)
	}
	return images, nil
}

// ownLibraries are the files besides the program.
func ownLibraries(program string) (paths []string, err error) {
	maps, err := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		if len(fields) < 6 || !strings.Contains(fields[1], "x") || !strings.HasPrefix(fields[5], "/") {
			continue
		}
		path := strings.TrimSuffix(line[strings.Index(line, "/"):], "\n")
		if path != program && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, err
}
