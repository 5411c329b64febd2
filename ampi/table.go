package ampi

import "github.com/dolthub/swiss"

// reuseAfter is how many other numbers are freed before one comes again: a handle that a program kept for too long names nothing for a
// while, rather than something else.
const reuseAfter = 64

// Table maps small numbers, such as the index in a handle, to objects. It is made for many look-ups.
type Table[T any] struct {
	items *swiss.Map[uint32, T]
	free  []uint32
	next  uint32
}

// NewTable makes an empty table.
func NewTable[T any]() *Table[T] {
	return &Table[T]{items: swiss.NewMap[uint32, T](8)}
}

// Get finds an object.
func (t *Table[T]) Get(i uint32) (T, bool) { return t.items.Get(i) }

// Put sets the object of a number that the caller chose. A table is used with Put or with Add, not with both.
func (t *Table[T]) Put(i uint32, v T) { t.items.Put(i, v) }

// Add gives an object a number that no other has.
func (t *Table[T]) Add(v T) uint32 {
	i := t.next
	if len(t.free) > reuseAfter {
		i = t.free[0]
		t.free = t.free[1:]
	} else {
		t.next++
	}
	t.items.Put(i, v)
	return i
}

// Remove takes an object that was added out; its number may come again.
func (t *Table[T]) Remove(i uint32) {
	if t.items.Delete(i) {
		t.free = append(t.free, i)
	}
}

// Delete takes an object that was put out.
func (t *Table[T]) Delete(i uint32) { t.items.Delete(i) }

// Len is the number of objects.
func (t *Table[T]) Len() int { return t.items.Count() }
