package main

import (
	"fmt"
	"io"

	"ampirun/checkpoint/buddy"
	"ampirun/job"
)

// envVariable is one row of docs/variables.md.
type envVariable struct {
	names   []string
	value   string // what it holds
	initial string // what holds without it, in words; for what ranks find: ""
	text    string
}

// variableGroup is a heading of docs/variables.md; set tells that its variables are set and not read.
type variableGroup struct {
	title, text string
	set         bool
	variables   []envVariable
}

// variables are all environment variables that ampirun, its wrappers, its tests and its scripts read or set.
var variables = []variableGroup{
	{title: "Read by ampirun", text: "`-x` sets variables for the ranks and their workers, not for `ampirun` itself. The first two may be given with it.", variables: []envVariable{
		{[]string{job.HeapVariable}, "auto, iso or host", "auto", "where ranks allocate: as `+heap`, which wins. Any other value is refused with exit code 2"},
		{[]string{"LD_PRELOAD"}, "files, with colons or blanks between them", "none", "loaded into every rank before the program's own libraries, and not into workers; as `+preload`. The loader of `ampirun` itself heeds it too"},
		{[]string{buddy.ShellVariable}, "a command, words with blanks between them", "`" + buddy.DefaultShell + "`", "the remote shell of `+ckpt-buddy` ([fault tolerance](fault-tolerance.md)). It gets the host, and then a command as ssh would"},
		{[]string{buddy.ProgramVariable}, "a path, or a name in the `PATH` there", "the same path as here", "ampirun on the node of `+ckpt-buddy`"},
		{[]string{"PATH"}, "directories", "", "where a program is looked for whose name has no slash, and `gdb` for `--gdb`"},
		{[]string{"LD_LIBRARY_PATH"}, "directories", "none", "where the program's libraries are looked for, as the dynamic loader does; also by `dlopen` in ranks, and by `--diagnose`"},
		{[]string{"GLIBC_TUNABLES"}, "as in glibc's manual", "none", "`glibc.cpu.hwcaps` takes processor features away from ranks as well; `glibc.cpu.x86_shstk=off` is what ampirun asks for where a shadow stack is locked"},
		{[]string{"MALLOC_ARENA_MAX"}, "a count", "8 for each core", "arenas that the allocator of workers may have, as in glibc's manual. Ranks allocate in their slices (see `+heap`)"},
		{[]string{"TMPDIR"}, "a directory", "/tmp", "where `+privatize fs` puts its copies (`+fs-dir` wins), and where the cache is when there is no other place for it"},
		{[]string{"XDG_CACHE_HOME", "HOME"}, "a directory", "the cache is in TMPDIR", "`$XDG_CACHE_HOME/ampirun-trials`, else `$HOME/.cache/ampirun-trials`, keeps which C libraries were tried. `ampirun-trials-UID` in TMPDIR is used where neither is set"},
		{[]string{"GOMAXPROCS"}, "a count of 1 or more", "the cores that the process may use", "what `+p` is when it is not given"},
	}},
	{title: "Read by ampicc and its kin", text: "The compiler gets the whole environment, so its own variables (`CPATH`, `LIBRARY_PATH` and others) work.", variables: []envVariable{
		{[]string{"AMPI_CC"}, "a command, words with blanks between them", "gcc", "the C compiler of `ampicc`; `-cc=` wins"},
		{[]string{"AMPI_CXX"}, "the same", "g++", "the C++ compiler of `ampicxx` and `ampic++`; `-cxx=` wins"},
		{[]string{"AMPI_FC"}, "the same", "gfortran", "the Fortran compiler of `ampif77`, `ampif90` and `ampifort`; `-fc=` wins"},
		{[]string{"PATH"}, "directories", "", "where the compilers are looked for"},
		{[]string{"AMPI_CACHE"}, "a directory", "ampirun in the user's cache directory", "where the MPI library is kept that is built once for each compiler. It is made if it is not there"},
		{[]string{"XDG_CACHE_HOME", "HOME", "TMPDIR"}, "a directory", "", "the cache is `$XDG_CACHE_HOME/ampirun`, else `$HOME/.cache/ampirun`, else `ampicc-UID` in TMPDIR, which must belong to the user alone"},
	}},
	{title: "Set for ranks", text: "Every rank has the environment of `ampirun` with what `-x` sets. These are added in place of what an outer launcher may have set.", set: true, variables: []envVariable{
		{[]string{"AMPI_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"}, "0 and up", "", "the rank's number in `MPI_COMM_WORLD`"},
		{[]string{"AMPI_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}, "1 and up", "", "the number of ranks"},
		{[]string{"AMPI_PE"}, "0 and up", "", "the worker that the rank starts in; it may move later"},
		{[]string{"AMPI_PE_FIRST_RANK"}, "0 and up", "", "the lowest rank of that worker"},
		{[]string{"GLIBC_TUNABLES"}, "", "", "under `+privatize pip` workers start with `glibc.rtld.nns=16` added to it: room for a namespace for each rank"},
	}},
	{title: "Read by ranks", text: "For remote calls: [code that travels](code-travels.md).", variables: []envVariable{
		{[]string{"AMPI_RPC_ENFORCE"}, "1", "not enforced", "calls into segments that are not verified are errors"},
		{[]string{"AMPI_RPC_MAX_SEGMENTS"}, "a count, up to 32767", "32767", "how many numbers verified segments may have. What all ranks have from the start needs some"},
		{[]string{"AMPI_RPC_COLOR"}, "yes or no", "by the descriptor", "whether tables of segments have colours where the program leaves it open"},
	}},
	{title: "For tests of ampirun", text: "`make` alone lists the variables of its targets. [Testing](testing.md) tells of the tests.", variables: []envVariable{
		{[]string{"AMPI_SHUFFLE"}, "a time with its unit, as in 300us", "never", "read by workers: send a random rank to a random worker once in so long. For finding what does not survive a move"},
		{[]string{"AMPI_TEST_MPICH"}, "1", "not done", "compare what test programs print with MPICH, where it is installed; as `-mpich` of the tests"},
		{[]string{"AMPI_TEST_HUGE"}, "1", "one kind", "send messages above 2 GiB in all kinds of calls"},
		{[]string{"AMPI_TEST_LONG"}, "1", "few rounds", "repeat what is random and try all ways, as `make test-long` does; as `-long` of the tests"},
		{[]string{"AMPI_TEST_TOOLS"}, "a directory", "they are built", "where the tests take `ampirun` and `ampicc` from"},
		{[]string{"CKPT_BENCH_DIR"}, "a directory", "a temporary one", "where the benchmarks of `checkpoint` write"},
		{[]string{"AMPI_ROOTS"}, "a directory", "`ampirun/roots` in the user's cache directory", "where `scripts/root` keeps clean roots of Debian's releases"},
		{[]string{"AMPI_ROOT_FILES"}, "FILE:PLACE words", "none", "further files that `scripts/root` shows inside of a root"},
		{[]string{"AMPI_MIRROR"}, "an address", "where this machine's apt gets Debian", "where `scripts/root` gets releases from"},
	}},
}

// printVariables prints docs/variables.md.
func printVariables(w io.Writer) {
	fmt.Fprint(w, `<!-- Code generated by ampirun --docs-variables. DO NOT EDIT. -->
# Environment variables

All environment variables that `+"`ampirun`"+`, its compiler wrappers and its tests read, and those that ranks find set. An empty value counts
as none. [options.md](options.md) has the options. After `+"`+restart`"+` ranks have the environment of the job that was saved.
`)
	for _, g := range variables {
		head, rule := "| variable | what it holds | without it | what it does |", "|---|---|---|---|"
		if g.set {
			head, rule = "| variable | what it holds | what it tells |", "|---|---|---|"
		}
		fmt.Fprintf(w, "\n## %s\n\n%s\n\n%s\n%s\n", g.title, g.text, head, rule)
		for _, v := range g.variables {
			printVariable(w, v, g.set)
		}
	}
}

func printVariable(w io.Writer, v envVariable, set bool) {
	for i, name := range v.names {
		lead := "| "
		if i > 0 {
			lead = ", "
		}
		fmt.Fprintf(w, "%s`%s`", lead, name)
	}
	fmt.Fprintf(w, " | %s |", v.value)
	if !set {
		fmt.Fprintf(w, " %s |", v.initial)
	}
	fmt.Fprintf(w, " %s |\n", v.text)
}
