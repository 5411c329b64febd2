package checkpoint

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ampirun/internal/safefile"
)

// sample is a small checkpoint with all there is: both kinds of blocks, several packs, one of an older generation.
func sample(f *testing.F) (*Generation, Memory) {
	f.Helper()
	s := openQuick(f, f.TempDir(), Options{})
	m := random(1, 200)
	for i := range m[:100*page] {
		m[i] &= 1
	}
	save(f, s, m, whole(m))
	copy(m[20*page:], random(2, 3))
	clear(m[7*page : 9*page])
	save(f, s, m, Extent{0, 150 * page}, Extent{160 * page, 40 * page})
	clear(m[150*page : 160*page])
	return latest(f, s), m
}

func readAll(f *testing.F, g *Generation) map[string][]byte {
	f.Helper()
	files := map[string][]byte{}
	paths, err := filepath.Glob(g.folder.Path("*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			f.Fatal(err)
		}
	}
	return files
}

// sparing fails if a function takes much more memory than there are bytes to read.
func sparing(t *testing.T, size int, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20+uint64(size)*1000 {
		t.Errorf("%d bytes made the reader take %d", size, took)
	}
}

// FuzzManifest reads manifests with a right checksum. What passes is consistent, and stays what it is when written again.
func FuzzManifest(f *testing.F) {
	g, _ := sample(f)
	data, root := readAll(f, g)[manifestName], g.folder
	f.Add(data[manifestHead : len(data)-hashSize])
	f.Fuzz(func(t *testing.T, content []byte) {
		head := append([]byte(manifestMagic), Version, 0, 0, 0, 0, 0, 0, 0)
		file := append(binary.LittleEndian.AppendUint64(head, uint64(len(content))), content...)
		sum := hashOf(file)
		file = append(file, sum[:]...)
		sparing(t, len(file), func() {
			m, err := decodeManifest(file)
			if err != nil {
				return
			}
			_, _ = (&Generation{root, m}).Job()
			if _, err := decodeManifest(m.encode()); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// FuzzPack reads packs whose index has a right checksum: never more than is there, never a page that is not the one in the index.
func FuzzPack(f *testing.F) {
	g, _ := sample(f)
	for name, data := range readAll(f, g) {
		if name != manifestName {
			f.Add(data[32:]) // behind the fields of the head
		}
	}
	m := &manifest{PageSize: page, BlockPages: g.BlockPages}
	f.Fuzz(func(t *testing.T, rest []byte) {
		s := shape{page, m.BlockPages, 1, 0}
		file := append(s.head()[:32:32], rest...)
		ref, ok := sealed(file, m)
		if !ok {
			return
		}
		sparing(t, len(file), func() { readPack(t, file, m, ref) })
	})
}

// sealed puts the right checksum into a pack's trailer.
func sealed(file []byte, m *manifest) (*Pack, bool) {
	if len(file) < packHead+packTrailer {
		return nil, false
	}
	trailer := file[len(file)-packTrailer:]
	ref := &Pack{Size: uint64(len(file)), Pages: binary.LittleEndian.Uint64(trailer[8:])}
	tail := blocks(ref.Pages, m.BlockPages)*entrySize + ref.Pages*hashSize + packTrailer
	if ref.Pages > ref.Size/hashSize || tail > ref.Size-packHead {
		return nil, false
	}
	ref.Index = indexSum(file[:packHead], file[ref.Size-tail:len(file)-packTrailer+16])
	copy(trailer[16:], ref.Index[:])
	copy(trailer[32:], packEnd)
	return ref, true
}

func readPack(t *testing.T, file []byte, m *manifest, ref *Pack) {
	p, err := newPackReader(bytes.NewReader(file), "pack", m, ref)
	if err != nil {
		return
	}
	s := &scratch{}
	defer s.close()
	for b := range p.blocks {
		data, err := p.block(uint64(b), s)
		if err != nil {
			continue
		}
		if uint64(len(data)) != p.blockSize(uint64(b)) {
			t.Fatalf("block %d has %d bytes", b, len(data))
		}
		first := uint64(b) * p.blockPages
		right := true
		for i := range len(data) / page {
			right = right && hashOf(data[i*page:(i+1)*page]) == p.pages[first+uint64(i)]
		}
		if err := p.checkPages(data, first); (err == nil) != right {
			t.Fatal(err)
		}
	}
}

// FuzzDamage changes one file of a good checkpoint: cuts it and writes over a part. What is restored is right, or there is an error.
func FuzzDamage(f *testing.F) {
	g, m := sample(f)
	files := readAll(f, g)
	var names []string
	for name := range files {
		names = append(names, name)
		f.Add(name, uint32(20), uint32(1<<30), []byte{1})
		f.Add(name, uint32(len(files[name])-20), uint32(1<<30), []byte{0xff, 2})
		f.Add(name, uint32(0), uint32(100), []byte{})
	}
	f.Fuzz(func(t *testing.T, name string, at, cut uint32, over []byte) {
		good := files[name]
		if good == nil || int64(at)+int64(len(over)) > int64(len(good)) {
			return
		}
		bad := bytes.Clone(good)
		copy(bad[at:], over)
		bad = bad[:min(int(cut), len(bad))]
		if bytes.Equal(bad, good) {
			return
		}
		folder := t.TempDir()
		for _, other := range names {
			data := files[other]
			if other == name {
				data = bad
			}
			if err := os.WriteFile(filepath.Join(folder, other), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := make(Memory, len(m))
		in, err := safefile.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		broken, err := openGeneration(in, g.Number)
		if err == nil {
			err = broken.Restore(got)
		}
		if err == nil && !bytes.Equal(got, m) {
			t.Fatal("a wrong page was accepted")
		}
		if broken != nil && broken.Verify() == nil {
			t.Fatal("the change was not seen")
		}
	})
}
