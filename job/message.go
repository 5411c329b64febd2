package job

import (
	"ampirun/isomalloc"
	"ampirun/privatize"
	"ampirun/vrank"
)

// The kinds of control messages, in the order in which a healthy worker meets them.
const (
	kindHello   = "hello"   // worker: Free holds the free ranges of its address space
	kindConfig  = "config"  // manager: Config to run; the region's memfd travels along
	kindEvent   = "event"   // worker: Event happened
	kindFailed  = "failed"  // worker: it cannot run; Text says why, Code is the job's exit code
	kindStop    = "stop"    // manager: end now
	kindFreeze  = "freeze"  // manager, to one worker: have all workers stand still, and copy the region or, with Halt, end; see vrank.Freeze
	kindPrepare = "prepare" // manager, to the other workers: a freeze is coming; see vrank.Prepare
	kindPing    = "ping"    // manager: give a sign of life; worker: here it is
	kindTrace   = "trace"   // manager: say where your ranks are; worker: Trace says so, also when it was asked by a signal of its own
	kindSurvey  = "survey"  // manager: what do all ranks do? worker: Survey says so, with the question's Number
	kindMove    = "move"    // manager: have Rank go to PE; worker: Moved says what has become of it, with the question's Number
)

// message is one line on a control link. Fields that a kind does not use are left out.
type message struct {
	Kind   string
	Free   []isomalloc.Range `json:",omitempty"`
	Config *wireConfig       `json:",omitempty"`
	Event  *vrank.Event      `json:",omitempty"`
	Trace  *vrank.Trace      `json:",omitempty"`
	Text   string            `json:",omitempty"`
	Code   int               `json:",omitempty"`
	Halt   bool              `json:",omitempty"`
	Number int               `json:",omitempty"` // of a question, and of its answer
	Rank   int               `json:",omitempty"`
	PE     int               `json:",omitempty"`
	Survey *vrank.Survey     `json:",omitempty"`
	Moved  *vrank.Moved      `json:",omitempty"`
	Rights int               `json:",omitempty"` // so many descriptors come with it; set by send
	fds    []int             // those: whoever takes the message is to close them
}

// wireConfig is a vrank.Config whose strings from the user's world travel as bytes: JSON strings would replace what is
// not UTF-8, and file names, arguments and environments may hold any byte but zero.
type wireConfig struct {
	Config    vrank.Config
	Program   []byte
	Directory []byte
	Record    []byte
	Opened    []byte // its name
	Args, Env [][]byte
	Libraries [][2][]byte // name and path
	Copies    [][2][]byte // path and where it is read
}

func packConfig(c vrank.Config) *wireConfig {
	w := &wireConfig{Program: []byte(c.Program), Directory: []byte(c.Directory), Record: []byte(c.Record), Opened: []byte(c.Journal.Name), Args: toBytes(c.Args), Env: toBytes(c.Env)}
	for _, l := range c.Libraries {
		w.Libraries = append(w.Libraries, [2][]byte{[]byte(l.Name), []byte(l.Path)})
	}
	for path, file := range c.Copies {
		w.Copies = append(w.Copies, [2][]byte{[]byte(path), []byte(file)})
	}
	c.Program, c.Directory, c.Record, c.Journal.Name, c.Args, c.Env, c.Libraries, c.Copies = "", "", "", "", nil, nil, nil, nil
	w.Config = c
	return w
}

func (w *wireConfig) unpack() vrank.Config {
	c := w.Config
	c.Program, c.Directory, c.Record, c.Args, c.Env = string(w.Program), string(w.Directory), string(w.Record), toStrings(w.Args), toStrings(w.Env)
	c.Journal.Name = string(w.Opened)
	for _, l := range w.Libraries {
		c.Libraries = append(c.Libraries, privatize.Library{Name: string(l[0]), Path: string(l[1])})
	}
	if len(w.Copies) > 0 {
		c.Copies = map[string]string{}
	}
	for _, p := range w.Copies {
		c.Copies[string(p[0])] = string(p[1])
	}
	return c
}

func toBytes(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func toStrings(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}
