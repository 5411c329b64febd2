package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// commandArgs are the compiler's arguments for req: defaults first, so that the user's options win over
// them, and what MPI adds last, so that the user's directories and definitions come first.
func commandArgs(req *request, k *kit) []string {
	var args []string
	if !req.ownPIC {
		args = append(args, "-fPIE")
	}
	if req.links {
		args = append(args, k.pie...)
	}
	args = append(args, k.leniency...)
	args = append(args, req.args...)
	args = append(args, includeFlags(k)...)
	if req.compat && k.modDir == "" {
		args = append(args, "-DAMPI_COMPAT")
	}
	if req.links {
		args = append(args, forLinker(req.args, linkFlags(k))...)
		args = append(args, charmFlags(req, k)...)
	}
	if req.complete {
		args = append(args, libraryFlags(k)...)
	}
	return args
}

func includeFlags(k *kit) []string {
	var flags []string
	for _, dir := range k.includeDirs() {
		flags = append(flags, "-I"+dir)
	}
	return flags
}

// linkFlags work in any order and any number of times, as build systems repeat and sort them: the archive has
// one member, which --undefined pulls in once. A member that is pulled in last leaves the user's own
// MPI functions in place, since its own are weak.
func linkFlags(k *kit) []string {
	return []string{
		"-L" + k.libDir(),
		"-Wl,--undefined=ampi_shim_wanted",
		"-Wl,--export-dynamic-symbol-list=" + filepath.Join(k.libDir(), exportList),
		"-l" + libraryName,
	}
}

// forLinker replaces what gold does not know. The others take its option too, but give it another meaning in shared libraries, for which
// build systems may use the same flags.
func forLinker(args, flags []string) []string {
	if !slices.Contains(args, "-fuse-ld=gold") {
		return flags
	}
	for i, f := range flags {
		flags[i] = strings.Replace(f, "--export-dynamic-symbol-list=", "--dynamic-list=", 1)
	}
	return flags
}

// libraryFlags give a shared library that must be complete a shim of its own. The program's takes its place at run time.
func libraryFlags(k *kit) []string {
	return []string{"-L" + k.libDir(), "-l" + libraryName}
}

// compileInfo is what a build system must add to compile with the compiler itself.
func compileInfo(k *kit) []string {
	flags := append([]string{}, k.leniency...)
	if !k.defaultPIE() {
		flags = append(flags, "-fPIE")
	}
	return append(flags, includeFlags(k)...)
}

// linkInfo is what a build system must add to link with the compiler itself. It may use the same
// flags for shared libraries, so k.pie is there only for compilers that do not make PIEs by themselves.
func linkInfo(k *kit) []string {
	if k.defaultPIE() {
		return linkFlags(k)
	}
	return slices.Concat(k.pie, linkFlags(k))
}
