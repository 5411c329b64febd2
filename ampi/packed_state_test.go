package ampi

import (
	"reflect"
	"testing"
	"testing/quick"

	"ampirun/ampi/mpi"
	"ampirun/shim"
)

// fillState fills the state of a rank as a large program would: many derived datatypes, some made of others, groups, and info objects.
func fillState(c *client, types int) {
	last := uint64(mpi.TypeDouble)
	for i := range types {
		last = c.handle(shim.FnTypeVector, 3+i, 2, 5, mpi.TypeDouble)
		c.handle(shim.FnTypeCreateStruct, 2, c.ints(1, 2), c.words(0, 4096), c.words(last, mpi.TypeInt))
	}
	for range types / 10 {
		c.handle(shim.FnCommGroup, mpi.CommWorld)
		info := c.handle(shim.FnInfoCreate)
		c.do(shim.FnInfoSet, info, c.string("key"), c.string("value"))
	}
	c.do(shim.FnTypeSetName, last, c.string("last"))
	c.do(shim.FnAddErrorClass, c.ints(0))
}

func BenchmarkPackedState(b *testing.B) {
	for _, n := range []struct {
		name  string
		types int
	}{{"few", 2}, {"many", 50}} {
		b.Run(n.name, func(b *testing.B) {
			c := newClient(b)
			fillState(c, n.types)
			data := c.server.Pack(c.id)
			b.Run("pack", func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for range b.N {
					c.server.Pack(c.id)
				}
			})
			b.Run("unpack", func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for range b.N {
					if err := c.server.Unpack(c.id, data); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// What a rank has freed again need not go with it.
func TestNothingIsKeptOfARankThatHasFreedAll(t *testing.T) {
	c := newClient(t)
	if c.server.Keeps(c.id) {
		t.Error("something is kept of a rank that has made nothing")
	}
	typ := c.handle(shim.FnTypeContiguous, 3, mpi.TypeInt)
	if !c.server.Keeps(c.id) {
		t.Error("a datatype is not kept")
	}
	c.do(shim.FnTypeFree, c.words(typ))
	if c.server.Keeps(c.id) {
		t.Error("a datatype is kept that is freed")
	}
	c.do(shim.FnAddErrorClass, c.ints(0))
	if !c.server.Keeps(c.id) {
		t.Error("an error class is not kept")
	}
}

// travelled is v after a way through packedState.
func travelled[T any](t *testing.T, v T, item func(*packedState, *T)) (out T) {
	t.Helper()
	var l packedState
	item(&l, &v)
	for n := range l.data { // no part of it is taken for the whole
		short := packedState{data: l.data[:n], reading: true}
		var none T
		if item(&short, &none); short.err == nil {
			t.Fatalf("%d of %d bytes are taken for all", n, len(l.data))
		}
	}
	l.reading = true
	if item(&l, &out); l.err != nil || len(l.data) > 0 {
		t.Fatalf("%v, %d bytes are left", l.err, len(l.data))
	}
	return out
}

// TestEveryFieldTravels finds fields that packedState forgets: quick gives all of them values.
func TestEveryFieldTravels(t *testing.T) {
	same := func(typ Type, group Group, info Info, handle TypeHandle, key F90Key) bool {
		return (typ.Layout == nil || reflect.DeepEqual(travelled(t, &typ, (*packedState).typ), &typ)) &&
			reflect.DeepEqual(travelled(t, group, (*packedState).group), group) &&
			reflect.DeepEqual(travelled(t, &info, (*packedState).info), &info) &&
			travelled(t, handle, (*packedState).typeHandle) == handle && travelled(t, key, (*packedState).f90Key) == key
	}
	if err := quick.Check(same, &quick.Config{MaxCountScale: 0.3}); err != nil {
		t.Error(err)
	}
}
