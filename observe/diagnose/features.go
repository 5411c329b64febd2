package diagnose

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"ampirun/privatize"
)

// feature is a row of the table of things that programs do besides computing.
type feature struct {
	what    string
	symbols string // separated by blanks; a star stands for any ending, and what stands behind = is how people call it
	note    string
	moving  string // what it keeps from moving
}

var features = []feature{
	{what: "threads", symbols: "pthread_create thrd_create _ZNSt6thread15_M_start_thread*=std::thread _ZN3tbb*=tbb::",
		moving: "a rank with live threads stays on its worker"},
	{what: "OpenMP", symbols: "GOMP_parallel* GOMP_task* __kmpc_fork_call omp_set_num_threads",
		moving: "a rank with live threads stays on its worker (OMP_NUM_THREADS=1 starts none)"},
	{what: "signals", symbols: "signal bsd_signal sysv_signal sigaction sigset sigaltstack sigwait sigwaitinfo sigtimedwait signalfd sigprocmask pthread_sigmask"},
	{what: "timers", symbols: "setitimer alarm ualarm timer_create timerfd_create"},
	{what: "processes", symbols: "fork _Fork vfork clone clone3 daemon execl execle execlp execv execve execvp execvpe fexecve posix_spawn posix_spawnp system popen wordexp"},
	{what: "shared memory", symbols: "shm_open shmget shmat memfd_create",
		moving: "shared memory and what is attached to it stays in the worker"},
	{what: "file mappings", symbols: "mmap mmap64 mremap"},
	{what: "plug-ins", symbols: "dlopen dlmopen", note: "libraries that are opened at run time are not examined"},
	{what: "stack switching", symbols: "makecontext swapcontext setcontext getcontext"},
	{what: "process state", symbols: "umask setrlimit setrlimit64 sched_setaffinity pthread_setaffinity_np setpriority nice setuid setgid mlockall",
		note: "the kernel keeps it for the worker: its ranks share it"},
	{what: "sockets", symbols: "socket accept accept4 socketpair epoll_create epoll_create1 eventfd",
		moving: "sockets stay in the worker"},
	{what: "system calls", symbols: "syscall prctl arch_prctl ptrace brk sbrk personality unshare setns io_uring_setup",
		note: "what a program asks of the kernel directly passes by the runtime"},
}

// matches tells how people call a symbol that is one of the row's, "" for others.
func (f *feature) matches(symbol string) string {
	for _, s := range strings.Fields(f.symbols) {
		s, name, _ := strings.Cut(s, "=")
		if prefix, any := strings.CutSuffix(s, "*"); s == symbol || any && strings.HasPrefix(symbol, prefix) {
			return cmp.Or(name, symbol)
		}
	}
	return ""
}

// findUses looks at what the program and its own libraries import.
func findUses(files []*privatize.File) (uses []Use) {
	found := make([]Use, len(features))
	for _, f := range files {
		if isSystem(f) {
			continue
		}
		f.EachDynamic(func(s privatize.Symbol) {
			for i := range features {
				if name := features[i].matches(s.Name); name != "" && !s.Defined {
					found[i].add(name, f.Name)
				}
			}
		})
	}
	for i, u := range found {
		if len(u.Symbols) > 0 {
			slices.Sort(u.Symbols)
			u.What, u.Note = features[i].what, features[i].note
			uses = append(uses, u)
		}
	}
	return uses
}

func (u *Use) add(symbol, by string) {
	if !slices.Contains(u.Symbols, symbol) {
		u.Symbols = append(u.Symbols, symbol)
	}
	if !slices.Contains(u.By, by) {
		u.By = append(u.By, by)
	}
}

// addMoving says what would stay behind when a rank goes to another worker.
func (r *Report) addMoving() {
	for _, u := range r.Uses {
		for i := range features {
			if f := &features[i]; f.what == u.What && f.moving != "" {
				r.Moving = append(r.Moving, u.What+" ("+strings.Join(u.By, ", ")+"): "+f.moving)
			}
		}
	}
}

// allocators are known by functions that only they define.
var allocators = []struct{ symbol, name string }{
	{"mallctl", "jemalloc"}, {"je_malloc", "jemalloc"}, {"mi_malloc", "mimalloc"}, {"tc_malloc", "tcmalloc"},
	{"MallocExtension_ReleaseFreeMemory", "tcmalloc"}, {"scalable_malloc", "TBB"}, {"hoard", "Hoard"},
}

// findAllocator looks who defines malloc first: a definition in a file goes before the runtime's, which goes before the C library's.
func findAllocator(files []*privatize.File) Heap {
	for _, f := range files {
		if f.CLibrary() || !f.Defines("malloc") {
			continue
		}
		h := Heap{Allocator: f.Name}
		for _, a := range allocators {
			if f.Defines(a.symbol) || definesStatically(f, a.symbol) {
				h.Kind = a.name
				break
			}
		}
		return h
	}
	if files[0].Interp() == "" {
		return Heap{} // nothing is bound to anything
	}
	return Heap{Allocator: "runtime"}
}

// runtimes are libraries that tell what a program is written in or runs on.
var runtimes = []struct{ library, name string }{
	{"libstdc++.so", "C++"}, {"libc++.so", "C++"}, {"libgfortran.so", "Fortran"}, {"libifcore", "Fortran (Intel)"}, {"libflang", "Fortran (LLVM)"},
	{"libFortranRuntime", "Fortran (LLVM)"}, {"libnvf", "Fortran (NVIDIA)"},
	{"libgomp.so", "OpenMP (GNU)"}, {"libomp.so", "OpenMP (LLVM)"}, {"libiomp5.so", "OpenMP (Intel)"}, {"libtbb", "TBB"}, {"libpython", "Python"},
	{"libgo.so", "Go (gccgo)"}, {"libstd-", "Rust"}, {"libjvm.so", "Java"}, {"libjulia", "Julia"}, {"libgnat-", "Ada"}, {"libphobos2", "D"}, {"libgphobos", "D"},
	{"libR.so", "R"}, {"liblua", "Lua"}, {"libtcl8", "Tcl"}, {"libguile", "Guile"}, {"libcudart", "CUDA"}, {"libamdhip64", "HIP"}, {"libOpenCL", "OpenCL"},
}

func languages(files []*privatize.File) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, f := range files {
		for _, r := range runtimes {
			if strings.HasPrefix(filepath.Base(f.Name), r.library) {
				add(r.name)
			}
		}
	}
	if _, ok := files[0].Section(".go.buildinfo"); ok {
		add("Go")
	}
	if slices.ContainsFunc(compilers(files[0]), func(c string) bool { return strings.Contains(c, "rustc") }) {
		add("Rust")
	}
	return names
}

// compilers reads the names that compilers leave in .comment, each once.
func compilers(f *privatize.File) (names []string) {
	text, _ := f.Section(".comment")
	const most = 1 << 16
	for _, name := range strings.Split(string(text[:min(len(text), most)]), "\x00") {
		if name = printable(name); name != "" && !slices.Contains(names, name) && len(names) < 8 {
			names = append(names, name)
		}
	}
	return names
}

// printable drops what a terminal could take for commands, and bounds the length.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), 100)]
}

var sanitizerMarks = []struct{ prefix, name string }{
	{"__asan_", "address"}, {"__tsan_", "thread"}, {"__msan_", "memory"}, {"__hwasan_", "hwaddress"}, {"__lsan_", "leak"}, {"__ubsan_", "undefined"},
	{"__sanitizer_cov_", "coverage"},
}

// sanitizers looks for symbols that code has which they have changed.
func sanitizers(e *privatize.Examined) (names []string) {
	look := func(s privatize.Symbol) {
		for _, m := range sanitizerMarks {
			if strings.HasPrefix(s.Name, m.prefix) && !slices.Contains(names, m.name) {
				names = append(names, m.name)
			}
		}
	}
	for _, f := range e.Files {
		if f.EachDynamic(look); f == e.Files[0] {
			f.EachStatic(look)
		}
	}
	return names
}
