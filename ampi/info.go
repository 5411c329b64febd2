package ampi

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"ampirun/ampi/mpi"
)

// Info is an ordered set of keys with values (MPI 5.0 chapter 10).
type Info struct{ Keys, Values []string }

func (o *Info) get(key string) (string, bool) {
	if i := slices.Index(o.Keys, key); i >= 0 {
		return o.Values[i], true
	}
	return "", false
}

func (o *Info) set(key, value string) {
	if i := slices.Index(o.Keys, key); i >= 0 {
		o.Values[i] = value
		return
	}
	o.Keys, o.Values = append(o.Keys, key), append(o.Values, value)
}

func (o *Info) remove(key string) bool {
	i := slices.Index(o.Keys, key)
	if i >= 0 {
		o.Keys, o.Values = slices.Delete(o.Keys, i, i+1), slices.Delete(o.Values, i, i+1)
	}
	return i >= 0
}

func (o *Info) clone() *Info { return &Info{slices.Clone(o.Keys), slices.Clone(o.Values)} }

// Environment is how the job was started, for MPI_INFO_ENV.
type Environment struct {
	Program string
	Args    []string // after the program's name
	Ranks   int
}

// Describe tells the server how the job was started. Before the first call is served.
func (s *Server) Describe(e Environment) { s.env = e }

// standardInfo has the keys of MPI_INFO_ENV that are known (MPI 5.0 section 11.2.1).
func (c *call) standardInfo() *Info {
	e, o := &c.server.env, &Info{}
	set := func(key, value string) {
		if value != "" {
			o.set(key, value[:min(len(value), mpi.MaxInfoVal-1)])
		}
	}
	set("command", e.Program)
	set("argv", strings.Join(e.Args, " "))
	if e.Ranks > 0 {
		set("maxprocs", strconv.Itoa(e.Ranks))
		set("soft", strconv.Itoa(e.Ranks))
	}
	host, _ := os.Hostname()
	set("host", host)
	set("arch", "x86_64")
	dir, _ := os.Getwd()
	set("wdir", dir)
	set("thread_level", threadLevelNames[c.threadLevel()])
	return o
}

var threadLevelNames = map[int]string{
	mpi.ThreadSingle: "MPI_THREAD_SINGLE", mpi.ThreadFunneled: "MPI_THREAD_FUNNELED",
	mpi.ThreadSerialized: "MPI_THREAD_SERIALIZED", mpi.ThreadMultiple: "MPI_THREAD_MULTIPLE",
}

// info reads an info argument.
func (c *call) info(i int) *Info { return c.infoAt(c.Args[i]) }

func (c *call) infoAt(h uint64) *Info {
	switch {
	case h == mpi.InfoEnv:
		return c.standardInfo()
	case h == mpi.InfoLBSync:
		return &Info{Keys: []string{loadBalanceKey}, Values: []string{"sync"}}
	case h == mpi.InfoLBAsync:
		return &Info{Keys: []string{loadBalanceKey}, Values: []string{"async"}}
	case h == mpi.InfoChkptInMemory:
		return &Info{Keys: []string{"ampi_checkpoint"}, Values: []string{"in_memory"}}
	case h == mpi.InfoNull:
		c.fault(mpi.ErrInfo, "info is MPI_INFO_NULL")
	case h>>handleShift == kindInfo:
		if o, ok := c.state.Infos.Get(uint32(h & handleIndex)); ok {
			return o
		}
		fallthrough
	default:
		c.fault(mpi.ErrInfo, "info (handle %#x) is not an info object, or was freed", h)
	}
	return &Info{}
}

// loadBalanceKey is AMPI's, for AMPI_Migrate.
const loadBalanceKey = "ampi_load_balance"

// writable refuses predefined infos.
func (c *call) writable(h uint64) {
	if h == mpi.InfoEnv {
		c.fault(mpi.ErrInfo, "info is MPI_INFO_ENV, which cannot be changed")
	}
	if h == mpi.InfoLBSync || h == mpi.InfoLBAsync || h == mpi.InfoChkptInMemory {
		c.fault(mpi.ErrInfo, "info is one of AMPI_INFO_LB_SYNC, AMPI_INFO_LB_ASYNC and AMPI_INFO_CHKPT_IN_MEMORY, which cannot be changed")
	}
}

func (c *call) putInfo(i int, o *Info) error {
	to := out[uint64](c, i, "info")
	if c.err == nil {
		*to = kindInfo<<handleShift | uint64(c.state.Infos.Add(o))
	}
	return c.err
}

func (c *call) infoKey(i int) string {
	key := c.text(i, "key")
	if c.err == nil && (key == "" || len(key) >= mpi.MaxInfoKey) {
		c.fault(mpi.ErrInfoKey, "key has %d characters, must have 1 to %d", len(key), mpi.MaxInfoKey-1)
	}
	return key
}

func infoCreate(c *call) error { return c.putInfo(0, &Info{}) }

func infoCreateEnv(c *call) error { return c.putInfo(2, c.standardInfo()) }

func infoDup(c *call) error { return c.putInfo(1, c.info(0).clone()) }

func infoFree(c *call) error {
	p := out[uint64](c, 0, "info")
	c.infoAt(*p)
	c.writable(*p)
	if c.err == nil {
		c.state.Infos.Remove(uint32(*p & handleIndex))
		*p = mpi.InfoNull
	}
	return c.err
}

func infoSet(c *call) error {
	o, key, value := c.info(0), c.infoKey(1), c.text(2, "value")
	c.writable(c.Args[0])
	if len(value) >= mpi.MaxInfoVal {
		c.fault(mpi.ErrInfoValue, "value has %d characters, must have at most %d", len(value), mpi.MaxInfoVal-1)
	}
	if c.err == nil {
		o.set(key, value)
	}
	return c.err
}

func infoDelete(c *call) error {
	o, key := c.info(0), c.infoKey(1)
	c.writable(c.Args[0])
	if c.err == nil && !o.remove(key) {
		return mpi.Errorf(mpi.ErrInfoNokey, "info has no key %q", key)
	}
	return c.err
}

// infoGet copies at most valuelen characters, and a NUL after them.
func infoGet(c *call) error {
	value, found := c.info(0).get(c.infoKey(1))
	room := c.length(2, "valuelen", mpi.ErrArg) + 1
	if found {
		c.putText(3, "value", value, int(min(room, int64(len(value))+1)))
	}
	c.putFlag(4, "flag", found)
	return c.err
}

// infoGetString copies what fits the buffer's *buflen bytes, and says how many the value needs.
func infoGetString(c *call) error {
	value, found := c.info(0).get(c.infoKey(1))
	room := out[int32](c, 2, "buflen")
	if *room < 0 {
		c.fault(mpi.ErrArg, "buflen is negative: %d", *room)
	}
	if found && c.err == nil {
		c.putText(3, "value", value, min(int(*room), len(value)+1))
		*room = int32(len(value)) + 1
	}
	c.putFlag(4, "flag", found)
	return c.err
}

func infoValueLength(c *call) error {
	value, found := c.info(0).get(c.infoKey(1))
	if length := out[int32](c, 2, "valuelen"); found {
		*length = int32(len(value))
	}
	c.putFlag(3, "flag", found)
	return c.err
}

func infoCountKeys(c *call) error {
	c.putInt(1, "nkeys", len(c.info(0).Keys))
	return c.err
}

func infoNthKey(c *call) error {
	o, n := c.info(0), c.num(1)
	if n < 0 || n >= int64(len(o.Keys)) {
		c.fault(mpi.ErrArg, "n is %d, info has %d keys", n, len(o.Keys))
		return c.err
	}
	c.putText(2, "key", o.Keys[n], len(o.Keys[n])+1)
	return c.err
}
