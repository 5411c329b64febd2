package checkpoint

import "slices"

// memo is what the last Save of a chain found, page by page in the order of its extents. Most pages are what they were, and
// to see that here costs less than to find them in a table; those that are known not to have changed need not be read.
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

// move gives packs other numbers. All that the pages are in are still there.
func (m *memo) move(numbers []int) {
	for i, at := range m.places {
		if at != zeroPlace {
			m.places[i] = placeOf(numbers[at.pack()], at.slot())
		}
	}
}

// reminder finds pages in a memo, best in ascending order.
type reminder struct {
	*memo
	page uint64 // size
	near int    // extent in which the last page was
}

// recall gives the hash and the place that a page had.
func (r *reminder) recall(at uint64) (h Hash, was place, ok bool) {
	hashes, places := r.recallAll(at, 1)
	if places == nil {
		return h, 0, false
	}
	return hashes[0], places[0], true
}

// recallAll gives those of n pages that follow each other; nil unless they did so then.
func (r *reminder) recallAll(at uint64, n int) ([]Hash, []place) {
	if !r.has(at) {
		r.near, _ = slices.BinarySearchFunc(r.extents, at, func(e Extent, at uint64) int {
			if e.End() <= at {
				return -1
			}
			return 1
		})
	}
	if !r.has(at) || at+uint64(n)*r.page > r.extents[r.near].End() {
		return nil, nil
	}
	i := r.first[r.near] + int((at-r.extents[r.near].Offset)/r.page)
	return r.hashes[i : i+n], r.places[i : i+n]
}

// has tells whether a page is in the extent where the last one was.
func (r *reminder) has(at uint64) bool {
	return r.near < len(r.extents) && r.extents[r.near].Offset <= at && at < r.extents[r.near].End()
}
