// Package datatype builds MPI datatypes: what each constructor of MPI 5.0 section 5.1 makes of the types given to it, as
// bounds, a signature and few loops over contiguous pieces that the C core executes.
//
// Everything here is plain data without addresses, so it can be saved and sent with its rank.
package datatype

import "slices"

// Loop is one part of a flattened type: at Disp bytes from what encloses it, Count times, Stride bytes apart, either Bytes
// contiguous bytes or the loops of Body in order or the pieces of Table in order, which have Bytes bytes of data together.
// The order is that of the type map: it is the order in which data is packed.
type Loop struct {
	Disp, Count, Stride int64
	Bytes               int64
	Body                []Loop
	Table               []Piece
}

// Piece is a contiguous part at Disp bytes; its data ends at End in the packed data of the table.
type Piece struct{ Disp, End int64 }

// isLeaf says whether each repetition is contiguous bytes.
func (l *Loop) isLeaf() bool { return l.Body == nil && l.Table == nil }

func (l *Loop) isPiece() bool { return l.Count == 1 && l.isLeaf() }

// sameShape says whether two loops move the same bytes, relative to where each starts.
func (l *Loop) sameShape(m *Loop) bool {
	return l.Count == m.Count && (l.Stride == m.Stride || l.Count == 1) && sameBody(l, m)
}

func sameBody(l, m *Loop) bool {
	if l.Bytes != m.Bytes || len(l.Body) != len(m.Body) || !sameTable(l.Table, m.Table) {
		return false
	}
	if len(l.Body) > 0 && &l.Body[0] == &m.Body[0] {
		return true
	}
	for i := range l.Body {
		if l.Body[i].Disp != m.Body[i].Disp || !l.Body[i].sameShape(&m.Body[i]) {
			return false
		}
	}
	return true
}

func sameTable(a, b []Piece) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

func loopsBytes(list []Loop) (n int64) {
	for i := range list {
		n += list[i].Count * list[i].Bytes
	}
	return n
}

// repeatLoops is body n times, stride bytes apart; n > 0.
func repeatLoops(body []Loop, n, stride int64) []Loop {
	if n == 1 || len(body) == 0 {
		return body
	}
	if len(body) == 1 {
		return []Loop{repeatLoop(body[0], n, stride)}
	}
	return []Loop{{Count: n, Stride: stride, Bytes: loopsBytes(body), Body: body}}
}

func repeatLoop(l Loop, n, stride int64) Loop {
	switch {
	case l.isPiece() && stride == l.Bytes:
		l.Bytes *= n
	case l.Count == 1:
		l.Count, l.Stride = n, stride
	case stride == l.Count*l.Stride:
		l.Count *= n
	default:
		disp := l.Disp
		l.Disp = 0
		return Loop{Disp: disp, Count: n, Stride: stride, Bytes: l.Count * l.Bytes, Body: []Loop{l}}
	}
	return l
}

// shareFrom is the number of loops from which a type in another one keeps its list, which they then share: types that
// contain one another several times would grow without bound.
const shareFrom = 16

// appendLoops puts the loops of more, shifted by disp, after those of list, and joins what can be one loop. It may change
// the last loop of list, never its Body.
func appendLoops(list, more []Loop, disp int64) []Loop {
	if len(more) >= shareFrom {
		return appendLoop(list, Loop{Disp: disp, Count: 1, Bytes: loopsBytes(more), Body: more})
	}
	for _, l := range more {
		l.Disp += disp
		list = appendLoop(list, l)
	}
	return list
}

func appendLoop(list []Loop, l Loop) []Loop {
	list = append(list, l)
	for n := len(list); n > 1; n-- {
		joined, ok := join(&list[n-2], &list[n-1])
		if !ok {
			return list[:n]
		}
		list[n-2] = joined
	}
	return list[:1]
}

// join makes one loop of a and b, which follows it, when they are one piece, one run of equal steps, or the first two steps
// of such a run.
func join(a, b *Loop) (Loop, bool) {
	joined := *a
	switch {
	case a.isPiece() && b.isPiece() && b.Disp == a.Disp+a.Bytes:
		joined.Bytes += b.Bytes
	case a.Count > 1 && b.Disp == a.Disp+a.Count*a.Stride && (b.Count == 1 || b.Stride == a.Stride) && sameBody(a, b):
		joined.Count += b.Count
	case isStep(a, b):
		joined.Count++
	case a.sameShape(b):
		joined = repeatLoop(joined, 2, b.Disp-a.Disp)
	default:
		return Loop{}, false
	}
	return joined, true
}

// isStep says whether b is the next step of a, a run of loops with the shape of b.
func isStep(a, b *Loop) bool {
	return len(a.Body) == 1 && b.Disp == a.Disp+a.Count*a.Stride+a.Body[0].Disp && a.Body[0].sameShape(b)
}

// scattered is the number of pieces up to which a loop beside others is no loop worth to keep.
const scattered = 8

// tabulate makes tables of the loops that only cover a few pieces: of those that follow no rule.
func tabulate(list []Loop) []Loop {
	out := list[:0]
	for i := 0; i < len(list); {
		n := i
		for n < len(list) && countPieces(list[n:n+1], scattered+1) <= scattered {
			n++
		}
		if n-i < 2 {
			out = append(out, list[i])
			i++
			continue
		}
		out = append(out, tableOf(list[i:n]))
		i = n
	}
	return out
}

func tableOf(list []Loop) Loop {
	first := list[0].Disp
	pieces := appendPieces(make([]Piece, 0, len(list)), list, -first)
	return Loop{Disp: first, Count: 1, Bytes: pieces[len(pieces)-1].End, Table: pieces}
}

// CountLoops is the number of loops in all bodies together.
func CountLoops(list []Loop) int {
	n := len(list)
	for i := range list {
		n += CountLoops(list[i].Body)
	}
	return n
}
