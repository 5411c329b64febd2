package ampi

import (
	"encoding/binary"
	"errors"
	"iter"
	"maps"

	"ampirun/ampi/datatype"
)

// packedState is what Go keeps of a rank on its way to another worker: numbers of variable length, one after the other. The same functions write
// and read it, so that both agree; a test compares what has travelled, with all its fields.
type packedState struct {
	data    []byte
	reading bool
	err     error
}

var (
	errTorn   = errors.New("it ends too early")
	errLonger = errors.New("it is longer than what it holds")
)

func (l *packedState) word(v *uint64) {
	if !l.reading {
		l.data = binary.AppendUvarint(l.data, *v)
		return
	}
	value, n := binary.Uvarint(l.data)
	if n <= 0 {
		l.err = errTorn
		l.data, value, n = nil, 0, 0
	}
	*v, l.data = value, l.data[n:]
}

// number takes small ones of both signs in few bytes.
func number[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](l *packedState, v *T) {
	n := int64(*v)
	w := uint64(n)<<1 ^ uint64(n>>63)
	l.word(&w)
	*v = T(int64(w>>1) ^ -int64(w&1))
}

func (l *packedState) flag(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	number(l, &n)
	*v = n != 0
}

// length is that of a list, and whether there is one: nil is no empty list.
func (l *packedState) length(n int, isNil bool) (int, bool) {
	if isNil {
		n = -1
	}
	number(l, &n)
	if l.reading && n > len(l.data) { // everything takes a byte at least
		l.err, n = errTorn, 0
	}
	return max(n, 0), n < 0
}

func (l *packedState) text(s *string) {
	n, _ := l.length(len(*s), false)
	if !l.reading {
		l.data = append(l.data, *s...)
		return
	}
	*s, l.data = string(l.data[:n]), l.data[n:]
}

func list[T any](l *packedState, all *[]T, item func(*packedState, *T)) {
	n, isNil := l.length(len(*all), *all == nil)
	if l.reading {
		if *all = nil; !isNil {
			*all = make([]T, n)
		}
	}
	for i := range *all {
		item(l, &(*all)[i])
	}
}

func numbers[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](l *packedState, all *[]T) {
	list(l, all, number[T])
}

// pairs writes all n of a collection, or puts what it reads into it.
func pairs[K, V any](l *packedState, n int, all iter.Seq2[K, V], put func(K, V), key func(*packedState, *K), value func(*packedState, *V)) {
	n, _ = l.length(n, false)
	if !l.reading {
		for k, v := range all {
			key(l, &k)
			value(l, &v)
		}
		return
	}
	for range n {
		var k K
		var v V
		key(l, &k)
		value(l, &v)
		put(k, v)
	}
}

// dictionary fills a map that is there when it reads.
func dictionary[K comparable, V any](l *packedState, all map[K]V, key func(*packedState, *K), value func(*packedState, *V)) {
	pairs(l, len(all), maps.All(all), func(k K, v V) { all[k] = v }, key, value)
}

// table fills a table that is empty when it reads.
func table[T any](l *packedState, t *Table[T], item func(*packedState, *T)) {
	numbers(l, &t.free)
	number(l, &t.next)
	all := func(yield func(uint32, T) bool) {
		t.items.Iter(func(k uint32, v T) (stop bool) { return !yield(k, v) })
	}
	pairs(l, t.Len(), all, t.items.Put, number[uint32], item)
}

// ---- what a rank has ----

func (l *packedState) state(s *State) {
	l.types(&s.Types)
	table(l, s.Groups, (*packedState).group)
	table(l, s.Infos, (*packedState).info)
	number(l, &s.Errors.Last)
	dictionary(l, s.Errors.Added, number[int], number[int])
	dictionary(l, s.Errors.Texts, number[int], (*packedState).text)
}

func (l *packedState) group(g *Group) {
	numbers(l, &g.Ranks)
	number(l, &g.Session)
}

func (l *packedState) info(o **Info) {
	if l.reading {
		*o = new(Info)
	}
	list(l, &(*o).Keys, (*packedState).text)
	list(l, &(*o).Values, (*packedState).text)
}

func (l *packedState) types(t *Types) {
	table(l, t.ByHandle, (*packedState).typeHandle)
	table(l, t.Made, (*packedState).typ)
	dictionary(l, t.Names, number[uint64], (*packedState).text)
	dictionary(l, t.F90, (*packedState).f90Key, number[uint64])
}

func (l *packedState) typeHandle(h *TypeHandle) {
	number(l, &h.ID)
	l.flag(&h.Fixed)
}

func (l *packedState) f90Key(k *F90Key) {
	number(l, &k.Combiner)
	number(l, &k.Precision)
	number(l, &k.Range)
}

func (l *packedState) typ(p **Type) {
	if l.reading {
		*p = &Type{Layout: new(datatype.Layout)}
	}
	t := *p
	number(l, &t.Combiner)
	numbers(l, &t.Ints)
	numbers(l, &t.Addrs)
	numbers(l, &t.Counts)
	numbers(l, &t.Inputs)
	l.flag(&t.Large)
	l.layout(t.Layout)
	number(l, &t.Uses)
}

func (l *packedState) layout(y *datatype.Layout) {
	number(l, &y.Size)
	l.span(&y.Data)
	l.span(&y.Natural)
	l.span(&y.Mark)
	l.flag(&y.LowMark)
	l.flag(&y.HighMark)
	number(l, &y.Align)
	list(l, &y.Loops, (*packedState).loop)
	list(l, &y.Sig, (*packedState).run)
	number(l, &y.Kind)
	number(l, &y.KindSize)
}

func (l *packedState) span(s *datatype.Span) {
	number(l, &s.Lo)
	number(l, &s.Hi)
}

func (l *packedState) loop(o *datatype.Loop) {
	number(l, &o.Disp)
	number(l, &o.Count)
	number(l, &o.Stride)
	number(l, &o.Bytes)
	list(l, &o.Body, (*packedState).loop)
	list(l, &o.Table, (*packedState).piece)
}

func (l *packedState) piece(p *datatype.Piece) {
	number(l, &p.Disp)
	number(l, &p.End)
}

func (l *packedState) run(r *datatype.Run) {
	number(l, &r.Basic)
	number(l, &r.Count)
	list(l, &r.Body, (*packedState).run)
	number(l, &r.Bytes)
	number(l, &r.Elements)
}
