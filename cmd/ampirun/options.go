package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ampirun/checkpoint/plan"
	"ampirun/job"
	"ampirun/loadbalance"
	"ampirun/loadbalance/live"
	"ampirun/loadbalance/mapping"
	"ampirun/observe/debugger"
	"ampirun/privatize"
	"ampirun/vrank"
)

// settings is what a command line asks for.
type settings struct {
	job       job.Options
	workerSet bool // +p was given
	rankSet   bool // +vp was given
	assigned  []string
	preload   []string // files, absolute
	restart   string   // directory of checkpoints, absolute; "": the job begins
	foreign   bool     // which may be another user's
	notes     []string // what is said of the command line, a line each

	backtrace int      // pid of the job to ask; 0: none
	gdb       bool     // run under gdb
	held      []string // with gdb: the arguments of the job that waits for it

	help, version, coverage, methods, docs bool
	diagnose, json, gdbScript              bool
	docsVariables                          bool
}

// option is one row of the table that drives parsing, --help and docs/options.md.
type option struct {
	form    string   // how help writes it, sign included: "+vp"
	aliases []string // further names, signs included
	value   string   // what its value is called in help; "" for a switch
	joined  bool     // a number may follow the name without a blank: +p2
	many    bool     // may be given several times
	initial string   // what holds without it, in words
	text    string   // one line for help
	more    string   // a further sentence for the manual
	hidden  bool
	rare    bool                                  // in the manual, not in help
	set     func(s *settings, value string) error // value is "true" for a switch
}

// name is the form without its sign.
func (o *option) name() string { return strings.TrimLeft(o.form, "+-") }

// group is a heading of the help with its options.
type group struct {
	title   string
	options []*option
}

const (
	minTrace = 64 << 10
	maxPID   = 1 << 22
)

// table holds all options.
var table = []group{
	{"Ranks and workers", []*option{
		{form: "+vp", aliases: []string{"-n", "-np"}, value: "N", joined: true, initial: "as many as workers",
			text: "number of virtual ranks",
			set: func(s *settings, v string) (err error) {
				s.rankSet = true
				s.job.Ranks, err = parseCount(v, job.MaxRanks)
				return err
			}},
		{form: "+p", value: "N", joined: true, initial: "one for each core",
			text: "number of worker processes",
			more: "There are never more workers than ranks.",
			set: func(s *settings, v string) (err error) {
				s.workerSet = true
				s.job.Workers, err = parseCount(v, job.MaxWorkers)
				return err
			}},
		{form: "+pin", text: "bind each worker to a core of its own", set: setSwitch(func(s *settings) *bool { return &s.job.Pin })},
		{form: "+privatize", value: "METHOD", initial: "pie", text: "how ranks get globals of their own: " + privatize.MethodNames(),
			more: "`pie` loads program, libraries and C library once for each rank. `ampirun --methods` tells what each method makes private and where it ends.",
			set:  setMethod},
		{form: "+fs-dir", value: "DIR", rare: true, initial: "$TMPDIR or /tmp", text: "directory for the copies of +privatize fs",
			more: "A private directory in it is used and removed. The copies take their space in it until the job ends.",
			set:  func(s *settings, v string) error { s.job.Directory = v; return nil }},
	}},
	{"Memory", []*option{
		{form: "+stack", value: "SIZE", initial: "64M", text: "stack of one rank",
			more: "Memory is used only where a rank touches it.",
			set: func(s *settings, v string) (err error) {
				if s.job.Stack, err = parseSize(v); err == nil && s.job.Stack < job.MinStack {
					err = fmt.Errorf("a stack needs at least 64K")
				}
				return err
			}},
		{form: "+slice", value: "SIZE", initial: "what fits, up to 16G",
			text: "address space of one rank",
			more: "It holds program, stack and heap; memory is used only where a rank touches it.",
			set:  func(s *settings, v string) (err error) { s.job.Slice, err = parseSize(v); return err }},
		{form: "+heap", rare: true, value: "auto,iso,host", initial: "auto, or $AMPI_HEAP", text: "where ranks allocate: slices, or the C library",
			more: "Under `auto`, +movable, +registered and the run decide, see [internals](internals/memory.md#who-owns-the-heap). Ranks whose heap is not in their slices cannot move. `AMPI_HEAP=host` turns interception off; the option wins.",
			set:  func(s *settings, v string) (err error) { s.job.Heap, err = parseHeap(v); return err }},
		{form: "+movable", rare: true, value: "yes,no,runtime", initial: "runtime", text: "must ranks be movable (see +heap)",
			more: "`yes` refuses what would keep all ranks where they are; `runtime` means: if the method of privatization lets them.",
			set:  func(s *settings, v string) (err error) { s.job.Movable, err = vrank.ParseNeed(v); return err }},
		{form: "+registered", rare: true, value: "yes,no,runtime", initial: "runtime", text: "must memory be registered with transports (see +heap)",
			more: "Between the workers of a node messages are copied straight from slice to slice; from memory elsewhere they take a copy more.",
			set:  func(s *settings, v string) (err error) { s.job.Registered, err = vrank.ParseNeed(v); return err }},
	}},
	{"Load balancing (docs/load-balancing.md)", []*option{
		{form: "+lb", aliases: []string{"+balancer"}, value: "NAME", initial: "none", text: "move ranks to balance the load: GreedyRefine, ...",
			more: "`ampirun lb strategies` lists the names; those of Charm++ are known. Programs need not be changed; one that calls `AMPI_Migrate` is balanced there too, by `" + live.DefaultStrategy + "` unless this names another.",
			set:  setBalance},
		{form: "+lb-period", value: "SECONDS", initial: "auto", text: "how often: 0.5, 200ms, auto or calls",
			more: "`auto` acts when a further period like the last one would win more than the moves cost; `calls` only where the program calls `AMPI_Migrate`.",
			set: func(s *settings, v string) error {
				s.job.Period = v
				_, err := live.ParsePeriod(v)
				return err
			}},
		{form: "+migrate", value: "share,copy", initial: "share", text: "what moves: a rank alone, or its memory too",
			more: "The workers of a node share all memory, so a move copies nothing under `share`. Under `copy` what the rank has goes through a pipe and is taken away from where it was, as between nodes: to test and to compare. It needs userfaultfd.",
			set:  setMigrate},
		{form: "+steal", text: "a worker with nothing to run takes ready ranks from the busiest one",
			more: "It goes along with +lb, or alone: it needs no measurement of the past, and helps where loads cannot be foreseen.",
			set:  setSwitch(func(s *settings) *bool { return &s.job.Steal })},
		{form: "+lb-record", value: "FILE", rare: true, text: "write what is measured, step by step, for ampirun lb simulate",
			more: "Load, memory and place of each rank, who sends how much to whom, and how long PEs were idle. `ampirun lb record` does the same and says what is in the file.",
			set:  func(s *settings, v string) (err error) { s.job.Record, err = filepath.Abs(v); return err }},
		{form: "+lb-record-step", value: "SECONDS", rare: true, initial: "0.1", text: "how long a step of +lb-record is: 0.1, 100ms",
			set: func(s *settings, v string) error {
				s.job.RecordStep = v
				_, err := live.ParseStep(v)
				return err
			}},
		{form: "+mapping", value: "NAME", initial: "block", text: "where ranks begin: " + mapping.Names,
			more: "[Where ranks begin](load-balancing.md#where-ranks-begin) tells what a file holds.",
			set:  func(s *settings, v string) (err error) { s.job.Mapping, err = mapping.Parse(v); return err }},
	}},
	{"Checkpoints (docs/fault-tolerance.md)", []*option{
		{form: "+ckpt", value: "DIR", text: "save the job in DIR: on SIGUSR2, and as +ckpt-every says",
			more: "The program takes no part in it, and stands still only while its memory is copied. DIR is made if it is not there, and belongs to one job at a time.",
			set:  func(s *settings, v string) (err error) { s.ckpt().Dir, err = filepath.Abs(v); return err }},
		{form: "+ckpt-every", value: "TIME", initial: "only when asked", text: "how often: 60s, 5m, or seconds",
			set: setInterval},
		{form: "+mtbf", rare: true, value: "TIME", text: "mean time between failures of a node, as in 30d or 5y: choose how often by it",
			more: "The interval is Daly's for what checkpoints of this job cost, measured anew with each. Instead of +ckpt-every.",
			set:  setMTBF},
		{form: "+ckpt-keep", rare: true, value: "N", initial: "2", text: "so many checkpoints stay",
			set: func(s *settings, v string) (err error) { s.ckpt().Keep, err = parseCount(v, job.MaxKept); return err }},
		{form: "+ckpt-buddy", rare: true, value: "HOST:DIR", text: "keep copies of the checkpoints in a directory on another node, through ssh",
			more: "Each checkpoint that is safe here is sent there, behind the program; only what is new is sent. `AMPI_RSH` names another remote shell, `AMPI_RSH_AMPIRUN` where ampirun is there ([A copy on another node](fault-tolerance.md#a-copy-on-another-node)). With +restart, `none` ends it.",
			set:  setBuddy},
		{form: "+ft", value: "WHERE", text: "go on when a worker fails: from memory or disk",
			more: "With memory, a copy of the job's memory stays in memory, renewed as +ckpt-every says (10s unless it does); with disk, the newest checkpoint of +ckpt is read again. Workers are replaced, and the run goes on inside the same job.",
			set:  func(s *settings, v string) (err error) { s.ft().Mode, err = parseFT(v); return err }},
		{form: "+ft-shrink", rare: true, text: "do not replace workers that fail: the others get their ranks", set: func(s *settings, v string) error { s.ft().Shrink = v == "true"; return nil }},
		{form: "+ft-max-failures", rare: true, value: "N", initial: fmt.Sprint(job.DefaultMaxFailures), text: "so many failures are made good",
			set: func(s *settings, v string) (err error) {
				s.ft().MaxFailures, err = parseCount(v, job.MaxFailures)
				return err
			}},
		{form: "+ft-timeout", rare: true, value: "TIME", initial: "30s", text: "a worker that does not answer for so long has failed",
			set: func(s *settings, v string) (err error) { s.ft().Timeout, err = parseTime(v); return err }},
		{form: "+ckpt-on-term", rare: true, text: "save the job once more when SIGTERM ends it", set: func(s *settings, v string) error { s.ckpt().OnTerm = v == "true"; return nil }},
		{form: "+ckpt-embed", rare: true, text: "keep program, libraries and ampirun with the checkpoints: +restart needs no other files", set: func(s *settings, v string) error { s.ckpt().Embed = v == "true"; return nil }},
		{form: "+restart", value: "DIR", text: "go on from the newest checkpoint in DIR, with any +p",
			more: "Program, arguments, environment and directory are those of the job that was saved. It goes on to save itself in DIR as it did before, unless +ckpt and its kin say otherwise.",
			set:  func(s *settings, v string) (err error) { s.restart, err = filepath.Abs(v); return err }},
		{form: "+restart-foreign", rare: true, text: "let +restart go on from a directory that belongs to another user",
			more: "Program, environment and memory from there run with your rights. The directory is only read: +ckpt names one of your own to save the job further.",
			set:  setSwitch(func(s *settings) *bool { return &s.foreign })},
	}},
	{"Program", []*option{
		{form: "-x", value: "VAR[=VALUE]", many: true, text: "set an environment variable for the ranks",
			more: "The whole environment is passed on anyway; `-x VAR` makes sure that VAR is set.",
			set:  setVariable},
		{form: "+preload", rare: true, value: "FILE", many: true, text: "load a shared library into every rank before the program's own",
			more: "For tools that wrap MPI functions. `LD_PRELOAD` does the same, but is also heeded by the loader of `ampirun` itself.",
			set:  setPreload},
		{form: "-wdir", aliases: []string{"-wd"}, value: "DIR", initial: "the current directory", text: "directory to run in",
			set: func(s *settings, v string) error { s.job.Dir = v; return nil }},
	}},
	{"Debugging (docs/debugging.md)", []*option{
		{form: "+isolate", text: "end a rank that touches another rank's memory, and name both (slower)",
			more: "It needs a processor with protection keys and `+privatize pie`. [Stray stores](debugging.md#stray-stores) tells what it finds and what it costs.",
			set:  setSwitch(func(s *settings) *bool { return &s.job.Isolate })},
		{form: "--gdb", text: "run the job under gdb, in one worker unless +p says otherwise",
			more: "gdb gets commands for ranks (`info ranks`, `rank N`); it reads its commands from standard input.",
			set:  setSwitch(func(s *settings) *bool { return &s.gdb })},
		{form: "--gdb-script", rare: true, text: "print gdb's commands for ranks, for gdb -x",
			set: setSwitch(func(s *settings) *bool { return &s.gdbScript })},
		{form: "--backtrace", value: "PID", text: "print where all ranks of a running job are",
			more: "PID is that of `ampirun` or of one of its workers. `kill -USR1 PID` has the job itself print it.",
			set: func(s *settings, v string) (err error) {
				s.backtrace, err = parseCount(v, maxPID)
				return err
			}},
		{form: "--gdb-hold", hidden: true, text: "wait for gdb before ranks run: ampirun's own use", set: func(s *settings, _ string) error {
			s.job.Debugger = os.NewFile(uintptr(debugger.HoldFD()), "debugger")
			return nil
		}},
	}},
	{"Output and diagnosis", []*option{
		{form: "--label", aliases: []string{"-l"}, text: "begin each line of output with [rank]",
			set: setSwitch(func(s *settings) *bool { return &s.job.Label })},
		{form: "+stats", text: "print times, messages and memory of PEs and ranks at the end",
			more: "Up to 64 ranks have a row each; of more, minimum, median and maximum are shown.",
			set:  setSwitch(func(s *settings) *bool { return &s.job.Stats })},
		{form: "+stall", value: "TIME", initial: "60s", rare: true, text: "say where all ranks are when nothing has come of what they do for so long; 0: never",
			more: "That is no message, no output, nothing read or written, no rank that computes all the time, sleeps for more than 5 s or has a child process. There is one note, and the job goes on: " +
				"ranks may look for something again and again that still comes. A job whose ranks all wait for each other for certain ends at once.",
			set: func(s *settings, v string) (err error) {
				if s.job.Stall = 0; v != "0" {
					s.job.Stall, err = parseTime(v)
				}
				return err
			}},
		{form: "+progress", text: "show how the job goes in one line on standard error",
			more: "On a terminal the line is redrawn in place and gone at the end; elsewhere there is one every 10 s and one at the end. [Seeing it](seeing.md#a-live-line) tells what it says.",
			set:  setSwitch(func(s *settings) *bool { return &s.job.Progress })},
		{form: "+trace", value: "FILE", text: "write a timeline that ui.perfetto.dev and ampirun report show",
			more: "Which rank ran where and when, messages, moves, balancing: [Seeing it](seeing.md). A file of that name is replaced.",
			set:  func(s *settings, v string) (err error) { s.job.Trace, err = filepath.Abs(v); return err }},
		{form: "+trace-limit", rare: true, value: "SIZE", initial: "4M", text: "how much the timeline may grow by in a second, about",
			more: "What is more than that is added up instead of being shown one by one.",
			set: func(s *settings, v string) (err error) {
				if s.job.TraceLimit, err = parseSize(v); err == nil && s.job.TraceLimit < minTrace {
					err = fmt.Errorf("a timeline needs at least 64K a second")
				}
				return err
			}},
		{form: "--heap-check", rare: true, text: "check every rank's heap at each operation and at the end (slow)",
			set: setSwitch(func(s *settings) *bool { return &s.job.HeapCheck })},
		{form: "--diagnose", text: "examine the program instead of running it",
			more: "It says what the program is, needs and uses, and what would keep it from being privatised or moved. To test the heap, a process of its own loads it and runs its constructors, for 10 s at most; `main` is not called. " +
				"The exit code is 0 if `+privatize pie` runs it, 2 if it is refused. `--json` prints the same for tools.",
			set: setSwitch(func(s *settings) *bool { return &s.diagnose })},
		{form: "--json", rare: true, text: "print what --diagnose finds as JSON", set: setSwitch(func(s *settings) *bool { return &s.json })},
		{form: "--coverage", text: "list the MPI functions that are served and those that are not",
			set: setSwitch(func(s *settings) *bool { return &s.coverage })},
		{form: "--methods", text: "list the methods of privatization: what each makes private, and its limits",
			more: "With a program it also measures what starting one more rank of it takes under each method: constructors run, its `main` does not.",
			set:  setSwitch(func(s *settings) *bool { return &s.methods })},
		{form: "--version", aliases: []string{"-V"}, text: "print the version", set: setSwitch(func(s *settings) *bool { return &s.version })},
		{form: "--help", aliases: []string{"-h", "-?"}, text: "print this help", set: setSwitch(func(s *settings) *bool { return &s.help })},
		{form: "--docs-options", hidden: true, text: "print docs/options.md", set: setSwitch(func(s *settings) *bool { return &s.docs })},
		{form: "--docs-variables", hidden: true, text: "print docs/variables.md", set: setSwitch(func(s *settings) *bool { return &s.docsVariables })},
	}},
}

// ft is what is said of failures, from the first time on that something is.
func (s *settings) ft() *job.FT {
	if s.job.FT == nil {
		s.job.FT = &job.FT{MaxFailures: job.DefaultMaxFailures, Timeout: job.DefaultTimeout}
	}
	return s.job.FT
}

// setInterval and setMTBF are two ways to say how often.
func setInterval(s *settings, v string) (err error) {
	if s.ckpt().MTBF != 0 {
		return errors.New("+mtbf says how often as well: leave one of them out")
	}
	s.ckpt().Every, err = parseTime(v)
	return err
}

func setMTBF(s *settings, v string) (err error) {
	if s.ckpt().Every != 0 {
		return errors.New("+ckpt-every says how often as well: leave one of them out")
	}
	if s.ckpt().MTBF, err = plan.ParseDuration(v); err == nil && s.ckpt().MTBF < time.Second {
		err = errors.New("too short: at least 1s")
	}
	return err
}

// ckpt is what is said of checkpoints, from the first time on that something is.
func (s *settings) ckpt() *job.Checkpoints {
	if s.job.Checkpoints == nil {
		s.job.Checkpoints = &job.Checkpoints{}
	}
	return s.job.Checkpoints
}

func newSettings() *settings {
	s := new(settings)
	s.job.Stack, s.job.Method = 64<<20, "pie"
	s.job.RecordStep, s.job.Stall = live.DefaultStep.String(), 60*time.Second
	return s
}

// eachOption calls visit for every row of the table.
func eachOption(visit func(*option)) {
	for _, g := range table {
		for _, o := range g.options {
			visit(o)
		}
	}
}

// findOption returns the option that has name among its names, which are given without signs.
func findOption(name string) (found *option) {
	eachOption(func(o *option) {
		if o.name() == name {
			found = o
		}
		for _, alias := range o.aliases {
			if strings.TrimLeft(alias, "+-") == name {
				found = o
			}
		}
	})
	return found
}

func setSwitch(field func(*settings) *bool) func(*settings, string) error {
	return func(s *settings, value string) error {
		*field(s) = value == "true"
		return nil
	}
}

func setBalance(s *settings, value string) error {
	strategy, err := loadbalance.Find(value)
	if err == nil {
		s.job.Balance = strategy.Info().Name
	}
	return err
}

func setMigrate(s *settings, value string) error {
	if value != "share" && value != "copy" {
		return fmt.Errorf("ranks move by share or copy")
	}
	s.job.Copy = value == "copy"
	return nil
}

func setMethod(s *settings, value string) error {
	if _, err := privatize.FindMethod(value); err != nil {
		return err
	}
	s.job.Method = value
	return nil
}

func parseHeap(value string) (job.Heap, error) {
	switch h := job.Heap(value); h {
	case job.HeapAuto, job.HeapIso, job.HeapHost:
		return h, nil
	}
	return "", fmt.Errorf("want auto, iso or host")
}

func setVariable(s *settings, value string) error {
	name, _, assigned := strings.Cut(value, "=")
	if name == "" {
		return fmt.Errorf("no variable is named; write -x VAR=value")
	}
	if !assigned {
		if _, set := os.LookupEnv(name); !set {
			return fmt.Errorf("%s is not set here; write -x %s=value", name, name)
		}
		return nil
	}
	s.assigned = append(s.assigned, value)
	return nil
}

func setPreload(s *settings, value string) error {
	path, err := filepath.Abs(value)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("no such file")
	}
	s.preload = append(s.preload, path)
	return nil
}

// preloadNames are the names in LD_PRELOAD, as the dynamic loader takes it apart.
func preloadNames(env []string) []string {
	return strings.FieldsFunc(valueIn(env, "LD_PRELOAD"), func(r rune) bool { return r == ':' || r == ' ' })
}

// valueIn is the value of a variable of an environment, or "".
func valueIn(env []string, name string) (value string) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// heapOf is what an option has said of the heap, or else the environment of the ranks.
func (s *settings) heapOf() (job.Heap, error) {
	value := valueIn(s.job.Env, job.HeapVariable)
	if s.job.Heap != "" || value == "" {
		return s.job.Heap, nil
	}
	h, err := parseHeap(value)
	if err != nil {
		return h, fmt.Errorf("%s=%s in the environment: %w", job.HeapVariable, value, err)
	}
	return h, nil
}

// complete fills in what depends on several options and on the machine.
func (s *settings) complete() {
	cores := runtime.GOMAXPROCS(0)
	if s.job.Debugger != nil {
		cores = 1 // one process is what people debug best
	}
	switch {
	case !s.workerSet && !s.rankSet:
		s.job.Workers, s.job.Ranks = cores, runtime.GOMAXPROCS(0)
	case !s.rankSet:
		s.job.Ranks = s.job.Workers
	case !s.workerSet:
		s.job.Workers = cores
	}
	s.job.Workers = min(s.job.Workers, s.job.Ranks)
	s.job.Env = assign(os.Environ(), s.assigned)
}

// assign sets variables in an environment; the last assignment of a name holds.
func assign(env, assignments []string) []string {
	for _, a := range assignments {
		prefix := a[:strings.IndexByte(a, '=')+1]
		kept := env[:0:0]
		for _, e := range env {
			if !strings.HasPrefix(e, prefix) {
				kept = append(kept, e)
			}
		}
		env = append(kept, a)
	}
	return env
}

// checkRestart refuses what a job that goes on cannot be given any more.
func (s *settings) checkRestart() error {
	switch {
	case s.job.Program != "":
		return fmt.Errorf("+restart %s: the program is that of the checkpoint: leave %s out", s.restart, s.job.Program)
	case s.rankSet:
		return fmt.Errorf("+restart %s: the ranks are those of the checkpoint: leave +vp out", s.restart)
	case !s.workerSet:
		s.job.Workers = 0
	}
	return nil
}
