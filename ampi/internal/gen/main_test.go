package main

import (
	"bytes"
	"go/format"
	"os"
	"testing"
)

func TestGeneratedFileIsFresh(t *testing.T) {
	prototypes, err := os.ReadFile("../../../shim/data/c-prototypes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want, err := format.Source(generate(string(prototypes)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../commargs_gen.go")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("commargs_gen.go is stale (%v): run go generate ./ampi", err)
	}
}
