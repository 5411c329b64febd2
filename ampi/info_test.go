package ampi

import (
	"fmt"
	"strings"
	"testing"

	"ampirun/ampi/mpi"
	"ampirun/shim"
)

// value asks an info object for a key in the two ways there are.
func (c *client) value(h uint64, key string) string {
	c.t.Helper()
	flag, n, text, k := c.ints(7), c.ints(mpi.MaxInfoVal), c.room(mpi.MaxInfoVal), c.string(key)
	c.do(shim.FnInfoGetString, h, k, n, text, flag)
	if flag.int(0) == 0 {
		return "none"
	}
	old := c.room(mpi.MaxInfoVal)
	c.do(shim.FnInfoGet, h, k, mpi.MaxInfoVal-1, old, flag)
	if old.text() != text.text() || n.int(0) != len(text.text())+1 {
		c.t.Errorf("%s: %q, %q, length %d", key, text.text(), old.text(), n.int(0))
	}
	return text.text()
}

func (c *client) set(h uint64, key, value string) {
	c.do(shim.FnInfoSet, h, c.string(key), c.string(value))
}

func TestInfoKeepsKeysInOrder(t *testing.T) {
	c := newClient(t)
	h, text := c.handle(shim.FnInfoCreate), c.room(mpi.MaxInfoKey)
	for _, k := range []string{"c", "a", "b"} {
		c.set(h, k, "of "+k)
	}
	c.set(h, "a", "new")
	copied := c.handle(shim.FnInfoDup, h)
	c.do(shim.FnInfoDelete, h, c.string("c"))
	n, flag := c.ints(0), c.ints(0)
	c.do(shim.FnInfoGetNkeys, h, n)
	c.do(shim.FnInfoGetNthkey, h, 1, text)
	c.do(shim.FnInfoGetValuelen, copied, c.string("c"), flag, flag)
	got := fmt.Sprint(n.int(0), text.text(), c.value(h, "a"), c.value(h, "c"), c.value(copied, "c"), flag.int(0))
	if got != "2bnewnoneof c1" {
		t.Errorf("the info objects say %s", got)
	}
	p := c.words(h)
	c.do(shim.FnInfoFree, p)
	c.refuse(mpi.ErrInfo, fmt.Sprintf("info (handle %#x) is not an info object, or was freed", h), shim.FnInfoGetNkeys, h, n)
	if p.word(0) != mpi.InfoNull {
		t.Errorf("MPI_Info_free leaves %#x", p.word(0))
	}
}

func TestInfoCutsValuesToTheBuffer(t *testing.T) {
	c := newClient(t)
	h := c.handle(shim.FnInfoCreate)
	c.set(h, "k", "abcdef")
	text, n, flag := c.string("......."), c.ints(4), c.ints(0)
	c.do(shim.FnInfoGetString, h, c.string("k"), n, text, flag)
	if text.text() != "abc" || n.int(0) != 7 {
		t.Errorf("4 bytes of buffer got %q, needed %d", text.text(), n.int(0))
	}
	c.do(shim.FnInfoGet, h, c.string("k"), 4, text, flag)
	if text.text() != "abcd" || flag.int(0) != 1 {
		t.Errorf("4 characters got %q", text.text())
	}
	zero := c.ints(0)
	c.do(shim.FnInfoGetString, h, c.string("k"), zero, 0, flag)
	if zero.int(0) != 7 {
		t.Errorf("asking for the length gave %d", zero.int(0))
	}
}

func TestInfoErrors(t *testing.T) {
	c := newClient(t)
	h := c.handle(shim.FnInfoCreate)
	k, long := c.string("k"), c.string(strings.Repeat("x", 2000))
	c.refuse(mpi.ErrInfoKey, "key has 0 characters, must have 1 to 255", shim.FnInfoSet, h, c.string(""), k)
	c.refuse(mpi.ErrInfoKey, "key has 2000 characters, must have 1 to 255", shim.FnInfoSet, h, long, k)
	c.refuse(mpi.ErrInfoValue, "value has 2000 characters, must have at most 1023", shim.FnInfoSet, h, k, long)
	c.refuse(mpi.ErrInfoNokey, `info has no key "k"`, shim.FnInfoDelete, h, k)
	c.refuse(mpi.ErrArg, "n is 0, info has 0 keys", shim.FnInfoGetNthkey, h, 0, k)
	c.refuse(mpi.ErrInfo, "info is MPI_INFO_NULL", shim.FnInfoGet, mpi.InfoNull, k, 1, k, c.ints(0))
	c.refuse(mpi.ErrInfo, "info is MPI_INFO_ENV, which cannot be changed", shim.FnInfoSet, mpi.InfoEnv, k, k)
	c.refuse(mpi.ErrArg, "key is NULL", shim.FnInfoSet, h, 0, k)
}

func TestInfoEnvTellsHowTheJobWasStarted(t *testing.T) {
	c := newClient(t)
	c.server.Describe(Environment{Program: "./legacy", Args: []string{"-n", "3"}, Ranks: 8})
	made := c.handle(shim.FnInfoCreateEnv, 0, 0)
	for _, h := range []uint64{mpi.InfoEnv, made} {
		got := []string{c.value(h, "command"), c.value(h, "argv"), c.value(h, "maxprocs"), c.value(h, "arch"), c.value(h, "thread_level"), c.value(h, "file")}
		equal(t, "environment", got, []string{"./legacy", "-n 3", "8", "x86_64", "MPI_THREAD_SINGLE", "none"})
	}
	c.set(made, "command", "mine")
}
