package ampi

import (
	"reflect"
	"testing"

	"ampirun/ampi/mpi"
	"ampirun/shim"
)

func TestUnservedFunctionSaysSoToItsCommunicator(t *testing.T) {
	c := newClient(t)
	if c.server.Serves(int(shim.FnWinCreate)) || c.server.Serves(-1) || c.server.Serves(1<<20) {
		t.Error("Serves knows what has no handler")
	}
	c.refuse(mpi.ErrUnsupportedOperation, "is not served by this version", shim.FnWinFence, 0, 0)
	for fn, want := range map[shim.Function]int{shim.FnCommAccept: 3, shim.FnWinCreate: 4, shim.FnPublishName: -1, shim.FnCommIdup: 0} {
		at, ok := commArgument[fn.String()]
		if ok != (want >= 0) || (ok && at != want) {
			t.Errorf("%v: communicator at %d (%v), want %d", fn, at, ok, want)
		}
	}
}

func TestCallsOutsideOfMPI(t *testing.T) {
	c := newClient(t)
	c.rank.SetRunning(false)
	c.handle(shim.FnInfoCreate)
	c.refuse(mpi.ErrOther, "it is called before MPI_Init", shim.FnTypeContiguous, 1, mpi.TypeInt, c.words(0))
}

func TestBadPointersAreErrorsOfTheProgram(t *testing.T) {
	c := newClient(t)
	c.refuse(mpi.ErrArg, "newtype is NULL", shim.FnTypeContiguous, 1, mpi.TypeInt, 0)
	c.refuse(mpi.ErrArg, "an argument points to memory that is not there: 0x8000", shim.FnTypeContiguous, 1, mpi.TypeInt, 0x8000)
	c.refuse(mpi.ErrArg, "array_of_types is NULL", shim.FnTypeCreateStruct, 1, c.ints(1), c.words(0), 0, c.words(0))
}

func TestStateTravelsAsPlainData(t *testing.T) {
	c := newClient(t)
	inner := c.handle(shim.FnTypeVector, 3, 2, 5, mpi.TypeDouble)
	outer := c.handle(shim.FnTypeCreateStruct, 2, c.ints(1, 2), c.words(0, 400), c.words(inner, mpi.TypeInt))
	c.do(shim.FnTypeSetName, outer, c.string("outer"))
	c.do(shim.FnTypeFree, c.words(inner))
	c.handle(shim.FnTypeCreateF90Real, 15, 300)
	group := c.handle(shim.FnCommGroup, mpi.CommWorld)
	info := c.handle(shim.FnInfoCreate)
	c.do(shim.FnInfoSet, info, c.string("key"), c.string("value"))
	c.do(shim.FnAddErrorClass, c.ints(0))

	saved, _ := c.server.ranks.Get(uint32(c.id))
	if err := c.server.Unpack(c.id, c.server.Pack(c.id)); err != nil {
		t.Fatal(err)
	}
	loaded := c.server.state(c.id)
	if loaded == saved || !c.server.Keeps(c.id) {
		t.Error("nothing was unpacked")
	}
	if !reflect.DeepEqual(saved.Types.made(idBit|1), loaded.Types.made(idBit|1)) || !reflect.DeepEqual(saved.Errors, loaded.Errors) {
		t.Errorf("the state changed on its way:\n%+v\n%+v", saved.Types.made(idBit|1), loaded.Types.made(idBit|1))
	}

	text := c.room(128)
	c.do(shim.FnTypeGetName, outer, text, c.ints(0))
	c.do(shim.FnGroupSize, group, c.ints(0))
	c.do(shim.FnInfoGet, info, c.string("key"), 9, text, c.ints(0))
	if size := c.layout(outer).Size; size != 56 || text.text() != "value" {
		t.Errorf("after the move: size %d, value %q", size, text.text())
	}
	c.do(shim.FnTypeFree, c.words(outer))
	c.server.EndRank(c.id)
	if c.server.ranks.Len() != 0 {
		t.Error("an ended rank is still known")
	}
}

func TestDerivedTypesLeaveNothingBehind(t *testing.T) {
	c := newClient(t)
	handle, count := c.words(0), c.ints(0)
	cycle := func() {
		c.do(shim.FnTypeVector, 10, 2, 7, mpi.TypeInt, handle)
		inner := handle.word(0)
		c.do(shim.FnTypeContiguous, 4, inner, handle)
		outer := handle.word(0)
		c.do(shim.FnTypeGetContents, outer, 1, 0, 1, count, 0, handle)
		c.do(shim.FnTypeFree, handle)
		for _, h := range []uint64{inner, outer} {
			copy(view[uint64](handle.addr(), 1), []uint64{h})
			c.do(shim.FnTypeFree, handle)
		}
	}
	cycle()
	used := c.rank.Used()
	for range 100 {
		cycle()
	}
	st := c.server.state(c.id)
	if st.Types.Made.Len() != 0 || st.Types.ByHandle.Len() != 0 || c.rank.Used() != used {
		t.Errorf("%d types, %d handles and %d bytes are left", st.Types.Made.Len(), st.Types.ByHandle.Len(), c.rank.Used()-used)
	}
}
