package datatype

import "slices"

// Program is a type's loops as the C core runs them: Steps[0] is the whole type. Table holds displacements of blocks.
type Program struct {
	Steps []Step
	Table []int64
}

// Step is a Loop in the form of struct vr_loop: with Block 0 its body is Children steps from index Child on, else Children
// blocks of Table from index Child on: displacements of blocks of Block bytes each or, when Block is BlocksDiffer, pairs of
// displacement and end.
type Step struct {
	Disp, Count, Stride, Bytes int64
	At                         int64 // where its data begins in that of one repetition of the step around it
	Child, Children            uint32
	Block                      uint32
}

// BlocksDiffer is VR_BLOCKS_DIFFER.
const BlocksDiffer = 1<<32 - 1

// shallow is the number of pieces up to which a body becomes a table of them: SHALLOW_BLOCKS of vrank/p2p/type.c.
const shallow = 32

// Program lays the type's loops out for the C core.
func (l *Layout) Program() Program {
	if len(l.Loops) == 0 {
		return Program{Steps: []Step{{}}}
	}
	whole := Loop{Count: 1, Bytes: l.Size, Body: l.Loops}
	if len(l.Loops) == 1 && (l.Loops[0].isLeaf() || !fewPieces(l.Loops)) {
		whole = l.Loops[0]
	}
	if len(l.Loops) == 1 && l.Loops[0].Count > 1 && l.Loops[0].Count*l.Loops[0].Stride == l.Extent() {
		whole = l.Loops[0] // elements go on as its repetitions do
	}
	p := planner{bodies: map[*Loop]uint32{}, tables: map[*Piece]uint32{}}
	p.Steps = append(p.Steps, p.step(whole, 0))
	for i := 0; i < len(p.queue); i++ {
		p.expand(p.queue[i])
	}
	return p.Program
}

// planner lays loops out level by level, so that bodies are contiguous. Types share bodies, and so do their programs.
type planner struct {
	Program
	queue  []pending
	bodies map[*Loop]uint32
	tables map[*Piece]uint32
}

// pending is a body whose steps have their places, but no contents yet.
type pending struct {
	body []Loop
	at   uint32
}

func (p *planner) step(l Loop, at int64) Step {
	s := Step{Disp: l.Disp, Count: l.Count, Stride: l.Stride, Bytes: l.Bytes, At: at}
	switch {
	case l.Table != nil:
		s.Child, s.Children, s.Block = p.table(l.Table), uint32(len(l.Table)), blockSize(l.Table)
	case l.Body != nil && fewPieces(l.Body):
		pieces := appendPieces(nil, l.Body, 0)
		s.Child, s.Children, s.Block = p.table(pieces), uint32(len(pieces)), blockSize(pieces)
	case l.Body != nil:
		s.Child, s.Children = p.body(l.Body), uint32(len(l.Body))
	}
	return s
}

func (p *planner) body(body []Loop) uint32 {
	at, known := p.bodies[&body[0]]
	if !known {
		at = uint32(len(p.Steps) + 1)
		if n := len(p.queue); n > 0 {
			last := p.queue[n-1]
			at = last.at + uint32(len(last.body))
		}
		p.bodies[&body[0]] = at
		p.queue = append(p.queue, pending{body, at})
	}
	return at
}

func (p *planner) expand(q pending) {
	var at int64
	for i := range q.body {
		p.Steps = append(p.Steps, p.step(q.body[i], at))
		at += q.body[i].Count * q.body[i].Bytes
	}
}

func (p *planner) table(pieces []Piece) uint32 {
	at, known := p.tables[&pieces[0]]
	if known {
		return at
	}
	at = uint32(len(p.Table))
	p.tables[&pieces[0]] = at
	if blockSize(pieces) != BlocksDiffer {
		p.Table = slices.Grow(p.Table, len(pieces))
		for i := range pieces {
			p.Table = append(p.Table, pieces[i].Disp)
		}
		return at
	}
	p.Table = slices.Grow(p.Table, 2*len(pieces))
	for i := range pieces {
		p.Table = append(p.Table, pieces[i].Disp, pieces[i].End)
	}
	return at
}

// blockSize is the size that all pieces have, or BlocksDiffer.
func blockSize(pieces []Piece) uint32 {
	size := pieces[0].End
	if size >= BlocksDiffer {
		return BlocksDiffer
	}
	for i := range pieces {
		if pieces[i].End != int64(i+1)*size {
			return BlocksDiffer
		}
	}
	return uint32(size)
}

// ---- pieces ----

func fewPieces(list []Loop) bool { return countPieces(list, shallow+1) <= shallow }

// countPieces counts the pieces of one repetition, up to most.
func countPieces(list []Loop, most int64) (n int64) {
	for i := range list {
		one := int64(1)
		switch l := &list[i]; {
		case l.Table != nil:
			one = int64(len(l.Table))
		case l.Body != nil:
			one = countPieces(l.Body, most)
		}
		if n += min(one*min(list[i].Count, most), most); n >= most {
			return most
		}
	}
	return n
}

// appendPieces writes out what loops at disp cover.
func appendPieces(pieces []Piece, list []Loop, disp int64) []Piece {
	for _, l := range list {
		for i := range l.Count {
			at := disp + l.Disp + i*l.Stride
			switch {
			case l.Table != nil:
				begin := int64(0)
				for _, p := range l.Table {
					pieces = appendPiece(pieces, at+p.Disp, p.End-begin)
					begin = p.End
				}
			case l.Body != nil:
				pieces = appendPieces(pieces, l.Body, at)
			default:
				pieces = appendPiece(pieces, at, l.Bytes)
			}
		}
	}
	return pieces
}

func appendPiece(pieces []Piece, disp, bytes int64) []Piece {
	var end, begin int64
	n := len(pieces)
	if n > 1 {
		begin = pieces[n-2].End
	}
	if n > 0 {
		end = pieces[n-1].End
		if pieces[n-1].Disp+end-begin == disp {
			pieces[n-1].End += bytes
			return pieces
		}
	}
	return append(pieces, Piece{disp, end + bytes})
}
