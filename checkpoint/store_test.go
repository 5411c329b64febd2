package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ampirun/internal/safefile"
	"ampirun/internal/wire"
)

const page = 4096

func testJob() *Job {
	return &Job{Version: "1", Program: "./heat", Args: []string{"-n", "3\xff"}, Env: []string{"A=b\xe4"}, Ranks: 2, PEs: 2, PageSize: page, SliceSize: 1 << 30,
		Images: []Image{}, Opaque: map[string][]byte{"clock": {1, 2}},
		PerRank: []Rank{
			{PE: 1, Stdout: 17, Files: []File{{Number: 64, Path: "/tmp/x\xff", Offset: 5, Size: 9, Append: true, Kind: "file"}}, Opaque: map[string][]byte{}},
			{Files: []File{}, Opaque: map[string][]byte{}},
		}}
}

func random(seed uint64, pages int) Memory {
	m := make(Memory, pages*page)
	src := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)})
	_, _ = src.Read(m)
	return m
}

func open(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// quick is a disk without care for power failures, for tests of what is in the files.
type quick struct{ realDisk }

type quickOutput struct{ *os.File }

func (quickOutput) Sync() error { return nil }

func (quick) SyncDir(*safefile.Dir) error { return nil }

func (quick) Create(in *safefile.Dir, name string, program bool) (output, error) {
	f, err := in.Create(name, 0, program)
	return quickOutput{f}, err
}

// openQuick is open with a disk that is quick.
func openQuick(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s := open(t, dir, o)
	s.disk = quick{}
	return s
}

func save(t testing.TB, s *Store, m io.ReaderAt, extents ...Extent) *Report {
	t.Helper()
	r, err := s.Save(testJob(), m, extents)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) > 0 {
		t.Fatal(r.Warnings)
	}
	if c := r.Counts; c.Zero+c.Same+c.Kept+c.Written != c.Pages {
		t.Fatalf("the counts do not add up: %+v", c)
	}
	return r
}

func whole(m Memory) Extent { return Extent{0, uint64(len(m))} }

// holds fails unless a generation is good and has this memory.
func holds(t testing.TB, g *Generation, want Memory, only ...Extent) {
	t.Helper()
	got := make(Memory, len(want))
	if err := g.Restore(got, only...); err != nil {
		t.Fatal(err)
	}
	if i := differ(got, want); i >= 0 {
		t.Fatalf("checkpoint %d: byte %#x of page %d is wrong", g.Number, i%page, i/page)
	}
	if err := g.Verify(); err != nil {
		t.Fatal(err)
	}
}

func differ(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

func latest(t testing.TB, s *Store) *Generation {
	t.Helper()
	g, err := s.Latest()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestWhatIsSavedComesBack(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	if _, err := s.Latest(); !errors.Is(err, ErrNone) {
		t.Fatal(err)
	}
	m := random(1, 1000)
	clear(m[10*page : 20*page])
	copy(m[700*page:710*page], m[0:10*page])
	extents := []Extent{{0, 500 * page}, {500 * page, 100 * page}, {601 * page, 399 * page}}
	if c := save(t, s, m, extents...).Counts; c.Zero != 10 || c.Same != 10 || c.Written != 979 || c.Kept != 0 {
		t.Fatalf("%+v", c)
	}
	clear(m[600*page : 601*page])
	g := latest(t, s)
	holds(t, g, m)
	if len(g.Extents) != 2 {
		t.Fatal("extents that touch are not joined: ", g.Extents)
	}
	job, err := g.Job()
	if err != nil || !reflect.DeepEqual(job, testJob()) {
		t.Fatalf("%+v, %v", job, err)
	}
}

// TestPartsOfTheMemory restores extents alone; they need not be those of the checkpoint.
func TestPartsOfTheMemory(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	m := random(2, 3000)
	save(t, s, m, whole(m))
	for range 50 {
		var only []Extent
		want := make(Memory, len(m))
		for at := rand.IntN(100); at < 3000; {
			n := min(1+rand.IntN(200), 3000-at)
			only = append(only, Extent{uint64(at * page), uint64(n * page)})
			copy(want[at*page:(at+n)*page], m[at*page:])
			at += n + rand.IntN(100)
		}
		rand.Shuffle(len(only), func(i, j int) { only[i], only[j] = only[j], only[i] })
		holds(t, latest(t, s), want, only...)
	}
	if err := latest(t, s).Restore(m, Extent{0, 100}); err == nil {
		t.Error("a part of a page was restored")
	}
}

// reader hides that memory can be read in place.
type reader struct{ io.ReaderAt }

func TestMemoryThatMustBeCopied(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	m := random(3, 700)
	save(t, s, reader{m}, whole(m))
	holds(t, latest(t, s), m)
	_, err := s.Save(testJob(), reader{m}, []Extent{{0, 701 * page}})
	if err == nil || !strings.Contains(err.Error(), "the memory ends at 0x2bc000, in an extent") {
		t.Fatal(err)
	}
	save(t, s, m, whole(m))
}

func TestEmptyMemory(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	save(t, s, Memory{})
	holds(t, latest(t, s), nil)
	m := make(Memory, 5*page)
	save(t, s, m, whole(m))
	holds(t, latest(t, s), m)
}

// TestManyGenerations changes memory step by step, with the store opened anew at times, and checks that what is kept is right and
// that neither space nor the number of packs grows.
func TestManyGenerations(t *testing.T) {
	for _, c := range []Compression{CompressAuto, CompressAlways, CompressNever} {
		dir := t.TempDir()
		s := openQuick(t, dir, Options{Keep: 3, Compression: c})
		m := random(4, 2000)
		for i := range len(m) / 2 {
			m[i] &= 0x11
		}
		var past []Memory
		for step := range 30 {
			for range rand.IntN(300) {
				p := rand.IntN(2000)
				switch rand.IntN(4) {
				case 0:
					clear(m[p*page : (p+1)*page])
				case 1:
					copy(m[p*page:(p+1)*page], m[rand.IntN(2000)*page:])
				default:
					m[p*page+rand.IntN(page)]++
				}
			}
			if step%7 == 6 {
				s.Close()
				s = openQuick(t, dir, Options{Keep: 3, Compression: c})
			}
			save(t, s, m, whole(m))
			past = append(past, bytes.Clone(m))
			g := latest(t, s)
			holds(t, g, m)
			if size := g.Counts.Bytes + g.Counts.Shared; c == CompressNever && size > 5*uint64(len(m))/2 {
				t.Errorf("step %d: %d bytes for %d", step, size, len(m))
			}
		}
		numbers, err := s.Numbers()
		if err != nil || len(numbers) != 3 {
			t.Fatal(numbers, err)
		}
		for i, n := range numbers {
			g, err := s.Generation(n)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, g, past[len(past)-3+i])
		}
	}
}

// TestRemoval takes away any generation; the others stay whole.
func TestRemoval(t *testing.T) {
	s := open(t, t.TempDir(), Options{Keep: 5})
	m := random(5, 300)
	var past []Memory
	for range 5 {
		save(t, s, m, whole(m))
		past = append(past, bytes.Clone(m))
		touch(m, 0.1)
	}
	for _, n := range []uint64{1, 5, 3} {
		if err := s.Remove(n); err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(n); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("there is no checkpoint %d", n)) {
			t.Fatal(err)
		}
	}
	for _, n := range []uint64{2, 4} {
		g, err := s.Generation(n)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, g, past[n-1])
	}
	if r := save(t, s, m, whole(m)); r.Generation != 6 {
		t.Errorf("the number of a removed checkpoint came back: %d", r.Generation)
	}
	holds(t, latest(t, s), m)
}

// TestKeepsGood: a damaged generation does not push out a good one, and nothing is shared with it.
func TestKeepsGood(t *testing.T) {
	s := openQuick(t, t.TempDir(), Options{Keep: 2})
	m := random(6, 300)
	saves := func(want ...uint64) *Report {
		t.Helper()
		touch(m, 0.1)
		r := save(t, s, m, whole(m))
		if numbers, err := s.Numbers(); err != nil || !slices.Equal(numbers, want) {
			t.Errorf("there are checkpoints %v, not %v (%v)", numbers, want, err)
		}
		return r
	}
	saves(1)
	saves(1, 2)
	if err := os.Truncate(s.root.Path(folderName(2)+"/"+manifestName), 50); err != nil {
		t.Fatal(err)
	}
	if _, err := s.JobOf(2); err == nil {
		t.Error("a manifest was read that is cut off")
	}
	s.chains[0] = chain{} // as after a restart
	touch(m, 0.1)
	if r, err := s.Save(testJob(), m, []Extent{whole(m)}); err != nil || len(r.Warnings) != 1 || len(r.Removed) != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	saves(3, 4)
	if r := saves(4, 5); r.Counts.Kept == 0 {
		t.Error("nothing is shared with a checkpoint that is not known to be damaged")
	}
	s.Distrust(5)
	if r := saves(4, 5, 6); r.Counts.Kept != 0 {
		t.Errorf("%d pages are shared with a checkpoint that is damaged", r.Counts.Kept)
	}
	pack, err := filepath.Glob(s.root.Path(folderName(6) + "/*" + packExt))
	if err != nil || len(pack) == 0 {
		t.Fatalf("checkpoint 6 has no packs (%v)", err)
	}
	if err := os.Truncate(pack[0], 50); err != nil {
		t.Fatal(err)
	}
	if job, err := s.JobOf(6); err != nil || job.Program != testJob().Program {
		t.Errorf("%+v, %v", job, err)
	}
	s.Distrust(6)
	saves(4, 5, 6, 7)
	saves(7, 8)
	holds(t, latest(t, s), m)
}

func TestTwoJobsCannotUseOneDirectory(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{Owner: "job 7 (./heat)"})
	_, err := Open(dir, Options{})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("by job 7 (./heat), process %d on ", os.Getpid())) {
		t.Fatal(err)
	}
	v, err := View(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Save(testJob(), Memory{}, nil); err == nil {
		t.Error("a store that is only viewed was written to")
	}
	s.Close()
	open(t, dir, Options{})
}

func TestWhatCannotBe(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	job := testJob()
	for want, extents := range map[string][]Extent{
		"extent 0x0 of 0x64 bytes":      {{0, 100}},
		"extent 0x1000 of 0x0 bytes":    {{page, 0}},
		"extent 0x0 of 0x1000 bytes":    {{0, page}, {0, page}},
		"extent 0xfffffffffffff000 of ": {{1<<64 - page, 2 * page}},
	} {
		if _, err := s.Save(job, random(1, 4), extents); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", extents, err)
		}
	}
	for _, size := range []int{0, 1, 5000, 1 << 20, -4096} {
		job.PageSize = size
		if _, err := s.Save(job, Memory{}, nil); err == nil {
			t.Errorf("pages of %d bytes", size)
		}
	}
	if _, err := Open(s.Dir(), Options{Keep: -1}); err == nil {
		t.Error("-1 generations are kept")
	}
}

// TestEmbeddedImages: the copies are there after the files are gone, and are shared.
func TestEmbeddedImages(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("not ELF"), 0o600); err != nil {
		t.Fatal(err)
	}
	job := testJob()
	for _, path := range []string{self, text} {
		image, err := Identify(path)
		if err != nil {
			t.Fatal(err)
		}
		job.Images = append(job.Images, image)
	}
	s := open(t, filepath.Join(dir, "ckpt"), Options{Embed: true})
	if _, err := s.Save(job, Memory{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := job.Images[1].Check(text); err == nil || !strings.Contains(err.Error(), text+" is not the file that the checkpoint was made with") {
		t.Error(err)
	}
	if _, err := s.Save(job, Memory{}, nil); err != nil {
		t.Fatal("the first copy is not shared: ", err)
	}
	g := latest(t, s)
	back, err := g.Job()
	if err != nil || !back.Images[1].Embedded || job.Images[1].Embedded {
		t.Fatal(back, err)
	}
	path := imagePath(t, g, &back.Images[1])
	if data, err := os.ReadFile(path); err != nil || string(data) != "not ELF" {
		t.Fatal(string(data), err)
	}
	if err := back.Images[0].Check(self); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("not EL!"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := g.Verify(); err == nil {
		t.Error("a changed image passes")
	}
}

// TestOldRanks: fields that are no more are passed over.
func TestOldRanks(t *testing.T) {
	old := wire.Encode(map[string]any{"pe": 3, "pinned": "it started threads", "luggage": []byte("bag"), "stdout": 17})
	var r Rank
	if err := wire.Decode(old, &r); err != nil || r.PE != 3 || r.Stdout != 17 {
		t.Error(r, err)
	}
}
