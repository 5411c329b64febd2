package datatype_test

import (
	"fmt"
	"math/rand"
	"slices"

	. "ampirun/ampi/datatype"
	"ampirun/ampi/mpi"
)

// entry is one element of a type map as the standard writes it: a basic type, or an explicit bound, at a displacement.
type entry struct {
	basic uint64 // 0 for the bounds
	upper bool   // a bound: the upper one
	pad   bool   // the end of a struct's padding: an upper bound that explicit ones override
	disp  int64
}

// model is a datatype as the plain list of MPI 5.0 section 5.1, built by the constructors' definitions word by word.
type model []entry

var entrySizes = map[uint64]int64{
	mpi.TypeChar: 1, mpi.TypeShort: 2, mpi.TypeInt: 4, mpi.TypeDouble: 8, mpi.TypeLongDouble: 16, mpi.TypeCDoubleComplex: 16,
}

func entryAlign(basic uint64) int64 {
	if basic == mpi.TypeCDoubleComplex {
		return 8
	}
	return entrySizes[basic]
}

func (m model) size() (n int64) {
	for _, e := range m {
		n += entrySizes[e.basic]
	}
	return n
}

// bounds gives lower bound and extent; true ones when explicit bounds are not to count.
func (m model) bounds(explicit bool) (lb, extent int64) {
	var lows, highs, pads, marksLow, marksHigh []int64
	for _, e := range m {
		switch {
		case e.basic != 0:
			lows, highs = append(lows, e.disp), append(highs, e.disp+entrySizes[e.basic])
		case e.pad:
			pads = append(pads, e.disp)
		case e.upper:
			marksHigh = append(marksHigh, e.disp)
		default:
			marksLow = append(marksLow, e.disp)
		}
	}
	if explicit && len(marksLow) > 0 {
		lb = slices.Min(marksLow)
		return lb, slices.Max(marksHigh) - lb
	}
	if len(lows) == 0 {
		return 0, 0
	}
	if explicit {
		highs = append(highs, pads...)
	}
	lb = slices.Min(lows)
	return lb, slices.Max(highs) - lb
}

// padded is a struct's type map: its extent is a multiple of the largest alignment, unless its bounds are explicit.
func (m model) padded() model {
	align := int64(1)
	for _, e := range m {
		if e.basic != 0 {
			align = max(align, entryAlign(e.basic))
		} else if !e.pad {
			return m
		}
	}
	if m.size() == 0 {
		return m
	}
	lb, extent := m.bounds(true)
	for extent%align != 0 {
		extent++
	}
	return append(m, entry{pad: true, disp: lb + extent})
}

func (m model) at(disp int64) model {
	out := slices.Clone(m)
	for i := range out {
		out[i].disp += disp
	}
	return out
}

func (m model) withoutBounds() model {
	return slices.DeleteFunc(slices.Clone(m), func(e entry) bool { return e.basic == 0 })
}

func (m model) withBounds(lo, hi int64) model {
	return append(m.withoutBounds(), entry{disp: lo}, entry{disp: hi, upper: true})
}

func (m model) extent() int64 {
	_, x := m.bounds(true)
	return x
}

// blocks puts lengths[i] elements at displs[i] bytes.
func (m model) blocks(lengths, displs []int64) (out model) {
	for i := range lengths {
		for k := range lengths[i] {
			out = append(out, m.at(displs[i]+k*m.extent())...)
		}
	}
	return out
}

// pick takes the elements of an array with the given sizes whose index vectors `in` accepts, in the array's order.
func (m model) pick(sizes []int64, order int64, in func(index []int64) bool) model {
	index := make([]int64, len(sizes))
	data := m.withoutBounds()
	var out model
	total := int64(1)
	for _, s := range sizes {
		total *= s
	}
	for n := range total {
		rest := n
		for i := range sizes {
			d := i
			if order == mpi.OrderC {
				d = len(sizes) - 1 - i
			}
			index[d] = rest % sizes[d]
			rest /= sizes[d]
		}
		if in(index) {
			out = append(out, data.at(n*m.extent())...)
		}
	}
	return out.withBounds(0, total*m.extent())
}

// pack lists the offsets of all bytes of count elements in their order.
func (m model) pack(count int64) (offsets []int64) {
	x := m.extent()
	for i := range count {
		for _, e := range m {
			for b := range entrySizes[e.basic] {
				offsets = append(offsets, i*x+e.disp+b)
			}
		}
	}
	return offsets
}

// maker makes random nested types both ways.
type maker struct {
	*rand.Rand
	text string // how the type was made
}

func (r *maker) some(n int, lo, hi int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = lo + r.Int63n(hi-lo+1)
	}
	return out
}

func (r *maker) basic() (model, *Layout) {
	list := []uint64{mpi.TypeChar, mpi.TypeShort, mpi.TypeInt, mpi.TypeDouble, mpi.TypeLongDouble, mpi.TypeCDoubleComplex}
	h := list[r.Intn(len(list))]
	r.text += PredefinedName(h)
	return model{{basic: h}}, Predefined(h)
}

func must(l *Layout, err error) *Layout {
	if err != nil {
		panic(err)
	}
	return l
}

func list(s []int64) func(int64) int64 { return func(i int64) int64 { return s[i] } }

func (r *maker) make(depth int) (model, *Layout) {
	if depth == 0 {
		return r.basic()
	}
	kind := r.Intn(9)
	if kind == 4 {
		return r.makeStruct(depth)
	}
	r.text += "("
	m, l := r.make(depth - 1)
	r.text += ")"
	switch kind {
	case 0:
		n := r.Int63n(5)
		r.text += fmt.Sprintf("contiguous %d", n)
		return m.blocks([]int64{n}, []int64{0}), must(Contiguous(n, l))
	case 1:
		return r.makeVector(m, l)
	case 2, 3:
		return r.makeIndexed(m, l)
	case 5:
		lb, x := r.Int63n(41)-20, r.Int63n(60)-10
		r.text += fmt.Sprintf("resized %d %d", lb, x)
		return m.withBounds(lb, lb+x), must(Resized(l, lb, x))
	case 6, 7:
		return r.makeSubarray(m, l)
	}
	return r.makeDarray(m, l)
}

func (r *maker) makeVector(m model, l *Layout) (model, *Layout) {
	n, b, s := r.Int63n(5), r.Int63n(4), r.Int63n(15)-7
	displs := make([]int64, n)
	lengths := make([]int64, n)
	step := s
	if r.Intn(2) == 0 {
		r.text += fmt.Sprintf("vector %d %d %d", n, b, s)
		step = s * m.extent()
		l = must(Vector(n, b, s, l))
	} else {
		r.text += fmt.Sprintf("hvector %d %d %d", n, b, s)
		l = must(Hvector(n, b, s, l))
	}
	for i := range displs {
		displs[i], lengths[i] = int64(i)*step, b
	}
	return m.blocks(lengths, displs), l
}

func (r *maker) makeIndexed(m model, l *Layout) (model, *Layout) {
	n := r.Intn(6)
	lengths, displs := r.some(n, 0, 3), r.some(n, -12, 12)
	if r.Intn(2) == 0 { // regular ones are what gets joined
		step := r.Int63n(9) * m.extent() / 2
		for i := range displs {
			displs[i], lengths[i] = int64(i)*step, 1+int64(i%2)
		}
	}
	r.text += fmt.Sprintf("hindexed %d %d", lengths, displs)
	b := Blocks{Count: int64(n), Length: list(lengths), Disp: list(displs), Unit: 1}
	return m.blocks(lengths, displs), must(Indexed(b, l))
}

func (r *maker) makeStruct(depth int) (model, *Layout) {
	n := 1 + r.Intn(3)
	lengths, displs := r.some(n, 0, 2), r.some(n, -16, 40)
	var m model
	layouts := make([]*Layout, n)
	r.text += "struct{"
	for i := range n {
		part, l := r.make(depth - 1)
		m = append(m, part.blocks(lengths[i:i+1], displs[i:i+1])...)
		layouts[i] = l
		r.text += fmt.Sprintf(" *%d @%d; ", lengths[i], displs[i])
	}
	r.text += "}"
	return m.padded(), must(Struct(lengths, displs, layouts))
}

func (r *maker) order() int64 {
	if r.Intn(2) == 0 {
		return mpi.OrderC
	}
	return mpi.OrderFortran
}

func (r *maker) makeSubarray(m model, l *Layout) (model, *Layout) {
	n := 1 + r.Intn(3)
	sizes, subs, starts := r.some(n, 1, 4), make([]int64, n), make([]int64, n)
	for i := range sizes {
		subs[i] = 1 + r.Int63n(sizes[i])
		starts[i] = r.Int63n(sizes[i] - subs[i] + 1)
	}
	order := r.order()
	r.text += fmt.Sprintf("subarray %d %d %d order %d", sizes, subs, starts, order)
	in := func(index []int64) bool {
		for d, i := range index {
			if i < starts[d] || i >= starts[d]+subs[d] {
				return false
			}
		}
		return true
	}
	return m.pick(sizes, order, in), must(Subarray(sizes, subs, starts, order, l))
}

func (r *maker) makeDarray(m model, l *Layout) (model, *Layout) {
	n := 1 + r.Intn(2)
	d := Darray{Size: 1, Gsizes: r.some(n, 1, 6), Psizes: r.some(n, 1, 3), Order: r.order()}
	for i := range n {
		dist, arg := int64(mpi.DistributeCyclic), 1+r.Int63n(3)
		switch r.Intn(4) {
		case 0:
			dist, arg, d.Psizes[i] = mpi.DistributeNone, mpi.DistributeDfltDarg, 1
		case 1:
			dist, arg = mpi.DistributeBlock, mpi.DistributeDfltDarg
		case 2:
			arg = mpi.DistributeDfltDarg
		}
		d.Distribs, d.Dargs = append(d.Distribs, dist), append(d.Dargs, arg)
		d.Size *= d.Psizes[i]
	}
	d.Rank = r.Int63n(d.Size)
	r.text += fmt.Sprintf("darray %+v", d)
	return m.pick(d.Gsizes, d.Order, func(index []int64) bool { return owned(&d, index) }), must(d.Build(l))
}

func owned(d *Darray, index []int64) bool {
	rest := d.Rank
	for dim := len(index) - 1; dim >= 0; dim-- {
		if !owns(d, dim, index[dim], rest%d.Psizes[dim]) {
			return false
		}
		rest /= d.Psizes[dim]
	}
	return true
}

// owns says by the definitions of block and cyclic which indices are the process's.
func owns(d *Darray, dim int, index, coord int64) bool {
	block := d.Dargs[dim]
	if block == mpi.DistributeDfltDarg {
		block = 1
		if d.Distribs[dim] == mpi.DistributeBlock {
			block = (d.Gsizes[dim] + d.Psizes[dim] - 1) / d.Psizes[dim]
		}
	}
	return d.Distribs[dim] == mpi.DistributeNone || index/block%d.Psizes[dim] == coord
}
