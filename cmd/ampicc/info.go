package main

import (
	"fmt"
	"strings"

	"ampirun/shim"
)

// printInfo answers -show and its kin on standard output.
func printInfo(name string, req *request, k *kit) error {
	command := strings.Join(quoted(k.compiler), " ")
	var words []string
	switch req.info {
	case "show":
		words = append(append(words, k.compiler...), showArgs(req, k)...)
	case "compile":
		words = compileInfo(k)
	case "link":
		words = linkInfo(k)
	case "compile-command":
		words = append(append(words, k.compiler...), append(compileInfo(k), "-c")...)
	case "link-command":
		words = append(append(words, k.compiler...), linkInfo(k)...)
	case "incdirs":
		words = k.includeDirs()
	case "libdirs":
		words = []string{k.libDir()}
	case "libs":
		words = []string{libraryName}
	case "command":
		fmt.Println(command)
		return nil
	case "version":
		fmt.Printf("%s: ampirun, MPI %s (shim %016x)\n", name, shim.Standard, shim.Hash)
		return nil
	default:
		panic("BUG: unknown question " + req.info)
	}
	fmt.Println(strings.Join(quoted(words), " "))
	return nil
}

// showArgs shows a bare "ampicc -show" as a link, which is where the flags are that people look for.
func showArgs(req *request, k *kit) []string {
	if len(req.args) == 0 {
		return append(compileInfo(k), linkInfo(k)...)
	}
	return commandArgs(req, k)
}

// quoted makes words safe to paste into a shell.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`*?[](){}<>|&;#~!") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return out
}

func helpText(name string, lang *language) string {
	return fmt.Sprintf(`%s compiles and links %s programs for ampirun: it runs the %s compiler with what MPI needs.

  %s [options] [compiler options] files

  %-22s use another compiler than %s (or set %s)
  -show, -showme         print the command instead of running it
  -showme:compile        print the flags for compiling (also -compile-info, with the compiler)
  -showme:link           print the flags for linking (also -link-info, with the compiler)
  -showme:incdirs, -showme:libdirs, -showme:libs, -showme:command, -showme:version
  -balancer NAME         what +lb is unless the job says it; -module NAME is taken where it names strategies
  -ampi-compat           AMPI's fields in MPI_Status (MPI_COMM, MPI_LENGTH), and pup_c.h; Fortran: include 'ampif.h'
  -help                  this text

Every other option goes to the compiler. The MPI library is built once for a compiler, in AMPI_CACHE
or else in the user's cache directory. Start the program with: ampirun +vp N ./prog
`, name, lang.name, lang.name, name, lang.option+"<compiler>", lang.fallback, lang.env)
}
