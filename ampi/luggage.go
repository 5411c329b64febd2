package ampi

import (
	"encoding/binary"
	"errors"
	"iter"
	"maps"

	"ampirun/ampi/datatype"
)

// luggage is what Go keeps of a rank on its way to another worker: numbers of variable length, one after the other. The same functions write
// and read it, so that both agree; a test compares what has travelled, with all its fields.
type luggage struct {
	data    []byte
	reading bool
	err     error
}

var (
	errTorn   = errors.New("it ends too early")
	errLonger = errors.New("it is longer than what it holds")
)

func (l *luggage) word(v *uint64) {
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
func number[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](l *luggage, v *T) {
	n := int64(*v)
	w := uint64(n)<<1 ^ uint64(n>>63)
	l.word(&w)
	*v = T(int64(w>>1) ^ -int64(w&1))
}

func (l *luggage) flag(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	number(l, &n)
	*v = n != 0
}

// length is that of a list, and whether there is one: nil is no empty list.
func (l *luggage) length(n int, isNil bool) (int, bool) {
	if isNil {
		n = -1
	}
	number(l, &n)
	if l.reading && n > len(l.data) { // everything takes a byte at least
		l.err, n = errTorn, 0
	}
	return max(n, 0), n < 0
}

func (l *luggage) text(s *string) {
	n, _ := l.length(len(*s), false)
	if !l.reading {
		l.data = append(l.data, *s...)
		return
	}
	*s, l.data = string(l.data[:n]), l.data[n:]
}

func list[T any](l *luggage, all *[]T, item func(*luggage, *T)) {
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

func numbers[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](l *luggage, all *[]T) {
	list(l, all, number[T])
}

// pairs writes all n of a collection, or puts what it reads into it.
func pairs[K, V any](l *luggage, n int, all iter.Seq2[K, V], put func(K, V), key func(*luggage, *K), value func(*luggage, *V)) {
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
func dictionary[K comparable, V any](l *luggage, all map[K]V, key func(*luggage, *K), value func(*luggage, *V)) {
	pairs(l, len(all), maps.All(all), func(k K, v V) { all[k] = v }, key, value)
}

// table fills a table that is empty when it reads.
func table[T any](l *luggage, t *Table[T], item func(*luggage, *T)) {
	numbers(l, &t.free)
	number(l, &t.next)
	all := func(yield func(uint32, T) bool) {
		t.items.Iter(func(k uint32, v T) (stop bool) { return !yield(k, v) })
	}
	pairs(l, t.Len(), all, t.items.Put, number[uint32], item)
}

// ---- what a rank has ----

func (l *luggage) state(s *State) {
	l.types(&s.Types)
	table(l, s.Groups, (*luggage).group)
	table(l, s.Infos, (*luggage).info)
	number(l, &s.Errors.Last)
	dictionary(l, s.Errors.Added, number[int], number[int])
	dictionary(l, s.Errors.Texts, number[int], (*luggage).text)
}

func (l *luggage) group(g *Group) {
	numbers(l, &g.Ranks)
	number(l, &g.Session)
}

func (l *luggage) info(o **Info) {
	if l.reading {
		*o = new(Info)
	}
	list(l, &(*o).Keys, (*luggage).text)
	list(l, &(*o).Values, (*luggage).text)
}

func (l *luggage) types(t *Types) {
	table(l, t.ByHandle, (*luggage).typeHandle)
	table(l, t.Made, (*luggage).typ)
	dictionary(l, t.Names, number[uint64], (*luggage).text)
	dictionary(l, t.F90, (*luggage).f90Key, number[uint64])
}

func (l *luggage) typeHandle(h *TypeHandle) {
	number(l, &h.ID)
	l.flag(&h.Fixed)
}

func (l *luggage) f90Key(k *F90Key) {
	number(l, &k.Combiner)
	number(l, &k.Precision)
	number(l, &k.Range)
}

func (l *luggage) typ(p **Type) {
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

func (l *luggage) layout(y *datatype.Layout) {
	number(l, &y.Size)
	l.span(&y.Data)
	l.span(&y.Natural)
	l.span(&y.Mark)
	l.flag(&y.LowMark)
	l.flag(&y.HighMark)
	number(l, &y.Align)
	list(l, &y.Loops, (*luggage).loop)
	list(l, &y.Sig, (*luggage).run)
	number(l, &y.Kind)
	number(l, &y.KindSize)
}

func (l *luggage) span(s *datatype.Span) {
	number(l, &s.Lo)
	number(l, &s.Hi)
}

func (l *luggage) loop(o *datatype.Loop) {
	number(l, &o.Disp)
	number(l, &o.Count)
	number(l, &o.Stride)
	number(l, &o.Bytes)
	list(l, &o.Body, (*luggage).loop)
	list(l, &o.Table, (*luggage).piece)
}

func (l *luggage) piece(p *datatype.Piece) {
	number(l, &p.Disp)
	number(l, &p.End)
}

func (l *luggage) run(r *datatype.Run) {
	number(l, &r.Basic)
	number(l, &r.Count)
	list(l, &r.Body, (*luggage).run)
	number(l, &r.Bytes)
	number(l, &r.Elements)
}
