package vrank

import "ampirun/isomalloc"

// without takes a range out of others.
func without(list []isomalloc.Range, out isomalloc.Range) (rest []isomalloc.Range) {
	for _, r := range list {
		if out.Hi <= r.Lo || r.Hi <= out.Lo {
			rest = append(rest, r)
			continue
		}
		if r.Lo < out.Lo {
			rest = append(rest, isomalloc.Range{Lo: r.Lo, Hi: out.Lo})
		}
		if out.Hi < r.Hi {
			rest = append(rest, isomalloc.Range{Lo: out.Hi, Hi: r.Hi})
		}
	}
	return rest
}

// eachPart cuts two lists of ranges, each ascending and apart, where one of both begins or ends, and visits what is in one or in both.
func eachPart(a, b []isomalloc.Range, visit func(part isomalloc.Range, inA, inB bool) error) error {
	const none = ^uintptr(0)
	for at := uintptr(0); ; {
		x, y := ahead(&a, at), ahead(&b, at)
		part := isomalloc.Range{Lo: min(x.Lo, y.Lo), Hi: none}
		if part.Lo == none {
			return nil
		}
		for _, bound := range []uintptr{x.Lo, x.Hi, y.Lo, y.Hi} {
			if bound > part.Lo {
				part.Hi = min(part.Hi, bound)
			}
		}
		if err := visit(part, x.Lo == part.Lo, y.Lo == part.Lo); err != nil {
			return err
		}
		at = part.Hi
	}
}

// ahead is what is left of a list's first range from an address on; the range at the end of all addresses when the list is done.
func ahead(list *[]isomalloc.Range, at uintptr) isomalloc.Range {
	for len(*list) > 0 && (*list)[0].Hi <= at {
		*list = (*list)[1:]
	}
	if len(*list) == 0 {
		return isomalloc.Range{Lo: ^uintptr(0), Hi: ^uintptr(0)}
	}
	r := (*list)[0]
	r.Lo = max(r.Lo, at)
	return r
}
