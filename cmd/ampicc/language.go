package main

import (
	"os"
	"os/exec"
	"strings"
)

// language is one of the three that MPI has bindings for.
type language struct {
	name     string // C, C++ or Fortran
	fallback string // compiler when nothing else is said
	env      string // variable naming another compiler
	option   string // option naming another compiler, as in MPICH
}

var (
	langC       = &language{"C", "gcc", "AMPI_CC", "-cc="}
	langCXX     = &language{"C++", "g++", "AMPI_CXX", "-cxx="}
	langFortran = &language{"Fortran", "gfortran", "AMPI_FC", "-fc="}
)

var wrappers = map[string]*language{
	"ampicc": langC, "ampicxx": langCXX, "ampic++": langCXX,
	"ampif77": langFortran, "ampif90": langFortran, "ampifort": langFortran,
}

func languageOf(name string) (*language, error) {
	lang, ok := wrappers[name]
	if !ok {
		return nil, refuse("%q is none of the wrappers ampicc, ampicxx, ampic++, ampif77, ampif90, ampifort: call it by one of these names or with --as=ampicc first", name)
	}
	return lang, nil
}

// findCompiler returns the compiler command for lang: chosen (from -cc= and its kin), the environment's,
// or the default; its first word is an absolute path.
func findCompiler(lang *language, chosen string) ([]string, error) {
	text, source := chosen, lang.option
	if text == "" {
		text, source = os.Getenv(lang.env), lang.env
	}
	if strings.TrimSpace(text) == "" {
		text, source = lang.fallback, ""
	}
	words := strings.Fields(text)
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, noCompiler(lang, words[0], source)
	}
	return append([]string{path}, words[1:]...), nil
}

func noCompiler(lang *language, command, source string) error {
	if source == "" {
		return refuse("no %s compiler: %s is not in PATH; install %s or name another one in %s", lang.name, command, command, lang.env)
	}
	return refuse("no %s compiler: %q (from %s) is not in PATH", lang.name, command, source)
}
