package main

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed programs
var sources embed.FS

// builder makes the tools and the programs in a directory of its own, each once.
type builder struct {
	dir    string
	ours   *implementation
	base   *implementation   // nil without -base
	others []*implementation // none with -compare=false
	ampi   *implementation   // nil without Charm++, or with -compare=false
	done   map[string]string // program and implementation to file
}

func newBuilder(dir string, o *options) (*builder, error) {
	b := &builder{dir: dir, done: make(map[string]string)}
	if err := os.CopyFS(dir, sources); err != nil {
		return nil, err
	}
	bin, err := b.tools(o.bin)
	if err != nil {
		return nil, err
	}
	b.ours = ours("", bin)
	if o.base != "" {
		if bin, err = filepath.Abs(o.base); err != nil {
			return nil, err
		}
		b.base = ours("base", bin)
	}
	if o.compare {
		b.others, b.ampi = others(), charm()
	}
	return b, nil
}

// tools gives the directory with ampirun and ampicc, built from the module unless a directory is given.
func (b *builder) tools(given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	bin := filepath.Join(b.dir, "bin")
	_, err := output(exec.Command("go", "build", "-o", bin+"/", "ampirun/cmd/ampirun", "ampirun/cmd/ampicc"))
	return bin, err
}

// program builds a program for an implementation.
func (b *builder) program(name string, im *implementation) (string, error) {
	file := filepath.Join(b.dir, suffixed(name, im.label()))
	if b.done[file] != "" {
		return file, nil
	}
	source, compiler, err := b.source(name, im)
	if err != nil {
		return "", err
	}
	words := append(compiler[:len(compiler):len(compiler)], "-O2", "-o", file, source, "-lm")
	if _, err := output(exec.Command(words[0], words[1:]...)); err != nil {
		return "", err
	}
	b.done[file] = source
	return file, nil
}

// source finds a program and its language. Only our wrappers are known for languages other than C.
func (b *builder) source(name string, im *implementation) (file string, compiler []string, err error) {
	if name == exampleProgram {
		file, err = example(name)
		return file, im.compiler, err
	}
	for _, l := range []struct{ ending, wrapper string }{{".c", ""}, {".cpp", "ampicxx"}, {".f90", "ampif90"}} {
		file = filepath.Join(b.dir, "programs", name+l.ending)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if l.wrapper == "" {
			return file, im.compiler, nil
		}
		compiler, err := wrapper(im.compiler[0], l.wrapper, filepath.Join(b.dir, "wrappers"))
		return file, []string{compiler}, err
	}
	return "", nil, fmt.Errorf("there is no program %s", name)
}

// exampleProgram is the program that is one of our examples.
const exampleProgram = "stencil"

// example finds the source of an example in C.
func example(name string) (string, error) {
	root, err := output(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "ampirun"))
	return filepath.Join(strings.TrimSpace(string(root)), "examples", "legacy-mpi", name, name+".c"), err
}

// wrapper is the ampicc at path under its name for another language, which a link in a folder of the builder's gives it.
func wrapper(path, name, dir string) (string, error) {
	dir = filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	link := filepath.Join(dir, name)
	if err := os.Symlink(path, link); err != nil && !os.IsExist(err) {
		return "", err
	}
	return link, nil
}

// output runs a tool; what it says is part of the error.
func output(c *exec.Cmd) ([]byte, error) {
	text, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(c.Path), err, text)
	}
	return text, nil
}
