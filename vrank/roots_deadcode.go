//go:build deadcode

package vrank

// C calls this; deadcode (scripts/lint) does not know.
func init() { vrankPE() }
