package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// run says where pages of the region that follow each other are stored: in a pack, as pages that follow each other there.
// In the file a run is four unsigned varints: pages between the last run and this one, count, pack, slot.
type run struct {
	page  uint64 // number of the first: its offset divided by the size of pages
	count uint64
	pack  uint64 // place in the manifest's list
	slot  uint64 // number of the first page in the pack
}

// appendRun adds a run; end is where the run before it ended.
func appendRun(to []byte, r run, end uint64) []byte {
	for _, v := range []uint64{r.page - end, r.count, r.pack, r.slot} {
		to = binary.AppendUvarint(to, v)
	}
	return to
}

var errRuns = errors.New("its table of pages is not one")

// eachRun calls visit for the runs in a table, in the order of pages.
func eachRun(table []byte, visit func(run) error) error {
	end := uint64(0)
	for len(table) > 0 {
		var v [4]uint64
		for i := range v {
			n := 0
			if v[i], n = binary.Uvarint(table); n <= 0 {
				return errRuns
			}
			table = table[n:]
		}
		r := run{page: end + v[0], count: v[1], pack: v[2], slot: v[3]}
		if r.count == 0 || r.page < end || r.page+r.count < r.page || r.slot+r.count < r.slot {
			return errRuns
		}
		if err := visit(r); err != nil {
			return err
		}
		end = r.page + r.count
	}
	return nil
}

// checkRuns finds runs of pages outside of the extents, or of places that no pack has.
func checkRuns(m *manifest) error {
	left := m.Extents
	return eachRun(m.Pages, func(r run) error {
		if r.pack >= uint64(len(m.Packs)) || r.slot+r.count > m.Packs[r.pack].Pages {
			return fmt.Errorf("page %d is in no pack", r.page)
		}
		for len(left) > 0 && left[0].End()/m.PageSize <= r.page {
			left = left[1:]
		}
		if len(left) == 0 || r.page < left[0].Offset/m.PageSize || r.page+r.count > left[0].End()/m.PageSize {
			return fmt.Errorf("page %d is in no extent", r.page)
		}
		return nil
	})
}
