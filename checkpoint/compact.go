package checkpoint

import (
	"cmp"
	"slices"
)

// A page that is still wanted is rewritten when its pack is not worth keeping. Before a Save the packs of the newest
// generation are looked through:
//
//   - of those with less than half of their pages in use, the emptiest are given up, until the pages that this costs to
//     write again are an eighth of all in use; one is always given up;
//   - if more than maxPacks are left, the smallest are, down to half of that number.
//
// So a generation needs at most about twice the space of its pages, and no Save pays much for it.
const (
	rewriteShare = 8
	maxPacks     = 128
)

// choose marks the packs whose pages need not be written again.
func (p *pool) choose() {
	var packs []*kept
	total := uint64(0)
	for _, k := range p.packs {
		if k != nil {
			k.usable = true
			packs = append(packs, k)
			total += k.Live
		}
	}
	slices.SortFunc(packs, func(a, b *kept) int { return cmp.Compare(a.Live*b.Pages, b.Live*a.Pages) })
	cost := uint64(0)
	for i, k := range packs {
		if cost += k.Live; k.Live*2 >= k.Pages || i > 0 && cost > total/rewriteShare {
			packs = packs[i:]
			break
		}
		k.usable = false
	}
	if len(packs) <= maxPacks {
		return
	}
	slices.SortFunc(packs, func(a, b *kept) int { return cmp.Compare(a.Live, b.Live) })
	for _, k := range packs[:len(packs)-maxPacks/2] {
		k.usable = false
	}
}
