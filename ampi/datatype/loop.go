// Package datatype builds MPI datatypes: what each constructor of MPI 5.0 section 5.1 makes of the types given to it, as
// bounds, a signature and few loops over contiguous pieces that the C core executes.
//
// Everything here is plain data without addresses, so it can be saved and sent with its rank.
package datatype

// Loop is one piece of a flattened type: at Disp bytes from what encloses it, Count times, Stride bytes apart, either Bytes
// contiguous bytes or, when Body is set, the loops of Body in order. The order is that of the type map: it is the order in
// which data is packed.
type Loop struct {
	Disp, Count, Stride int64
	Bytes               int64
	Body                []Loop
}

func (l *Loop) isPiece() bool { return l.Body == nil && l.Count == 1 }

// sameShape says whether two loops move the same bytes, relative to where each starts.
func (l *Loop) sameShape(m *Loop) bool {
	return l.Count == m.Count && (l.Stride == m.Stride || l.Count == 1) && sameBody(l, m)
}

func sameBody(l, m *Loop) bool {
	if l.Bytes != m.Bytes || len(l.Body) != len(m.Body) {
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

// repeatLoops is body n times, stride bytes apart; n > 0.
func repeatLoops(body []Loop, n, stride int64) []Loop {
	if n == 1 || len(body) == 0 {
		return body
	}
	if len(body) == 1 {
		return []Loop{repeatLoop(body[0], n, stride)}
	}
	return []Loop{{Count: n, Stride: stride, Body: body}}
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
		return Loop{Disp: disp, Count: n, Stride: stride, Body: []Loop{l}}
	}
	return l
}

// appendLoops puts the loops of more, shifted by disp, after those of list, and joins what can be one loop. It may change
// the last loop of list, never its Body.
func appendLoops(list, more []Loop, disp int64) []Loop {
	for _, l := range more {
		l.Disp += disp
		list = appendLoop(list, l)
	}
	return list
}

func appendLoop(list []Loop, l Loop) []Loop {
	list = append(list, l)
	for n := len(list); n > 1; n-- {
		joined, ok := join(list[n-2], list[n-1])
		if !ok {
			return list[:n]
		}
		list[n-2] = joined
	}
	return list[:1]
}

// join makes one loop of a and b, which follows it, when they are one piece, one run of equal steps, or the first two steps
// of such a run.
func join(a, b Loop) (Loop, bool) {
	if a.isPiece() && b.isPiece() && b.Disp == a.Disp+a.Bytes {
		a.Bytes += b.Bytes
		return a, true
	}
	if a.Count > 1 && b.Disp == a.Disp+a.Count*a.Stride && (b.Count == 1 || b.Stride == a.Stride) && sameBody(&a, &b) {
		a.Count += b.Count
		return a, true
	}
	if inner, ok := asStep(a, b); ok {
		a.Count++
		a.Body = inner
		return a, true
	}
	if a.sameShape(&b) {
		return repeatLoop(a, 2, b.Disp-a.Disp), true
	}
	return Loop{}, false
}

// asStep says whether b is the next step of a, a run of loops with the shape of b.
func asStep(a, b Loop) ([]Loop, bool) {
	if len(a.Body) != 1 || b.Disp != a.Disp+a.Count*a.Stride+a.Body[0].Disp || !a.Body[0].sameShape(&b) {
		return nil, false
	}
	return a.Body, true
}

// CountLoops is the number of loops in all bodies together.
func CountLoops(list []Loop) int {
	n := len(list)
	for i := range list {
		n += CountLoops(list[i].Body)
	}
	return n
}
