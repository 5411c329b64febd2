package job

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"ampirun/checkpoint"
	"ampirun/internal/wire"
	"ampirun/isomalloc"
	"ampirun/job/journal"
	"ampirun/privatize"
	"ampirun/vrank"
)

// metadata is what a checkpoint keeps of a job for job.Run, besides what every reader of checkpoints understands: its key in
// checkpoint.Job.Opaque is metadataKey.
type metadata struct {
	Layout    isomalloc.Config
	Options   Lasting // Checkpoints are there, whatever Adopt makes of them
	Libraries []privatize.Library
	Loaded    []string // files of libraries that ranks have opened at run time
	Ended     []ended
	Opened    journal.Mark
}

// ended is a rank that was over when the job was saved.
type ended struct{ Rank, Code int }

// metadataKey has the version of that in it. Checkpoints of the versions before belong to other ampiruns, and cannot be gone on from by this one.
const metadataKey = "job/2"

// describe says what a checkpoint has to know of the job besides its memory.
func (k *checkpointer) describe(f *freeze, over []ended) *checkpoint.Job {
	m, c := k.m, k.snapshot.Config()
	p := metadata{Layout: c, Options: m.opt.Lasting, Libraries: m.setup.libraries, Opened: k.journal.At(f.epoch()), Ended: over}
	dir, _ := os.Getwd()
	j := &checkpoint.Job{
		Version: m.opt.Version, Program: m.program, Args: append([]string{m.opt.Program}, m.opt.Args...), Env: m.opt.Env, Dir: dir,
		Ranks: m.opt.Ranks, PEs: m.opt.Workers, Base: c.Base, RegionSize: c.Size(), SliceSize: c.SliceSize, PageSize: os.Getpagesize(),
		System: system(), PerRank: make([]checkpoint.Rank, m.opt.Ranks),
	}
	for pe, w := range f.frozen {
		p.Loaded = append(p.Loaded, w.Loaded...)
		for _, r := range w.Ranks {
			j.PerRank[r.Rank] = rankRecord(pe, r)
		}
	}
	for _, path := range p.Loaded {
		j.Images = append(j.Images, checkpoint.Image{Path: path})
	}
	j.Opaque = map[string][]byte{metadataKey: wire.Encode(p)}
	return j
}

// rankRecord is what a checkpoint keeps of a rank outside of its slice. The files are there twice: for those who look at checkpoints, and as
// the workers want them back.
func rankRecord(pe int, r vrank.FrozenRank) checkpoint.Rank {
	c := checkpoint.Rank{PE: pe, Stdout: r.Written[0], Stderr: r.Written[1]}
	for _, f := range r.Files {
		writes := f.Kind == vrank.FileRegular && f.Flags&unix.O_ACCMODE != unix.O_RDONLY
		c.Files = append(c.Files, checkpoint.File{Number: f.Number, Path: f.Path, Flags: f.Flags, Offset: f.Offset, Size: f.Size, Append: writes, Kind: f.Kind})
	}
	if len(r.Files) > 0 {
		c.Opaque = map[string][]byte{metadataKey: wire.Encode(r.Files)}
	}
	return c
}

// system is where the job runs.
func system() checkpoint.System {
	var u unix.Utsname
	host, _ := os.Hostname()
	if unix.Uname(&u) != nil {
		return checkpoint.System{Host: host}
	}
	return checkpoint.System{Kernel: unix.ByteSliceToString(u.Release[:]), Machine: unix.ByteSliceToString(u.Machine[:]), CPU: processor(), Host: host}
}

// processor is the model's name.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
