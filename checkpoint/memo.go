package checkpoint

import "slices"

// memo is what the last Save of a chain found, page by page in the order of its extents. Most pages are what they were, and
// to see that here costs less than to find them in a table.
type memo struct {
	extents []Extent
	first   []int // for each extent which page of all its first one is
	hashes  []Hash
	places  []place
}

func newMemo(extents []Extent, page uint64, hashes []Hash, places []place) memo {
	m := memo{extents: extents, hashes: hashes, places: places}
	n := 0
	for _, e := range extents {
		m.first = append(m.first, n)
		n += int(e.Length / page)
	}
	return m
}

// part gives hashes and places of an extent's pages; nothing unless it was whole in one extent.
func (m *memo) part(e Extent, page uint64) ([]Hash, []place) {
	i, _ := slices.BinarySearchFunc(m.extents, e.Offset, func(x Extent, at uint64) int {
		if x.End() <= at {
			return -1
		}
		return 1
	})
	if i == len(m.extents) || m.extents[i].Offset > e.Offset || m.extents[i].End() < e.End() {
		return nil, nil
	}
	begin := m.first[i] + int((e.Offset-m.extents[i].Offset)/page)
	end := begin + int(e.Length/page)
	return m.hashes[begin:end], m.places[begin:end]
}
