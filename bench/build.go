package main

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed programs
var sources embed.FS

// builder makes the tools and the programs in a directory of its own, each once.
type builder struct {
	dir    string
	ours   *implementation
	base   *implementation   // nil without -base
	others []*implementation // none with -compare=false
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
		b.others = others()
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
	source := filepath.Join(b.dir, "programs", name+".c")
	words := append(im.compiler[:len(im.compiler):len(im.compiler)], "-O2", "-o", file, source)
	if _, err := output(exec.Command(words[0], words[1:]...)); err != nil {
		return "", err
	}
	b.done[file] = source
	return file, nil
}

// output runs a tool; what it says is part of the error.
func output(c *exec.Cmd) ([]byte, error) {
	text, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(c.Path), err, text)
	}
	return text, nil
}
