package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"ampirun/internal/safefile"
)

// Arrival is a generation that another store has made and that is copied into this one, file by file. It is not visible before Finish has
// made it so; Abandon gives it up. It is used by one goroutine, which uses the store for nothing else meanwhile.
type Arrival struct {
	*manifest
	store   *Store
	data    []byte // of the manifest
	temp    *safefile.Dir
	missing []StoredFile
	images  map[string]bool // names of files that are embedded
	got     uint64          // bytes of files that were missing
	isHere  bool            // the generation was here before, and is complete
}

// NotNewer is why a generation is not taken: there are others that would come after it or in its place.
type NotNewer struct{ Number, Newest uint64 }

func (n *NotNewer) Error() string {
	return fmt.Sprintf("checkpoint %d is not newer than what is there, which is checkpoint %d", n.Number, n.Newest)
}

// Arrive begins to take a generation, of which this is the manifest; the error may be a *NotNewer. Files that generations here have as well
// are linked, and trusted: they have been read when they came.
func (s *Store) Arrive(data []byte) (*Arrival, error) {
	m, err := decodeManifest(data)
	if err != nil {
		return nil, fmt.Errorf("the manifest that has come: %w", err)
	}
	if m.Number == 0 || m.Number > 1<<62 {
		return nil, fmt.Errorf("the manifest that has come: %d is no number of a checkpoint", m.Number)
	}
	all, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	numbers := s.owned(all)
	a := &Arrival{manifest: m, store: s, data: data, images: map[string]bool{}}
	wanted, err := a.files()
	if err != nil {
		return nil, fmt.Errorf("the manifest that has come: %w", err)
	}
	if err := a.begin(numbers, wanted); err != nil {
		a.Abandon()
		return nil, err
	}
	return a, nil
}

// begin makes the folder with what is here.
func (a *Arrival) begin(numbers []uint64, wanted []StoredFile) error {
	here := a.store.inventory(numbers)
	if a.isHere = bytes.Equal(here.manifests[a.Number], a.data); a.isHere {
		return nil
	}
	if n := len(numbers); n > 0 && numbers[n-1] >= a.Number {
		return &NotNewer{a.Number, numbers[n-1]}
	}
	var err error
	if a.temp, err = a.store.newFolder(a.Number); err != nil {
		return err
	}
	for i, f := range wanted {
		from := here.images[f]
		if i < len(a.Packs) {
			from = here.packs[identityOf(&a.Packs[i])]
		}
		if from == nil {
			a.missing = append(a.missing, f)
		} else if err := linkOrCopy(a.store.disk, from, f.Name, a.temp, a.images[f.Name]); err != nil {
			return err
		}
	}
	return nil
}

// files are those that the manifest names: packs, then embedded files.
func (a *Arrival) files() (files []StoredFile, err error) {
	names := map[string]bool{}
	for i := range a.Packs {
		p := &a.Packs[i]
		if names[p.Name] {
			return nil, fmt.Errorf("it has two packs called %q", p.Name)
		}
		names[p.Name] = true
		files = append(files, StoredFile{p.Name, p.Size})
	}
	job, err := (&Generation{a.store.root, a.manifest}).Job()
	if err != nil {
		return nil, err
	}
	for _, f := range job.embedded() {
		a.images[f.Name] = true
		files = append(files, f)
	}
	return files, nil
}

// embedded are the files that a generation has copies of, each once.
func (j *Job) embedded() (files []StoredFile) {
	for i := range j.Images {
		if f := (StoredFile{imageName(j.Images[i].Hash), uint64(j.Images[i].Size)}); j.Images[i].Embedded && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files
}

// identity is what tells that two packs are the same file.
type identity struct {
	name  string
	size  uint64
	index Hash
}

func identityOf(p *Pack) identity { return identity{p.Name, p.Size, p.Index} }

// inventory is what the generations of a store have, and in which folders.
type inventory struct {
	manifests map[uint64][]byte
	packs     map[identity]*safefile.Dir
	images    map[StoredFile]*safefile.Dir
}

// inventory passes by what it cannot read: those files are sent again.
func (s *Store) inventory(numbers []uint64) inventory {
	here := inventory{map[uint64][]byte{}, map[identity]*safefile.Dir{}, map[StoredFile]*safefile.Dir{}}
	for _, n := range numbers {
		g, err := s.Generation(n)
		if err != nil {
			continue
		}
		job, err := g.Job()
		data, unread := g.folder.ReadFile(manifestName)
		if err != nil || unread != nil {
			continue
		}
		here.manifests[n] = data
		for i := range g.Packs {
			here.packs[identityOf(&g.Packs[i])] = g.folder
		}
		for _, f := range job.embedded() {
			if checkSize(g.folder, f.Name, f.Size) == nil {
				here.images[f] = g.folder
			}
		}
	}
	return here
}

// Missing are the files that have to come; none if the whole generation is here.
func (a *Arrival) Missing() []StoredFile { return a.missing }

// Write makes a missing file of what is read, which has just its size, and waits until it is on the disk.
func (a *Arrival) Write(f StoredFile, from io.Reader) error {
	out, err := a.store.disk.Create(a.temp, f.Name, a.images[f.Name])
	if err != nil {
		return err
	}
	n, err := io.CopyBuffer(out, io.LimitReader(from, int64(f.Size)), make([]byte, writeBytes))
	if err == nil && uint64(n) != f.Size {
		err = wrongSize(a.temp.Path(f.Name), n, f.Size)
	}
	if err == nil {
		err = out.Sync()
	}
	err = errors.Join(err, out.Close())
	a.got += f.Size
	return err
}

// Finish reads what has come, compares the checksums, and makes the generation visible. Then those beyond Options.Keep are removed.
func (a *Arrival) Finish() (*Report, error) {
	r := &Report{Generation: a.Number, Counts: a.Counts}
	r.Bytes = a.got
	if a.isHere {
		return r, nil
	}
	if err := a.run(); err != nil {
		a.Abandon()
		return nil, fmt.Errorf("checkpoint %d: %w", a.Number, err)
	}
	a.temp.Close()
	numbers, err := a.store.Numbers()
	if err != nil {
		r.Warnings = append(r.Warnings, err.Error())
	}
	a.store.removeOld(a.store.owned(numbers), r)
	return r, nil
}

func (a *Arrival) run() error {
	if err := writeFile(a.store.disk, a.temp, manifestName, a.data); err != nil {
		return err
	}
	return a.store.publish(a.temp, a.Number, a.verify)
}

// verify reads what has come.
func (a *Arrival) verify() error {
	g, err := openGeneration(a.temp, a.Number)
	if err != nil {
		return err
	}
	return g.verify(func(name string) bool {
		return slices.ContainsFunc(a.missing, func(f StoredFile) bool { return f.Name == name })
	})
}

// Abandon removes what has come of a generation that is not complete.
func (a *Arrival) Abandon() {
	a.store.abandon(a.temp, a.Number)
	a.temp = nil
}
