// Command arrows compares what the folders of this module import and include with the table in arrows.txt. A folder may use only
// what its line lists, and a line lists only what is used; tests may use anything. It also finds files that use unsafe or cgo and do not say
// so by their names.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ampirun/scripts/internal/treecheck"
)

const module = "ampirun/"

//go:embed arrows.txt
var table string

func main() {
	treecheck.Main("arrows", func(tree fs.FS, files []string) ([]string, error) { return check(tree, files, table) })
}

// uses is who uses whom, and in which file first.
type uses map[string]map[string]string

// check returns a line for each arrow that the table does not have, and for each that only the table has.
func check(tree fs.FS, files []string, table string) (complaints []string, err error) {
	allowed, err := parseTable(table)
	if err != nil {
		return nil, err
	}
	found, err := collect(tree, files)
	if err != nil {
		return nil, err
	}
	if complaints, err = unnamed(tree, files); err != nil {
		return nil, err
	}
	for _, from := range slices.Sorted(maps.Keys(found)) {
		for _, to := range slices.Sorted(maps.Keys(found[from])) {
			if !allowed[from][to] {
				complaints = append(complaints, fmt.Sprintf("%s: %s may not use %s", found[from][to], from, to))
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(allowed)) {
		for _, to := range slices.Sorted(maps.Keys(allowed[from])) {
			if _, ok := found[from][to]; !ok {
				complaints = append(complaints, fmt.Sprintf("scripts/arrows/arrows.txt: %s does not use %s", from, to))
			}
		}
	}
	return complaints, nil
}

// Files that may use cgo have the first kind of name, files that may use unsafe one of both. The name of a processor may follow, as in code_unsafe_amd64.go.
var (
	cgoName    = regexp.MustCompile(`_cgo(_amd64)?(_test)?\.go$`)
	unsafeName = regexp.MustCompile(`_(cgo|unsafe)(_amd64)?(_test)?\.go$`)
)

// unnamed finds Go files, tests too, that import "C" or unsafe under another name.
func unnamed(tree fs.FS, files []string) (complaints []string, err error) {
	for _, file := range slices.Sorted(slices.Values(files)) {
		if path.Ext(file) != ".go" || strings.Contains(file, "testdata/") {
			continue
		}
		names, err := imports(tree, file)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		switch {
		case slices.Contains(names, "C") && !cgoName.MatchString(file):
			complaints = append(complaints, file+`: imports "C", which is for files named *_cgo.go`)
		case slices.Contains(names, "unsafe") && !unsafeName.MatchString(file):
			complaints = append(complaints, file+": imports unsafe, which is for files named *_unsafe.go and *_cgo.go")
		}
	}
	return complaints, nil
}

// parseTable reads lines of the form "folder: folder folder"; # begins a comment.
func parseTable(text string) (map[string]map[string]bool, error) {
	allowed := map[string]map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		from, to, ok := strings.Cut(line, ":")
		if from = strings.TrimSpace(from); !ok || allowed[from] != nil {
			return nil, fmt.Errorf("arrows.txt:%d: want one line of the form \"folder: folder ...\" for each folder", i+1)
		}
		allowed[from] = map[string]bool{}
		for _, f := range strings.Fields(to) {
			allowed[from][f] = true
		}
	}
	return allowed, nil
}

// collect finds the arrows between the folders of files.
func collect(tree fs.FS, files []string) (uses, error) {
	found := uses{}
	for _, file := range files {
		if strings.Contains(file, "testdata/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		var targets []string
		var err error
		switch path.Ext(file) {
		case ".go":
			targets, err = targetsOfGo(tree, file)
		case ".c", ".h", ".S":
			targets, err = includes(tree, file)
		}
		if err != nil && !os.IsNotExist(err) { // removed, and not committed yet
			return nil, err
		}
		from := path.Dir(file)
		for _, to := range targets {
			if to == from {
				continue
			}
			if found[from] == nil {
				found[from] = map[string]string{}
			}
			if _, ok := found[from][to]; !ok {
				found[from][to] = file
			}
		}
	}
	return found, nil
}

// targetsOfGo are the packages that a Go file imports, and what its preamble of C includes.
func targetsOfGo(tree fs.FS, file string) (targets []string, err error) {
	names, err := imports(tree, file)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if of, ok := strings.CutPrefix(name, module); ok {
			targets = append(targets, of)
		}
	}
	if strings.HasSuffix(file, "_cgo.go") {
		more, err := includes(tree, file)
		return append(targets, more...), err
	}
	return targets, nil
}

// imports are the packages that a Go file imports.
func imports(tree fs.FS, file string) (names []string, err error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, i := range parsed.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

var include = regexp.MustCompile(`^\s*#include "([^"]+/)?[^"/]+"`)

// includes are the folders of the headers that a file includes by their path from the root.
func includes(tree fs.FS, file string) (targets []string, err error) {
	f, err := tree.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadString('\n')
		if m := include.FindStringSubmatch(line); m != nil && m[1] != "" {
			dir := path.Clean(m[1])
			if info, err := fs.Stat(tree, dir); err == nil && info.IsDir() {
				targets = append(targets, dir)
			}
		}
		if err == io.EOF {
			return targets, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
	}
}
