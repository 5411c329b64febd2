// Package treecheck is the main function of commands that look for something in all files of the project.
package treecheck

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// Main prints what a check complains of, line by line, and ends the process with code 1 if there is anything, or 2 if it could not be found out. The
// check gets the names of the files that git knows, or would take, below the working directory.
func Main(name string, check func(tree fs.FS, files []string) (complaints []string, err error)) {
	files, err := exec.Command("git", "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: list the files: git ls-files: %v\n", name, err)
		os.Exit(2)
	}
	complaints, err := check(os.DirFS("."), strings.Split(strings.TrimSpace(string(files)), "\n"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
	for _, c := range complaints {
		fmt.Printf("%s: %s\n", name, c)
	}
	if len(complaints) > 0 {
		os.Exit(1)
	}
}
