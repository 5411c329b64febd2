package ampi

import (
	"strings"
	"testing"

	"ampirun/ampi/mpi"
	"ampirun/shim"
)

func (c *client) errorText(code int) string {
	c.t.Helper()
	text, n := c.room(mpi.MaxErrorString), c.ints(0)
	c.do(shim.FnErrorString, code, text, n)
	if n.int(0) != len(text.text()) {
		c.t.Errorf("code %d: length %d of %q", code, n.int(0), text.text())
	}
	return text.text()
}

func TestEveryClassHasItsText(t *testing.T) {
	c := newClient(t)
	class, seen := c.ints(0), map[string]int{}
	for code := 0; code <= mpi.ErrAbi; code++ {
		c.do(shim.FnErrorClass, code, class)
		text := c.errorText(code)
		if class.int(0) != code || seen[text] != 0 || (code > 0 && !strings.HasPrefix(text, "MPI_ERR_")) {
			t.Errorf("code %d has class %d and text %q", code, class.int(0), text)
		}
		seen[text]++
	}
	c.refuse(mpi.ErrArg, "errorcode is not an error code: 4711", shim.FnErrorString, 4711, c.room(99), class)
	text := c.room(20)
	c.do(fnErrorText, mpi.ErrTag, text, 12)
	if text.text() != "MPI_ERR_TAG" {
		t.Errorf("C gets %q", text.text())
	}
}

func TestAddedErrorCodes(t *testing.T) {
	c := newClient(t)
	n := c.ints(0)
	add := func(fn shim.Function, args ...any) int {
		c.do(fn, append(args, n)...)
		return n.int(0)
	}
	class := add(shim.FnAddErrorClass)
	code := add(shim.FnAddErrorCode, class)
	ofTag := add(shim.FnAddErrorCode, mpi.ErrTag)
	if class <= mpi.ErrLastcode || code <= class || ofTag <= code {
		t.Errorf("class %d, codes %d and %d", class, code, ofTag)
	}
	c.do(shim.FnAddErrorString, code, c.string("out of cheese"))
	got := []string{c.errorText(class), c.errorText(code), c.errorText(ofTag)}
	equal(t, "texts", got, []string{"", "out of cheese", ""})
	c.do(shim.FnErrorClass, ofTag, n)
	if n.int(0) != mpi.ErrTag {
		t.Errorf("a code of MPI_ERR_TAG has class %d", n.int(0))
	}
	c.refuse(mpi.ErrArg, "errorcode was not added by the program, or was removed: 4", shim.FnAddErrorString, mpi.ErrTag, c.string("x"))
	c.refuse(mpi.ErrArg, "errorclass 16384 still has 1 error codes", shim.FnRemoveErrorClass, class)
	c.refuse(mpi.ErrArg, "errorcode is an error class: 16384", shim.FnRemoveErrorCode, class)
	c.do(shim.FnRemoveErrorString, code)
	c.do(shim.FnRemoveErrorCode, code)
	c.do(shim.FnRemoveErrorClass, class)
	c.refuse(mpi.ErrArg, "errorcode is not an error code: 16384", shim.FnErrorClass, class, n)
}
