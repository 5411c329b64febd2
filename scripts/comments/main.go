// Command comments finds names of files in comments of Go, C and assembly that do not exist. A name with a slash is a path from the root or from
// the folder of the comment; one without is that of a file somewhere here.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"ampirun/scripts/internal/treecheck"
)

// others are names that comments have of files that are not here: tests make them.
var others = []string{"badargs.c", "main.c"}

// systems are folders of the system's headers.
var systems = regexp.MustCompile(`^(sys|linux|asm)/`)

func main() {
	treecheck.Main("comments", func(tree fs.FS, files []string) ([]string, error) { return check(tree, files, others) })
}

var (
	// comment matches one, or a text that it is not to begin in.
	comment = regexp.MustCompile("(?s)//[^\n]*|/\\*.*?\\*/|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'|`[^`]*`")
	// name is that of a source file; what stands before it tells whether it is part of something else.
	name = regexp.MustCompile(`(^|[^\w./<*%_-])([\w][\w./-]*\.(?:go|c|h|S|py|md|tsv))\b`)
)

// check returns a line for each name of a file that there is not, but for others.
func check(tree fs.FS, files, others []string) (complaints []string, err error) {
	known := map[string]bool{}
	for _, file := range append(slices.Clone(files), others...) {
		known[file], known[path.Base(file)] = true, true
	}
	for _, file := range files {
		if !slices.Contains([]string{".go", ".c", ".h", ".S"}, path.Ext(file)) || strings.HasPrefix(file, "testdata/") {
			continue
		}
		text, err := fs.ReadFile(tree, file)
		if os.IsNotExist(err) { // removed, and not committed yet
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, at := range comment.FindAllIndex(text, -1) {
			c := string(text[at[0]:at[1]])
			if c[0] != '/' {
				continue
			}
			for _, m := range name.FindAllStringSubmatch(c, -1) {
				if !systems.MatchString(m[2]) && !known[m[2]] && !known[path.Join(path.Dir(file), m[2])] {
					complaints = append(complaints, fmt.Sprintf("%s:%d: there is no %s", file, 1+strings.Count(string(text[:at[0]]), "\n"), m[2]))
				}
			}
		}
	}
	return complaints, nil
}
