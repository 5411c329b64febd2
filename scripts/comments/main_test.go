package main

import (
	"slices"
	"testing"
	"testing/fstest"
)

// TestCheck has comments with names of files that there are and that there are not, and texts that are no comments.
func TestCheck(t *testing.T) {
	tree := fstest.MapFS{
		"core/a.h":     {Data: []byte("/* See a.c,\n * core/a.c, b.go and <stdio.h>; gone.c is not. */\nchar *s = \"// no.c\"; // core/gone.h, linux/user.h\n")},
		"core/a.c":     {Data: []byte("int a; // sub/c.h\n")},
		"core/sub/c.h": {Data: []byte("int c;\n")},
		"job/b.go":     {Data: []byte("package job\n\n// made.c is made by a test. *_cgo.go is a kind of name.\nvar s = `// text.c`\n\nvar r = '\"' // c.go\n")},
		"testdata/x.c": {Data: []byte("// anything.c\n")},
		"x.txt":        {Data: []byte("// text.c\n")},
	}
	var files []string
	for file := range tree {
		files = append(files, file)
	}
	slices.Sort(files)
	got, err := check(tree, append(files, "core/removed.c"), []string{"made.c"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"core/a.h:1: there is no gone.c",
		"core/a.h:3: there is no core/gone.h",
		"job/b.go:6: there is no c.go",
	}
	if !slices.Equal(got, want) {
		t.Errorf("check says %q, want %q", got, want)
	}
}
