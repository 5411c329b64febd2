package ampi

import (
	"testing"
	"unsafe"

	"ampirun/ampi/datatype"
	"ampirun/ampi/internal/testrank"
	"ampirun/shim"
	"ampirun/vrank"
)

// client is a rank that has calls served.
type client struct {
	t      testing.TB
	server *Server
	rank   *testrank.Rank
	id     int
}

func newClient(t testing.TB) *client {
	c := &client{t: t, server: New(), rank: testrank.New(2, 8), id: 2}
	c.server.NewRank(c.rank.Rank())
	return c
}

// try serves a call and gives the error class with its text.
func (c *client) try(fn shim.Function, args ...any) (int, string) {
	words := make([]uint64, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case int:
			words[i] = uint64(v)
		case uint64:
			words[i] = v
		case *array:
			words[i] = v.addr()
		default:
			c.t.Fatalf("%v: argument %d is a %T", fn, i, a)
		}
	}
	call := vrank.NewCall(c.id, int(fn), words, c.rank)
	c.server.Serve(call)
	_, class, _, text := call.Result()
	return class, text
}

// do serves a call that must succeed.
func (c *client) do(fn shim.Function, args ...any) {
	c.t.Helper()
	if class, text := c.try(fn, args...); class != 0 {
		c.t.Fatalf("%v: error class %d: %s", fn, class, text)
	}
}

// refuse serves a call that must fail.
func (c *client) refuse(class int, text string, fn shim.Function, args ...any) {
	c.t.Helper()
	if gotClass, got := c.try(fn, args...); gotClass != class || got != text {
		c.t.Errorf("%v: class %d %q, want %d %q", fn, gotClass, got, class, text)
	}
}

// handle serves a call whose last argument is a handle to make.
func (c *client) handle(fn shim.Function, args ...any) uint64 {
	c.t.Helper()
	h := c.words(0)
	c.do(fn, append(args, h)...)
	return h.word(0)
}

// layout is what a datatype of the rank looks like.
func (c *client) layout(handle uint64) *datatype.Layout {
	c.t.Helper()
	types := &c.server.state(c.id).Types
	id, ok := types.find(handle)
	if !ok {
		c.t.Fatalf("%#x is not a datatype", handle)
	}
	return types.layout(id)
}

// array is memory of the rank's heap that arguments point to.
type array struct {
	p     unsafe.Pointer
	bytes int
}

func (a *array) addr() uint64 { return uint64(uintptr(a.p)) }

func (a *array) word(i int) uint64 { return view[uint64](a.addr(), int64(i)+1)[i] }

func (a *array) int(i int) int { return int(view[int32](a.addr(), int64(i)+1)[i]) }

func (a *array) ints() []int32 { return view[int32](a.addr(), int64(a.bytes/4)) }

func (a *array) text() string { return cString(a.addr()) }

func (a *array) all() []byte { return view[byte](a.addr(), int64(a.bytes)) }

func (c *client) room(bytes int) *array {
	return &array{c.rank.Alloc(uintptr(max(bytes, 1))), bytes}
}

func (c *client) words(values ...uint64) *array {
	a := c.room(8 * len(values))
	copy(view[uint64](a.addr(), int64(len(values))), values)
	return a
}

func (c *client) ints(values ...int32) *array {
	a := c.room(4 * len(values))
	copy(a.ints(), values)
	return a
}

func (c *client) string(s string) *array {
	a := c.room(len(s) + 1)
	copy(a.all(), s)
	return a
}

// fullSlice is a rank's memory in which only the next `left` allocations succeed.
type fullSlice struct {
	vrank.Memory
	left int
}

func (f *fullSlice) Alloc(n uintptr) unsafe.Pointer {
	if f.left--; f.left < 0 {
		return nil
	}
	return f.Memory.Alloc(n)
}
