package main

import (
	"slices"
	"testing"
	"testing/fstest"
)

// TestCheck has one arrow that is allowed, one of Go and one of C that are not, and a line of the table that is out of date.
func TestCheck(t *testing.T) {
	tree := fstest.MapFS{
		"core/a.h":              {Data: []byte("int a(void);\n")},
		"libc/b.h":              {Data: []byte("#include \"core/a.h\"\n")},
		"core/a.c":              {Data: []byte("#include <stdio.h>\n#include \"core/a.h\"\n#include \"libc/b.h\"")},
		"job/job.go":            {Data: []byte("package job\n\nimport _ \"ampirun/cmd\"\n")},
		"job/x_test.go":         {Data: []byte("package job\n\nimport _ \"ampirun/tests\"\n")},
		"job/a_test.go":         {Data: []byte("package job\n\nimport _ \"unsafe\"\n")},
		"job/b.go":              {Data: []byte("package job\n\nimport \"C\"\n")},
		"job/c_unsafe_test.go":  {Data: []byte("package job\n\nimport _ \"unsafe\"\n")},
		"job/d_unsafe_amd64.go": {Data: []byte("package job\n\nimport _ \"unsafe\"\n")},
		"job/e_unsafe.go":       {Data: []byte("package job\n\nimport \"C\"\n")},
		"cmd/c_cgo.go":          {Data: []byte("package cmd\n\n/*\n#include \"core/a.h\"\n*/\nimport \"C\"\n")},
	}
	var files []string
	for name := range tree {
		files = append(files, name)
	}
	got, err := check(tree, files, "libc: core # fine\ncmd: core job\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"job/a_test.go: imports unsafe, which is for files named *_unsafe.go and *_cgo.go",
		`job/b.go: imports "C", which is for files named *_cgo.go`,
		`job/e_unsafe.go: imports "C", which is for files named *_cgo.go`,
		"core/a.c: core may not use libc",
		"job/job.go: job may not use cmd",
		"scripts/arrows/arrows.txt: cmd does not use job",
	}
	if !slices.Equal(got, want) {
		t.Errorf("check says %q, want %q", got, want)
	}
}

func TestParseTable(t *testing.T) {
	for _, bad := range []string{"core libc", "core: libc\ncore: job"} {
		if _, err := parseTable(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
