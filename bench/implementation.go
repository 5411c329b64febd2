package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
)

// implementation is something that builds and launches the programs: an MPI, or the plain machine.
type implementation struct {
	name     string // suffix of its figures; "" is ours
	compiler []string
	launcher []string
	flags    func(pes, ranks int) []string
	extra    []string // in place of the experiment's; nil: those
	trailing bool     // flags come after the program and its arguments
	env      []string
	foreign  bool // another MPI: runs fewer repetitions of what it is slow at
}

// ours is an ampirun with its wrapper in a directory.
func ours(name, dir string) *implementation {
	return &implementation{name: name, compiler: []string{dir + "/ampicc"}, launcher: []string{dir + "/ampirun"}, flags: charmFlags}
}

func charmFlags(pes, ranks int) []string {
	return []string{"+p", strconv.Itoa(pes), "+vp", strconv.Itoa(ranks)}
}

// native runs a program as it is.
func native() *implementation {
	return &implementation{name: "native", compiler: []string{"cc", "-DNATIVE"}}
}

// others are the implementations that are installed under Debian's names. One process stands for each rank.
func others() (list []*implementation) {
	mpich := &implementation{name: "mpich", compiler: []string{"mpicc.mpich"}, launcher: []string{"mpirun.mpich"},
		flags: func(_, ranks int) []string { return []string{"-n", strconv.Itoa(ranks)} }, foreign: true}
	openmpi := &implementation{name: "openmpi", compiler: []string{"mpicc.openmpi"}, launcher: []string{"mpirun.openmpi"},
		flags:   func(_, ranks int) []string { return []string{"--oversubscribe", "-n", strconv.Itoa(ranks)} },
		env:     []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
		foreign: true}
	for _, im := range []*implementation{mpich, openmpi} {
		if im.installed() {
			list = append(list, im)
		}
	}
	return list
}

// charm is the AMPI of the Charm++ on the PATH, or nil. Its ampicc is taken from beside its charmc, since ours has the same name.
func charm() *implementation {
	charmc, err := exec.LookPath("charmc")
	if err != nil {
		return nil
	}
	dir := filepath.Dir(charmc)
	im := &implementation{name: "ampi", compiler: []string{filepath.Join(dir, "ampicc"), "-DAMPI", "-memory", "isomalloc", "-module", "CommonLBs"},
		launcher: []string{filepath.Join(dir, "charmrun"), "++local"}, flags: charmFlags, trailing: true}
	if !im.installed() {
		return nil
	}
	return im
}

func (im *implementation) installed() bool {
	for _, tool := range []string{im.compiler[0], im.launcher[0]} {
		if _, err := exec.LookPath(tool); err != nil {
			return false
		}
	}
	return true
}

// command is how the launcher starts a program, with further flags of ours.
func (im *implementation) command(pes, ranks int, extra []string, program string, args []string) []string {
	var words []string
	if im.trailing {
		words = append(append(append(words, im.launcher...), program), args...)
		return append(append(words, im.flags(pes, ranks)...), extra...)
	}
	if im.launcher != nil {
		words = append(words, im.launcher...)
		words = append(words, im.flags(pes, ranks)...)
		words = append(words, extra...)
	}
	return append(append(words, program), args...)
}

// label names it in messages.
func (im *implementation) label() string {
	if im.name == "" {
		return "ampirun"
	}
	return im.name
}

// suffixed is a figure's name for this implementation.
func suffixed(name, implementation string) string {
	if implementation == "" {
		return name
	}
	return fmt.Sprintf("%s.%s", name, implementation)
}
