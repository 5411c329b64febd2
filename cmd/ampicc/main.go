// Command ampicc is every compiler wrapper of ampirun: ampicc, ampicxx, ampic++, ampif77, ampif90 and
// ampifort, by the name it is called with. It runs the real compiler with what an MPI program needs: mpi.h,
// the mpi module, position-independent code, and the shim through which ampirun hands out its functions.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// refusal is a request that the wrapper does not carry out; its text names the way out.
type refusal struct{ text string }

func (r refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

func main() {
	name, args := wrapperName(os.Args)
	err := run(name, args)
	var failed *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &failed):
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(failed.ExitCode())
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
}

// wrapperName is the wrapper that argv asks for, by --as=name or by its own name, and the other arguments.
func wrapperName(argv []string) (string, []string) {
	args := argv[1:]
	if len(args) > 0 && strings.HasPrefix(args[0], "--as=") {
		return strings.TrimPrefix(args[0], "--as="), args[1:]
	}
	return filepath.Base(argv[0]), args
}

func run(name string, args []string) error {
	lang, err := languageOf(name)
	if err != nil {
		return err
	}
	req, err := parseRequest(lang, args)
	if err != nil {
		return err
	}
	if req.info == "help" {
		fmt.Print(helpText(name, lang))
		return nil
	}
	compiler, err := findCompiler(lang, req.compiler)
	if err != nil {
		return err
	}
	if req.info == "" && !req.hasInput {
		return execCompiler(compiler, req.args)
	}
	kit, err := prepareKit(lang, compiler)
	if err != nil {
		return err
	}
	if req.info != "" {
		return printInfo(name, req, kit)
	}
	return execCompiler(compiler, commandArgs(req, kit))
}

// execCompiler replaces this process, so that the exit code and signals are the compiler's own.
func execCompiler(compiler, args []string) error {
	argv := append(append([]string{}, compiler...), args...)
	err := syscall.Exec(compiler[0], argv, os.Environ())
	return fmt.Errorf("run %s: %w", compiler[0], err)
}
