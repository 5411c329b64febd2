package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ampirun/checkpoint"
	"ampirun/internal/wire"
	"ampirun/isomalloc"
	"ampirun/job/journal"
	"ampirun/privatize"
	"ampirun/vrank"
)

// sampleJob is the metadata of a job of one rank, to be changed before the metadata is put into it.
func sampleJob(program string) (*checkpoint.Job, metadata) {
	l := isomalloc.Config{Base: 1 << 40, Control: 1 << 20, SliceSize: 1 << 24, Slices: 1}
	j := &checkpoint.Job{Program: program, Args: []string{program}, Dir: "/", Ranks: 1, PEs: 1, PageSize: os.Getpagesize(), Base: l.Base,
		RegionSize: l.Size(), SliceSize: l.SliceSize, Launcher: program, PerRank: make([]checkpoint.Rank, 1),
		Images: []checkpoint.Image{{Path: program}}}
	return j, metadata{Layout: l, Options: Lasting{Lasting: vrank.Lasting{Stack: MinStack, Method: "pie", Period: "auto"}, Checkpoints: &Checkpoints{}}, Opened: journal.Mark{Job: "0123"}}
}

// bad is a job that cannot be, though each byte of its checkpoint is as it was written.
type bad struct {
	what   string
	change func(j *checkpoint.Job, p *metadata)
}

// withFiles has the rank have files open.
func withFiles(files ...vrank.File) func(*checkpoint.Job, *metadata) {
	return func(j *checkpoint.Job, _ *metadata) {
		j.PerRank[0].Files = make([]checkpoint.File, len(files))
		j.PerRank[0].Opaque = map[string][]byte{metadataKey: wire.Encode(files)}
	}
}

var badJobs = []bad{
	{"it has -1 ranks", func(j *checkpoint.Job, _ *metadata) { j.Ranks = -1 }},
	{"it has 0 ranks", func(j *checkpoint.Job, _ *metadata) { j.Ranks = 0 }},
	{"it has 1099511627776 ranks", func(j *checkpoint.Job, _ *metadata) { j.Ranks = 1 << 40 }},
	{"it has 0 PEs", func(j *checkpoint.Job, _ *metadata) { j.PEs = 0 }},
	{"it has no arguments", func(j *checkpoint.Job, _ *metadata) { j.Args = nil }},
	{"has a zero byte", func(j *checkpoint.Job, _ *metadata) { j.Env = []string{"A=\x00"} }},
	{`its program is "heat"`, func(j *checkpoint.Job, _ *metadata) { j.Program = "heat" }},
	{`its directory is "here"`, func(j *checkpoint.Job, _ *metadata) { j.Dir = "here" }},
	{"it tells of 0 ranks of 1", func(j *checkpoint.Job, _ *metadata) { j.PerRank = nil }},
	{"it tells of 2 ranks of 1", func(j *checkpoint.Job, _ *metadata) { j.PerRank = make([]checkpoint.Rank, 2) }},
	{"rank 0 is on PE 1 of 1", func(j *checkpoint.Job, _ *metadata) { j.PerRank[0].PE = 1 }},
	{"rank 0 is on PE -1 of 1", func(j *checkpoint.Job, _ *metadata) { j.PerRank[0].PE = -1 }},
	{"its memory is 2 slices", func(j *checkpoint.Job, _ *metadata) { j.Ranks = 2 }},
	{"a region of -1 slices", func(_ *checkpoint.Job, p *metadata) { p.Layout.Slices = -1 }},
	{"address space", func(_ *checkpoint.Job, p *metadata) { p.Layout.SliceSize = 1 << 62 }},
	{"its memory is 1 slices", func(j *checkpoint.Job, _ *metadata) { j.Base = 4096 }},
	{"its pages have 8192 bytes, or else 8192", func(j *checkpoint.Job, _ *metadata) { j.PageSize = 8192 }},
	{"memory at offset 0x1fff000 of 0x1100000 bytes", nil},
	{"stacks of 0 bytes", func(_ *checkpoint.Job, p *metadata) { p.Options.Stack = 0 }},
	{"stacks of 16777216 bytes", func(_ *checkpoint.Job, p *metadata) { p.Options.Stack = 1 << 24 }},
	{"it does not say which file \"/heat\" was", func(j *checkpoint.Job, _ *metadata) { j.Images = nil }},
	{"it does not say which file \"/other\" was", func(j *checkpoint.Job, _ *metadata) { j.Launcher = "/other" }},
	{"it does not say which file \"/lib\" was", func(_ *checkpoint.Job, p *metadata) { p.Libraries = []privatize.Library{{Name: "lib", Path: "/lib"}} }},
	{"of -5 bytes", func(j *checkpoint.Job, _ *metadata) { j.Images[0].Size = -5 }},
	{"rank -1 has ended", func(_ *checkpoint.Job, p *metadata) { p.Ended = []ended{{-1, 0}} }},
	{"rank 0 has ended", func(_ *checkpoint.Job, p *metadata) { p.Ended = []ended{{0, 0}, {0, 0}} }},
	{"pei", func(_ *checkpoint.Job, p *metadata) { p.Options.Method = "pei" }},
	{"Nothing", func(_ *checkpoint.Job, p *metadata) { p.Options.Balance = "Nothing" }},
	{"each \"often\"", func(_ *checkpoint.Job, p *metadata) { p.Options.Period = "often" }},
	{"checkpoints each -1s", func(_ *checkpoint.Job, p *metadata) { p.Options.Checkpoints.Every = -time.Second }},
	{"copies to \"-x:/\"", func(_ *checkpoint.Job, p *metadata) { p.Options.Checkpoints.Buddy = "-x:/" }},
	{"it outlives 0 failures by \"luck\"", func(_ *checkpoint.Job, p *metadata) { p.Options.FT = &FT{Mode: "luck"} }},
	{"notes of opened files are called \"../x\"", func(_ *checkpoint.Job, p *metadata) { p.Opened.Job = "../x" }},
	{"from -1 on", func(_ *checkpoint.Job, p *metadata) { p.Opened.Epoch = -1 }},
	{"rank 0 has 3 files open, or else 0", func(j *checkpoint.Job, _ *metadata) { j.PerRank[0].Files = make([]checkpoint.File, 3) }},
	{"descriptor -1: there is no such number", withFiles(vrank.File{Number: -1, Kind: vrank.FileRegular})},
	{"descriptor 5: it is there twice", withFiles(vrank.File{Number: 5, Kind: vrank.FileRegular}, vrank.File{Number: 5, Kind: vrank.FileRegular})},
	{"descriptor 5: it is said to be the same as descriptor 6", withFiles(vrank.File{Number: 5, Same: 6})},
	{"\"dream\" is no kind of file", withFiles(vrank.File{Number: 5, Kind: "dream"})},
	{"nothing is said of the pipe", withFiles(vrank.File{Number: 5, Kind: vrank.FilePipe})},
	{"more packets than bytes", withFiles(vrank.File{Number: 5, Kind: vrank.FilePipe, Pipe: &vrank.Pipe{Capacity: 4096, Packets: []int{1}}})},
	{"nothing is said of the socket", withFiles(vrank.File{Number: 5, Kind: vrank.FileSocket})},
	{"nothing is said of the eventfd", withFiles(vrank.File{Number: 5, Kind: vrank.FileEvent})},
	{"nothing is said of the timerfd", withFiles(vrank.File{Number: 5, Kind: vrank.FileTimer})},
	{"its 4096 bytes are not at 0x0", withFiles(vrank.File{Number: 5, Kind: vrank.FileRemoved, Size: 4096})},
	{"bytes are not at 0x100000fffff", withFiles(vrank.File{Number: 5, Kind: vrank.FileRemoved, Size: 1, Content: 1<<40 + 1<<20 - 1})},
	{"bytes are not at 0x10000100000", withFiles(vrank.File{Number: 5, Kind: vrank.FileMemory, Size: 1 << 60, Content: 1<<40 + 1<<20})},
	{"offset -4", withFiles(vrank.File{Number: 5, Kind: vrank.FileRegular, Offset: -4})},
}

// TestBadMetadata refuses checkpoints whose checksums are right and whose contents are not, each with a line that says what is wrong.
func TestBadMetadata(t *testing.T) {
	for _, b := range append(badJobs, bad{"", func(*checkpoint.Job, *metadata) {}}) {
		dir := t.TempDir()
		store, err := checkpoint.Open(dir, checkpoint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		j, p := sampleJob("/heat")
		var extents []checkpoint.Extent
		if b.change == nil {
			extents = []checkpoint.Extent{{Offset: 0x1ffe000, Length: 4096}}
		} else {
			b.change(j, &p)
		}
		j.Opaque = map[string][]byte{metadataKey: wire.Encode(p)}
		_, err = store.Save(j, make(checkpoint.Memory, 1<<25), extents)
		store.Close()
		if err != nil {
			t.Fatal(b.what, err)
		}
		var damage []string
		_, err = OpenRestart(dir, false, 0, func(d *DamagedCheckpoint) { damage = append(damage, d.Error()) })
		if b.what == "" {
			if err != nil || damage != nil {
				t.Errorf("what is good is refused: %v, %q", err, damage)
			}
			continue
		}
		if err == nil || len(damage) != 1 || !strings.Contains(damage[0], b.what) || !strings.HasPrefix(damage[0], "checkpoint 1 is damaged: "+filepath.Join(dir, "000001/manifest")) {
			t.Errorf("%s: %v, %q", b.what, err, damage)
		}
	}
}

// FuzzRestart reads metadata of any kind. What passes can be gone on from without a look at any field.
func FuzzRestart(f *testing.F) {
	for _, b := range append(badJobs, bad{"", func(*checkpoint.Job, *metadata) {}}) {
		j, p := sampleJob("/heat")
		if b.change != nil {
			b.change(j, &p)
		}
		files := j.PerRank
		var list []byte
		if len(files) > 0 {
			list = files[0].Opaque[metadataKey]
			files[0].Opaque = nil
		}
		f.Add(wire.Encode(j), wire.Encode(p), list)
	}
	dir := f.TempDir()
	store, err := checkpoint.Open(dir, checkpoint.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { store.Close() })
	j, _ := sampleJob("/heat")
	if _, err := store.Save(j, make(checkpoint.Memory, 1<<25), nil); err != nil {
		f.Fatal(err)
	}
	g, err := store.Generation(1)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wire.Encode(j), []byte{0xa1}, []byte(nil))
	f.Fuzz(func(t *testing.T, data, whole, files []byte) {
		r := &Restart{Dir: dir, root: store.Root(), Generation: g, job: &checkpoint.Job{}}
		if wire.Decode(data, r.job) != nil {
			return
		}
		r.job.Opaque = map[string][]byte{metadataKey: whole}
		if len(r.job.PerRank) > 0 {
			r.job.PerRank[0].Opaque = map[string][]byte{metadataKey: files}
		}
		err := r.read()
		if err == nil {
			err = r.validate(uint64(os.Getpagesize()), nil)
		}
		if err == nil {
			goesOn(t, r)
		}
	})
}

// goesOn does with metadata what a restart does before there are workers.
func goesOn(t *testing.T, r *Restart) {
	var o Options
	r.Adopt(&o)
	if o.Ranks < 1 || o.Workers < 1 || o.Workers > o.Ranks {
		t.Fatalf("%d ranks, %d workers", o.Ranks, o.Workers)
	}
	v := r.rollbackTarget()
	newOutputLog(o.Ranks, v.written)
	for _, pe := range r.places(r.job.PEs) {
		if pe < 0 || int(pe) >= r.job.PEs {
			t.Fatalf("PE %d", pe)
		}
	}
	for _, e := range v.exits() {
		_ = v.files[e.Rank]
	}
	for i := range v.files {
		for _, f := range v.files[i] {
			if f.Content != 0 && (f.Content < uint64(r.slice(i).Lo) || f.Content+uint64(f.Size) > uint64(r.slice(i).Hi)) {
				t.Fatalf("%+v", f)
			}
		}
	}
	if r.was.Layout.Slices != o.Ranks || len(v.files) != o.Ranks {
		t.Fatal(r.was.Layout, len(v.files))
	}
	_ = r.named([]checkpoint.Image{{}})
	for _, path := range r.programFiles() {
		r.copies.names = map[string]string{path: "/proc/self/exe"}
		if _, err := r.identify(path); err != nil {
			t.Fatal(err)
		}
	}
}
