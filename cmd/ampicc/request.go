package main

import (
	"os"
	"slices"
	"strings"
)

// request is what the command line asks for.
type request struct {
	args     []string // for the compiler
	compiler string   // from -cc=, -cxx= or -fc=
	info     string   // "" to compile, else what to print: show, compile, link, incdirs, libdirs, libs, version, command, help
	hasInput bool     // there is something to compile or link
	links    bool     // the compiler makes an executable
	complete bool     // the compiler makes a shared library that may leave no symbol undefined
	ownPIC   bool     // the user chose a kind of position-independent code
	compat   bool     // -ampi-compat
	balancer string   // from -balancer: a strategy's name, or ""
}

// infoOptions are the questions of Open MPI's and MPICH's users, of CMake and of autoconf macros.
var infoOptions = map[string]string{
	"-show": "show", "-showme": "show", "--showme": "show",
	"-showme:compile": "compile", "--showme:compile": "compile",
	"-showme:link": "link", "--showme:link": "link",
	"-showme:incdirs": "incdirs", "--showme:incdirs": "incdirs",
	"-showme:libdirs": "libdirs", "--showme:libdirs": "libdirs",
	"-showme:libs": "libs", "--showme:libs": "libs",
	"-showme:version": "version", "--showme:version": "version",
	"-showme:command": "command", "--showme:command": "command",
	"-compile-info": "compile-command", "-compile_info": "compile-command",
	"-link-info": "link-command", "-link_info": "link-command",
	"-help": "help",
}

// noLink are the options after which there is no executable: ampirun's shim belongs into executables only.
var noLink = []string{"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared", "-r"}

var picOptions = []string{"-fPIC", "-fpic", "-fPIE", "-fpie"}

// withValue are options whose value is the next argument, which therefore is no input file.
var withValue = []string{
	"-o", "-x", "-I", "-L", "-D", "-U", "-J", "-T", "-u", "-z", "-e", "-h", "-B", "-G", "-include", "-imacros", "-isystem",
	"-idirafter", "-iquote", "-iprefix", "-isysroot", "-MF", "-MT", "-MQ", "-Xlinker", "-Xpreprocessor",
	"-Xassembler", "-aux-info", "--param", "-dumpbase", "-target",
}

// parseRequest sorts the arguments into those for the wrapper and those for the compiler.
func parseRequest(lang *language, args []string) (*request, error) {
	req := &request{links: true}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if taken, err := req.takeCharm(args[i:]); err != nil {
			return nil, err
		} else if taken > 0 {
			i += taken - 1
		} else if what, ok := infoOptions[a]; ok {
			req.info = what
		} else if strings.HasPrefix(a, lang.option) {
			req.compiler = strings.TrimPrefix(a, lang.option)
		} else {
			req.args = append(req.args, a)
		}
	}
	return req, req.scan(withResponseFiles(req.args))
}

// withResponseFiles looks into @file arguments; the compiler still gets them unopened.
func withResponseFiles(args []string) []string {
	var all []string
	for _, a := range args {
		all = append(all, a)
		if text, err := os.ReadFile(strings.TrimPrefix(a, "@")); strings.HasPrefix(a, "@") && err == nil {
			all = append(all, strings.Fields(string(text))...)
		}
	}
	return all
}

func (r *request) scan(args []string) error {
	shared, defs := false, false
	for i := 0; i < len(args); i++ {
		a := args[i]
		if err := impossible(a); err != nil {
			return err
		}
		shared = shared || a == "-shared"
		defs = defs || wantsDefinitions(args[i:])
		switch {
		case slices.Contains(withValue, a):
			i++
		case slices.Contains(noLink, a):
			r.links = false
		case slices.Contains(picOptions, a):
			r.ownPIC = true
		case !strings.HasPrefix(a, "-") || a == "-" || strings.HasPrefix(a, "-l"):
			r.hasInput = true
		}
	}
	r.complete = shared && defs
	return nil
}

// wantsDefinitions tells whether args begin with a request to the linker to refuse undefined symbols.
func wantsDefinitions(args []string) bool {
	if args[0] == "-z" {
		return len(args) > 1 && args[1] == "defs"
	}
	words := strings.Split(args[0], ",")
	return words[0] == "-Wl" && (slices.Contains(words, "--no-undefined") || slices.Contains(words, "-zdefs") ||
		strings.Contains(args[0]+",", ",-z,defs,"))
}

// impossible refuses what cannot become a virtual rank: only position-independent programs can be loaded many times,
// and the Fortran bindings have one size of INTEGER.
func impossible(arg string) error {
	switch arg {
	case "-static", "--static", "-static-pie":
		return refuse("%s: ampirun loads a program many times, each with libraries of its own, so it must be dynamic: leave %s out (-static-libgcc and -static-libstdc++ are fine)", arg, arg)
	case "-no-pie", "-nopie":
		return refuse("%s: ampirun loads a program many times, so it must be position-independent: leave %s out", arg, arg)
	case "-fno-pie", "-fno-PIE", "-fno-pic", "-fno-PIC":
		return refuse("%s: ampirun loads a program many times, so all of its code must be position-independent: leave %s out", arg, arg)
	case "-fdefault-integer-8":
		return refuse("%s: the INTEGER arguments of MPI have 4 bytes: leave %s out and declare the long ones INTEGER*8", arg, arg)
	}
	return nil
}
