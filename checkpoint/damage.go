package checkpoint

import "fmt"

// Damage is an error about a file that is not what was written: cut off, changed, of something else or missing.
type Damage struct {
	File   string
	Reason string
}

func (d *Damage) Error() string { return d.File + ": " + d.Reason }

func damaged(file, format string, args ...any) error {
	return &Damage{File: file, Reason: fmt.Sprintf(format, args...)}
}
