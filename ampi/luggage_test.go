package ampi

import (
	"testing"

	"ampirun/ampi/mpi"
	"ampirun/shim"
)

// luggageOf fills the state of a rank as a large program would: many derived datatypes, some made of others, groups, and info objects.
func luggageOf(c *client, types int) {
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

func BenchmarkLuggage(b *testing.B) {
	for _, n := range []struct {
		name  string
		types int
	}{{"few", 2}, {"many", 50}} {
		b.Run(n.name, func(b *testing.B) {
			c := newClient(b)
			luggageOf(c, n.types)
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
