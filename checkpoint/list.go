package checkpoint

import (
	"io"
	"math/bits"

	"ampirun/internal/safefile"
)

// list fills the manifest's packs and table of pages, and puts links to the older packs into the folder.
func (v *saving) list() error {
	live := v.live()
	numbers := make([]uint64, len(live)) // in the manifest, by number in places
	for i, used := range live {
		ref, err := v.take(i, used)
		if err != nil {
			return err
		}
		if ref != nil {
			numbers[i] = uint64(len(v.Packs))
			v.Packs = append(v.Packs, *ref)
		}
	}
	c := v.packs.counts
	v.Counts.Zero, v.Counts.Same, v.Counts.Kept, v.Counts.Written = c.Zero, c.Same, c.Kept, c.Written
	v.tabulate(numbers)
	return nil
}

// live counts for each pack the pages in use.
func (v *saving) live() []uint64 {
	used := make([][]uint64, len(v.old.packs)+len(v.packs.list)) // a bit for each page
	for i := range used {
		used[i] = make([]uint64, (v.pagesIn(i)+63)/64)
	}
	for _, at := range v.places {
		if at != zeroPlace {
			used[at.pack()][at.slot()/64] |= 1 << (at.slot() % 64)
		}
	}
	live := make([]uint64, len(used))
	for i, words := range used {
		for _, w := range words {
			live[i] += uint64(bits.OnesCount64(w))
		}
	}
	return live
}

func (v *saving) pagesIn(pack int) uint64 {
	if pack >= len(v.old.packs) {
		return v.packs.list[pack-len(v.old.packs)].next()
	}
	if k := v.old.packs[pack]; k != nil {
		return k.Pages
	}
	return 0
}

// take makes a pack part of the generation; nil if it is not needed.
func (v *saving) take(number int, live uint64) (*Pack, error) {
	if number >= len(v.old.packs) {
		ref := v.packs.list[number-len(v.old.packs)].ref()
		ref.Live = live
		v.Counts.Bytes += ref.Size
		return &ref, nil
	}
	if live == 0 {
		return nil, nil
	}
	k := v.old.packs[number]
	ref := k.Pack
	ref.Live = live
	v.Counts.Shared += ref.Size
	from, err := v.store.folder(k.generation)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return &ref, linkOrCopy(v.store.disk, from, ref.Name, v.temp, false)
}

// linkOrCopy gives a file the same name in another folder, or copies it where the file system cannot do that.
func linkOrCopy(d disk, from *safefile.Dir, name string, to *safefile.Dir, program bool) error {
	if d.Link(from, name, to) == nil {
		return nil
	}
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return copyFile(d, in, to, name, program)
}

func copyFile(d disk, in io.Reader, to *safefile.Dir, name string, program bool) error {
	out, err := d.Create(to, name, program)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Sync()
	}
	if closing := out.Close(); err == nil {
		err = closing
	}
	return err
}

// tabulate writes the runs of pages.
func (v *saving) tabulate(numbers []uint64) {
	first, end := 0, uint64(0)
	for _, e := range v.Extents {
		page, count := e.Offset/v.PageSize, int(e.Length/v.PageSize)
		for i := 0; i < count; {
			at := v.places[first+i]
			n := sequence(v.places[first+i : first+count])
			if at != zeroPlace {
				r := run{page + uint64(i), uint64(n), numbers[at.pack()], at.slot()}
				v.manifest.Pages = appendRun(v.manifest.Pages, r, end)
				end = r.page + r.count
			}
			i += n
		}
		first += count
	}
}

// sequence is how many of the places follow each other.
func sequence(places []place) int {
	n := 1
	for n < len(places) && (places[n] == places[0]+place(n) && places[0] != zeroPlace || places[n] == zeroPlace && places[0] == zeroPlace) {
		n++
	}
	return n
}

// remember makes the generation that was written the last one of its chain.
func (v *saving) remember() {
	p, refs := v.old, map[string]*Pack{}
	for i := range v.Packs {
		refs[v.Packs[i].Name] = &v.Packs[i]
	}
	for i, k := range p.packs {
		if k == nil {
			continue
		}
		if ref := refs[k.Name]; ref != nil {
			p.packs[i] = &kept{Pack: *ref, generation: v.Number}
		} else {
			p.packs[i] = nil
			p.void += int(k.Pages)
		}
	}
	for _, w := range v.packs.list {
		p.packs = append(p.packs, &kept{Pack: *refs[w.name], generation: v.Number})
	}
	for _, m := range v.news.table {
		for h, at := range m {
			p.table.set(h, at)
		}
	}
	*v.chain = chain{pool: p, number: v.Number, page: v.PageSize, memo: newMemo(v.Extents, v.PageSize, v.hashes, v.places)}
	if numbers := p.renew(); numbers != nil {
		v.chain.memo.move(numbers)
	}
}
